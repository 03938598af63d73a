#!/bin/bash
# A build as a packager makes it: no preset, no options. It asks for neither -Werror nor cmocka, and the
# default target is the product without the tests. SRC is the source folder. Nothing is compiled here:
# what would be is read from what CMake has generated.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failures=0

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# A pkg-config that knows no cmocka.
real=$(command -v pkg-config) || { echo "FAILED: no pkg-config"; exit 1; }
cat >"$work/pkg-config" <<END
#!/bin/sh
for argument; do case \$argument in cmocka*) exit 1 ;; esac; done
exec "$real" "\$@"
END
chmod +x "$work/pkg-config"

PKG_CONFIG=$work/pkg-config timeout 300 cmake -G 'Unix Makefiles' -S "$SRC" -B "$work/build" \
    >"$work/output" 2>&1 || { cat "$work/output"; complain "cmake fails"; exit 1; }
grep -i 'CMake Warning' "$work/output" && complain "cmake warns"
grep -q 'cmocka is not installed' "$work/output" || complain "cmocka was found nevertheless"
grep -q -- -Werror "$work/build/compile_commands.json" && complain "-Werror, which nobody asked for"
grep -q '"file": ".*/src/pool/library.c"' "$work/build/compile_commands.json" ||
    complain "the library is not compiled"

# What the default target is made of, and the target that is the tests.
made="$work/build/CMakeFiles/Makefile2"
grep -qE '^all: CMakeFiles/libberth\.dir/all$' "$made" || complain "the default target has no library"
grep -E '^all: tests/' "$made" && complain "the default target builds tests"
grep -qE '^CMakeFiles/tests\.dir/all: tests/torture/CMakeFiles/berth-torture\.dir/all$' "$made" ||
    complain "the target tests does not build the torture"

[ "$failures" -eq 0 ] && echo "all as expected"
exit $((failures > 0))
