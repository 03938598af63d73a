#!/bin/bash
# The binary interface of libberth is that of the last release, or has more. And a comparison that never
# says no is not believed: a function that is gone, one of another shape and a struct of another size are
# found. BERTH is the command, beside which the library lies; SRC is the source folder.
set -u
build=$(dirname "$BERTH")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

"$SRC/tools/abi" "$build"
status=$?
[ "$status" -ne 77 ] || exit 77
[ "$status" -eq 0 ] || failures=1

last=$(printf '%s\n' "$SRC"/share/abi/libberth-*.abi | sort -V | tail -n 1)
# finds WHAT SED: with this change to what is recorded, the library is not what it was.
finds() {
    sed -E "$2" "$last" >"$work/changed.abi"
    cmp -s "$last" "$work/changed.abi" && { echo "FAILED: $1: nothing was changed"; failures=1; }
    BASELINE=$work/changed.abi "$SRC/tools/abi" "$build" >"$work/said" 2>&1
    [ $? -eq 1 ] || { echo "FAILED: $1 was not found"; cat "$work/said"; failures=1; }
}
finds "a function that is gone" "s/'berth_close'/'berth_gone'/g; s/'berth_close@@/'berth_gone@@/"
finds "a member at another place" "/name='berth_grant' size-in-bits/,/<\/class-decl>/s/(layout-offset-in-bits=')64'/\196'/"
finds "a function without its version" "s/(elf-symbol name='berth_open' )version='BERTH_0.2'/\1version='BERTH_0.1'/"

[ "$failures" -eq 0 ] && echo "all as expected"
exit $failures
