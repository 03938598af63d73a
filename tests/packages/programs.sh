#!/bin/bash
# The programs as they are built: what the command knows of the laboratory is what the laboratory says; the
# sizes, stripped; no RUNPATH; and what the command says where a part is not installed. BERTH is the
# command, beside which the build lies.
set -u
build=$(dirname "$BERTH")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
output=$work/output
failures=0

complain() {
    echo "FAILED: $*"
    cat "$output"
    failures=$((failures + 1))
}

diff <("$BERTH" --help) <("$build/berth-lab" --help) >"$output" ||
    complain "the command and the laboratory have other words for the commands (elsewhere.c)"
[ ! -x "$build/berth-etcd" ] || diff <("$BERTH" --help) <("$build/berth-etcd" --help) >"$output" ||
    complain "the command and berth-etcd have other words for the commands"

# --- sizes ---

# stripped FILE: its size in bytes without symbols
stripped() {
    strip --strip-unneeded -o "$work/stripped" "$1" 2>"$output" || complain "strip $1"
    stat -c %s "$work/stripped"
}

whole=0
for file in berth berth-lab berth-etcd berth-top berth-guardian libberth.so.0 libberth-etcd.so.0 libberth.a; do
    [ -e "$build/$file" ] || continue
    size=$(stripped "$build/$file")
    echo "$file: $size"
    whole=$((whole + size))
    [ "$file" != berth ] || [ "$size" -lt 3000000 ] || complain "the command has $size bytes"
done
echo "whole: $whole"
[ "$whole" -lt 10500000 ] || complain "berth has $whole bytes"

# --- archives: of two definitions of one name the linker takes the first, and says nothing ---

nm -g --defined-only "$build"/libberth_*.a 2>/dev/null | awk 'NF == 3 {print $3}' | sort | uniq -d |
    grep -vxFf <(nm -g --defined-only "$build/libberth_top_view.a" | awk 'NF == 3 {print $3}') >"$output"
[ ! -s "$output" ] || complain "defined twice"

# --- as installed: no RUNPATH, and licences, documents and examples ---

cmake --install "$build" --prefix "$work/prefix" >"$output" 2>&1 || complain "install"
find "$work/prefix" -type f \( -perm -100 -o -name '*.so.*' \) | while read -r file; do
    readelf -d "$file" 2>/dev/null | grep -E 'RPATH|RUNPATH' | sed "s|^|$file: |"
done >"$output"
[ ! -s "$output" ] || complain "programs with a search path of their own"
for file in LICENSE README.md docs/INSTALL.md docs/RECIPES.md docs/results/results.html \
    examples/library/worker.c; do
    [ -n "$(find "$work/prefix/share/doc/berth" -path "*/$file")" ] || complain "$file is not installed"
done

# Plots and the server of the laboratory are not in the command.
for words in '<svg' 'HTTP/1.1 '; do
    ! grep -qaF "$words" "$BERTH" || complain "the command has $words in it"
done

# --- a command without its other parts ---

mkdir -p "$work/alone/bin"
cp "$BERTH" "$work/alone/bin/"
"$work/alone/bin/berth" check peterson >"$output" 2>&1
[ $? -eq 125 ] && grep -q 'berth: check: the laboratory is not installed' "$output" ||
    complain "check without the laboratory"
"$work/alone/bin/berth" help check >"$output" 2>&1
[ $? -eq 125 ] && grep -q 'the laboratory is not installed' "$output" ||
    complain "help of a command of the laboratory, without it"
BERTH_STORE=$work "$work/alone/bin/berth" run --slots 1 alone -- true >"$output" 2>&1 ||
    complain "run without the other parts"

[ "$failures" -eq 0 ] && echo "all as expected"
exit $((failures > 0))
