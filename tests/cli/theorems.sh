#!/bin/bash
# The table of theorems: a command that does not do what tools/theorems says is complained about. That all of
# them do is for cli/results, which makes the same table; with LONG=1 it is made here too.
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
set -u
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

complain() {
    echo "FAILED: $*"
    cat "$work/output"
    failures=$((failures + 1))
}

row='^| Fischer et al. 1979, Theorem 4.2 .*queuelike holds claimed'
grep -q "$row" "$SRC/docs/results/RESULTS.md" || complain "no row for Theorem 4.2"
if [ -n "${LONG-}" ]; then
    "$SRC/tools/results" --theorems >"$work/output" 2>&1 ||
        complain "some command does not do as it should"
    grep -q "$row" "$work/output" || complain "no row for Theorem 4.2"
fi

# Wrong on purpose: a status, a line that is not printed, a theorem that is not in the list.
mkdir "$work/tools"
cp "$SRC/tools/results" "$SRC/tools/results_html.py" "$work/tools"
plant() {
    rm -rf "$work/tools/theorems"
    mkdir "$work/tools/theorems"
    echo "A, Theorem 1: something" >"$work/tools/theorems/numbers"
    printf 'theorem: %s\nrun: check burns-bit -n 2\nstatus: %s\nshow: %s\n' "$@" \
        >"$work/tools/theorems/some.txt"
    "$work/tools/results" --theorems >"$work/output" 2>&1
}
plant "A, Theorem 1" 0 exclusion || complain "a right one is complained about"
plant "A, Theorem 1" 1 exclusion && complain "a wrong status is not seen"
plant "A, Theorem 1" 0 'no such line' && complain "a missing line is not seen"
plant "A, Theorem 2" 0 exclusion && complain "a theorem that is not listed is not seen"
plant "A, Theorem 1" 0 exclusion || complain "a right one is complained about"
rm "$work/tools/theorems/some.txt"
"$work/tools/results" --theorems >"$work/output" 2>&1 && complain "a theorem without a command and without a reason is not seen"
echo "A, Theorem 1: something | on paper" >"$work/tools/theorems/numbers"
"$work/tools/results" --theorems >"$work/output" 2>&1 || complain "a theorem with a reason is complained about"
grep -q '^| A, Theorem 1 | something | - | on paper |' "$work/output" || complain "the reason is not shown"

# Each numbered item of a paper has a line: the numbers follow each other without a gap.
"$SRC/tools/theorems/gaps" "$SRC/tools/theorems/numbers" >"$work/output" || complain "an item of a paper has no line"

[ "$failures" -eq 0 ] && echo "all as expected"
exit $((failures > 0))
