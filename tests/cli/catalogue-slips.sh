#!/bin/bash
# Files of the catalogue as files of a user's: what is looked at only there (a switch around an access, an
# argument that changes, a local variable that is left over, a shared variable without an access) is looked
# at in them. A few; all that can be loaded with ALL=1.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME=$work/cache CPATH=$SRC/src
mkdir "$work/cache"
failures=0 checked=0

cmake --install "$(dirname "$BERTH")" --prefix "$work/prefix" >"$work/output" 2>&1 ||
    { cat "$work/output"; exit 1; }
cd "$work" || exit 1
files="classic/dekker.c classic/szymanski.c classic/kessels.c queue/mcs.c queue/clh.c hardware/test_and_set.c
    recoverable/golab_ramaraju.c rivest-pratt/n.c"
if [ -n "${ALL-}" ]; then
    files=$(cd "$SRC/src/protocol" && echo classic/*.c queue/*.c hardware/*.c recoverable/*.c rivest-pratt/*.c burns/*.c)
fi
for file in $files; do
    cp "$SRC/src/protocol/$file" ./copy.c
    least=$(sed -n 's/.*\.min_n = \([0-9]*\).*/\1/p' copy.c | head -n 1)
    prefix/bin/berth check ./copy.c -n "${least:-2}" >output 2>&1
    status=$?
    checked=$((checked + 1))
    if [ "$status" -ne 0 ] || [ "$(tail -n 1 output)" != as-claimed ]; then
        echo "FAILED: $file: status $status"
        cat output
        failures=$((failures + 1))
    fi
done
echo "$checked files, $failures wrong"
[ "$failures" -eq 0 ]
