#!/bin/bash
# The library as its users get it: installed into a folder of its own, found there by pkg-config and by
# CMake, and used by examples/library, in C and in C++, shared and static. BERTH is the command, beside
# which the build lies; SRC is the source folder.
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

# succeeds WHAT COMMAND...
succeeds() {
    local what=$1
    shift
    "$@" >"$output" 2>&1 || complain "$what: status $?"
}

prefix=$work/prefix
store=$work/store
mkdir -m 700 "$store"
export BERTH_STORE=$store

# Other tests install from the same build at the same time, each with its manifest under one name: until it is ours.
for _ in 1 2 3 4 5; do
    succeeds install cmake --install "$build" --prefix "$prefix"
    cp "$build/install_manifest.txt" "$work/manifest"
    grep -qvF "$prefix/" "$work/manifest" || break
done
[ "$failures" -eq 0 ] || exit 1
libdir=$(dirname "$(find "$prefix" -name libberth.so)")
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir

# --- what is installed ---

for file in include/berth.h "${libdir#"$prefix"/}/libberth.a" bin/berth; do
    [ -f "$prefix/$file" ] || complain "$file is not installed"
done
[ "$(readlink "$libdir/libberth.so")" = libberth.so.0 ] || complain "libberth.so is no link to .so.0"
[ "$(cd "$prefix/include" && find . -type f | sort | xargs)" = "./berth.h ./berth.hpp" ] ||
    complain "other headers than that of C and that of C++"

# berth top finds its other half where it was installed, and nothing of the build.
if [ -x "$build/berth-top" ]; then
    [ -n "$(find "$prefix" -path '*/berth/berth-top')" ] || complain "berth-top is not installed"
    succeeds "berth top, installed" "$prefix/bin/berth" top --once -d 0.1
fi

# A sanitizer's runtime is a library of its own and brings symbols of its own.
if nm -D "$libdir/libberth.so" | grep -qE '__(asan|ubsan|tsan)_'; then
    echo "SKIPPED: built with a sanitizer"
    exit $((failures == 0 ? 77 : 1))
fi

# --- symbols ---

readelf -d "$libdir/libberth.so" >"$output"
[ "$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$output")" = libc.so.6 ] ||
    complain "libberth.so needs something else than libc"
grep -q 'SONAME.*\[libberth\.so\.0\]' "$output" || complain "another soname than libberth.so.0"
grep -q TEXTREL "$output" && complain "libberth.so has text relocations"

# What the header declares is what the libraries define, and they define nothing else.
sed -n '/BERTH_API/,/;/p' "$prefix/include/berth.h" | grep -oE '\bberth_[a-z_]+\(' | tr -d '(' |
    sort -u >"$work/declared"
defined() { nm --defined-only --format=posix "$@" | awk 'NF > 1 {print $1}' | sort -u; }
defined -D "$libdir/libberth.so" | grep -v '^BERTH_[0-9.]*$' >"$work/versioned"
sed 's/@@BERTH_.*//' "$work/versioned" >"$work/shared"
grep -v '@@BERTH_[0-9.]*$' "$work/versioned" >"$output" && complain "symbols without a version"
defined -g "$libdir/libberth.a" >"$work/static"
for library in shared static; do
    diff "$work/declared" "$work/$library" >"$output" ||
        complain "the $library library does not define what berth.h declares (< declared, > defined)"
done
[ -s "$work/declared" ] || complain "no declarations were found"

# Nothing of the checker, nor the catalogue.
nm "$libdir/libberth.a" "$libdir/libberth.so" 2>/dev/null |
    grep -E ' (check_|stress_|protocol_(native|model|catalogue)|XXH)' >"$output" &&
    complain "parts of the checker are in the library"

# The command is started often: it asks no more of the dynamic linker than libc, if that. (Where there
# is no libjansson.a, it has to.)
readelf -d "$prefix/bin/berth" >"$output"
if ! grep -q '^BERTH_JANSSON_ARCHIVE:.*NOTFOUND' "$build/CMakeCache.txt" &&
    sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$output" | grep -qv '^libc\.so\.6$'; then
    complain "the command needs something else than libc"
fi

# --- the header alone ---

for standard in gnu99 c11 c17 c++11 c++17; do
    case $standard in
    c++*) compiler=${CXX:-c++} file=$work/header.cc ;;
    *) compiler=${CC:-cc} file=$work/header.c ;;
    esac
    command -v "$compiler" >/dev/null || continue
    echo '#include <berth.h>' >"$file"
    succeeds "berth.h as $standard" "$compiler" -std="$standard" -pedantic-errors -Wall -Wextra \
        -Werror -fsyntax-only -I"$prefix/include" "$file"
done

# --- pkg-config ---

[ "$(pkg-config --modversion berth)" = "$("$prefix/bin/berth" --version | sed 's/berth //')" ] ||
    complain "pkg-config knows another version than the command"
for example in worker deadline fence several; do
    # shellcheck disable=SC2046 # words
    succeeds "compile $example" "${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -Werror \
        "$SRC/examples/library/$example.c" $(pkg-config --cflags --libs berth) -pthread \
        -o "$work/$example"
    succeeds "run $example" timeout 60 "$work/$example"
    # shellcheck disable=SC2046
    succeeds "compile $example statically" "${CC:-cc}" -O2 -static \
        "$SRC/examples/library/$example.c" $(pkg-config --static --cflags --libs berth) \
        -o "$work/$example-static"
    succeeds "run $example, linked statically" timeout 60 env -u LD_LIBRARY_PATH \
        "$work/$example-static"
done
if command -v "${CXX:-c++}" >/dev/null; then
    # shellcheck disable=SC2046
    succeeds "compile plain.cc" "${CXX:-c++}" -std=c++11 -O2 -Wall -Wextra -Werror \
        "$SRC/examples/library/plain.cc" $(pkg-config --cflags --libs berth) -pthread \
        -o "$work/plain"
    succeeds "run plain" timeout 60 "$work/plain"
else
    echo "there is no C++ compiler: plain.cc was left out"
fi

# --- CMake ---

unset MAKEFLAGS MAKELEVEL MFLAGS
succeeds "configure with CMake" cmake -S "$SRC/examples/library" -B "$work/cmake" \
    -DCMAKE_PREFIX_PATH="$prefix"
succeeds "build with CMake" cmake --build "$work/cmake"
for example in worker deadline fence several; do
    succeeds "run $example of CMake" timeout 60 "$work/cmake/$example"
    succeeds "run $example-static of CMake" timeout 60 env -u LD_LIBRARY_PATH \
        "$work/cmake/$example-static"
done

# --- loaded at run time, and used by several threads ---

if command -v python3 >/dev/null; then
    succeeds "load from Python" timeout 60 python3 - "$libdir/libberth.so.0" <<'PYTHON'
import ctypes, sys, threading

berth = ctypes.CDLL(sys.argv[1])
berth.berth_reason.restype = berth.berth_version.restype = ctypes.c_char_p
pool = ctypes.c_void_p()
reasons = []


def fail():
    assert berth.berth_open(ctypes.byref(pool), b"no/name", None) != 0
    reasons.append(berth.berth_reason())


threads = [threading.Thread(target=fail) for _ in range(20)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(reasons) == 20 and all(b"no/name" in reason for reason in reasons), reasons
assert berth.berth_reason() == b""  # this thread has seen no failure
PYTHON
fi

# --- and taken away again ---

if [ -s "$work/manifest" ]; then
    succeeds uninstall "$SRC/tools/uninstall" '' "$work/manifest"
    [ -z "$(find "$prefix" ! -type d)" ] || complain "uninstall has left $(find "$prefix" ! -type d | head)"
fi

[ -z "$(ls "$store")" ] || complain "the examples left pools behind: $(ls "$store")"
[ "$failures" -eq 0 ] && echo "all as expected"
[ "$failures" -eq 0 ]
