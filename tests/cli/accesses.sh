#!/bin/bash
# The text of protocol files as the laboratory reads it: every access of the catalogue's files is in the graph
# that berth trace draws of them, with its label and its line, and no section is left out.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache CPATH=$SRC/src
mkdir "$work/cache"
cd "$work" || exit 1
failures=0 drawn=0 labels=0

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

for file in "$SRC"/src/protocol/{classic,queue,hardware,recoverable,burns,rivest-pratt}/*.c; do
    cp "$file" ./copy.c
    rm -f copy.dot
    "$BERTH" trace ./copy.c copy.dot >output 2>&1 || { complain "${file##*/}: $(cat output)"; continue; }
    drawn=$((drawn + 1))
    # The words that begin a line, where no macro of the file's own stands for them.
    while IFS=: read -r line text; do
        label=${text#*(}
        label=${label%%[,)]*}
        labels=$((labels + 1))
        grep -qF "label=\"$label\\n" copy.dot && grep -qF "line $line\"" copy.dot ||
            complain "${file##*/}: no access $label of line $line"
    done < <(grep -nE '^ *(READ|WRITE|CAS|UPDATE|AWAIT|TEST)\([A-Za-z0-9_]+,' copy.c | grep -v '\\$')
    if grep -q 'WRITE(' copy.c && ! grep -q -- '->' copy.dot; then
        complain "${file##*/}: no edges"
    fi
done
echo "$drawn files drawn, $labels accesses"
[ "$drawn" -ge 25 ] && [ "$labels" -ge 150 ] || complain "there were more once"

"$BERTH" trace mcs mcs.dot >output 2>&1
[ $? -eq 2 ] && grep -q 'for a file of your own' output || complain "a protocol of the catalogue is drawn"
[ "$failures" -eq 0 ]
