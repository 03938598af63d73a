#!/bin/bash
# Slips that a protocol file may have: each file in tests/slips has one, and says in its heading which
# command finds it, with what status, and what it says. A slip that goes unnoticed would be a proof of
# nothing. With clang, where it is there, for those that the compiler finds.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME=$work
failures=0
files=0

complain() {
    echo "FAILED: $*"
    cat "$work/output"
    failures=$((failures + 1))
}

# heading FILE WORD: the rest of the lines of the heading that begin with it.
heading() {
    sed -n "1,/\*\//s/^ \* $2: //p" "$1"
}

try() {
    local file=$1 compiler=$2 expected status
    local -a words
    cp "$file" "$work/slip.c"
    read -ra words < <(heading "$file" berth)
    expected=$(heading "$file" status)
    (cd "$work" && CC=$compiler exec timeout 60 "$BERTH" "${words[0]}" ./slip.c "${words[@]:1}") \
        >"$work/output" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || complain "${file##*/} ($compiler): status $status, not $expected"
    while read -r line; do
        grep -qF -- "$line" "$work/output" || complain "${file##*/} ($compiler): no \"$line\""
    done < <(heading "$file" says)
    # What the compiler finds, it finds in a line of the file.
    [ "$status" -ne 2 ] || grep -q 'slip\.c' "$work/output" ||
        grep -qE '^berth: (.* slip$|slip |--)' "$work/output" ||
        complain "${file##*/} ($compiler): the file is not named"
}

for file in "$SRC"/tests/slips/*.c; do
    files=$((files + 1))
    try "$file" cc
done
[ "$files" -ge 40 ] || complain "there were more slips once"

if command -v clang >/dev/null; then
    for name in ${CLANG_SLIPS-initial-without-flag may-without-flag switch-of-ones-own critical-from-exit \
        variable-of-a-section index-below-zero index-of-a-local-array shared-in-a-step}; do
        try "$SRC/tests/slips/$name.c" clang
    done
fi

[ "$failures" -eq 0 ] && echo "$files slips, all found"
[ "$failures" -eq 0 ]
