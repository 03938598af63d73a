#!/bin/bash
# Two definitions that are easily read otherwise, with an example each (docs/CHECKER.md).
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME=$work
failures=0

# expect FILE LINE...: the file is as claimed, and its output has these lines.
expect() {
    local file=$1
    shift
    "$BERTH" check "$SRC/examples/definitions/$file" >"$work/output" 2>&1
    for line in "$@" '^as-claimed$'; do
        grep -qE -- "$line" "$work/output" && continue
        echo "FAILED: $file: no line \"$line\""
        cat "$work/output"
        failures=$((failures + 1))
    done
}

expect handover.c '^  fifo-enabling +fails' '^  first-in-first-enabled +holds'
expect resting.c '^  lockout-free +holds' '^  finite-waiting +fails'
[ "$failures" -eq 0 ] && echo "all as expected"
[ "$failures" -eq 0 ]
