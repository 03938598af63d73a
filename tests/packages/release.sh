#!/bin/bash
# What a release needs is there and agrees (tools/release --check); and what does not agree is found.
# SRC is the source folder.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
"$SRC/tools/release" --check "$SRC" || failures=1

for file in CMakeLists.txt CHANGELOG.md LICENSE debian man bindings tools share src/pool/libberth.map docs; do
    mkdir -p "$work/copy/$(dirname "$file")"
    cp -r "$SRC/$file" "$work/copy/$file"
done
rm -rf "$work/copy/bindings/node/node_modules"
# finds WHAT FILE SED
finds() {
    cp "$work/copy/$2" "$work/kept"
    sed -i -E "$3" "$work/copy/$2"
    cmp -s "$work/kept" "$work/copy/$2" && { echo "FAILED: $1: nothing was changed"; failures=1; }
    "$SRC/tools/release" --check "$work/copy" >"$work/said" 2>&1 &&
        { echo "FAILED: $1 was not found"; failures=1; }
    cp "$work/kept" "$work/copy/$2"
}
"$SRC/tools/release" --check "$work/copy" >"$work/said" 2>&1 ||
    { echo "FAILED: the copy is not as good"; cat "$work/said"; failures=1; }
finds "another version in a manual page" man/berth-run.1 's/"berth [0-9.]+"/"berth 9.9.9"/'
finds "another version of the Rust crate" bindings/rust/Cargo.toml '0,/^version/s/^version = .*/version = "9.9.9"/'
finds "a changelog without the version" CHANGELOG.md 's/^## \[[0-9]+.*//'
finds "another version of the package" debian/changelog '1s/\(.*\)/(9.9.9-1)/'
finds "a function without its symbol" debian/libberth0.symbols '/berth_close/d'

[ "$failures" -eq 0 ] && echo "all as expected"
exit $failures
