#!/bin/sh
# The model expansion of a protocol is plain C: no libc, no globals of others, nothing but what the
# naming of values and the layout need. Looks at the names that the objects of the build, which the checker
# runs, leave undefined; MODELS is a list of these. (That the steps compile for a GPU is seen in the build, where clang
# knows one: cmake/gpu.cmake.)
set -eu

: "${SRC:?the source directory}"
[ -n "${MODELS-}" ] || { echo "SKIPPED: built with a sanitizer, which calls its own"; exit 77; }
CC=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# step_text:            SHOW sections, which name values for people
# step_slip_text, step_initial_wrong: words for a person, where a step must not be made
# __start_ and __stop_berth_marks_*: the labels of the file, as the linker has put them together
# step_memory_open:     store buffers and weak registers, which are around the steps and not in them
# step_layout_*:        where fields lie in a packed state, before any step is made
# strcmp:               HOMES, which finds a variable by its name before any step is made
# memset memcpy memcmp memmove: the compiler's own way to clear, copy and compare structures
# __stack_chk_fail _GLOBAL_OFFSET_TABLE_: the compiler's, where the platform builds that way
allowed='^(step_text|step_memory_open|step_layout_[a-z_]*|step_slip_text|step_initial_wrong|__st(art|op)_berth_marks_[a-z0-9_]*'
allowed="$allowed|strcmp|memset|memcpy|memcmp|memmove|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)\$"

# compile SOURCE OBJECT
compile() {
    "$CC" -std=gnu17 -O2 -D_GNU_SOURCE= -DSTEP_MODEL -I"$SRC/src" -I"$SRC/include" -w -c "$1" -o "$2"
}

# foreign OBJECT: the undefined names that are not allowed
foreign() {
    nm --undefined-only --format=posix "$1" | cut -d' ' -f1 | grep -Ev "$allowed" || true
}

failed=0
count=0
while read -r object; do
    names=$(foreign "$object")
    if [ -n "$names" ]; then
        echo "${object##*/protocol_model.dir/}: the model expansion uses $(echo "$names" | tr '\n' ' ')"
        failed=1
    fi
    count=$((count + 1))
done <"$MODELS"
sources=$(find "$SRC/src/protocol" -mindepth 2 -name '*.c' | wc -l)
if [ "$count" -eq 0 ] || [ "$count" -ne "$sources" ]; then
    echo "$count objects of $sources protocols"
    failed=1
fi

# The check itself: a step that asks the environment is found.
sed 's/^EXIT$/EXIT (void)getenv("HOME");/; 1i\
char *getenv(const char *name);' "$SRC/src/protocol/burns/bit.c" >"$work/asks.c"
compile "$work/asks.c" "$work/asks.o"
if [ "$(foreign "$work/asks.o")" != getenv ]; then
    echo "a step that calls getenv was not found"
    failed=1
fi

exit "$failed"
