#!/bin/bash
# berth prove ./lock.c: files outside the tree, with an installed berth in an empty folder, a C++ compiler and a solver.
# Files that are wrong are not proved either when the checker may be asked.
set -u

for tool in z3 g++; do
    command -v $tool >/dev/null || { echo "SKIPPED: there is no $tool"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME=$work/cache
mkdir "$work/cache" "$work/empty" "$work/tools"
failures=0
output=$work/output
cmake --install "$(dirname "$BERTH")" --prefix "$work/prefix" >"$output" 2>&1 || { cat "$output"; exit 1; }
berth=$work/prefix/bin/berth
cd "$work/empty" || exit 1

complain() {
    echo "FAILED: $*"
    cat "$output"
    failures=$((failures + 1))
}
expect() { # expect STATUS TEXT ARGUMENT...
    local expected=$1 text=$2 status
    shift 2
    "$berth" prove "$@" >"$output" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || complain "$*: status $status, not $expected"
    grep -qF -- "$text" "$output" || complain "$*: no \"$text\""
}

# A file of the catalogue is an own file too, with the same answer; and its variants, its rules and its obligations.
cp "$SRC/src/protocol/queue/ticket_lock.c" lock.c
expect 0 'exclusion          proved' ./lock.c
[ "$(grep -c ' proved ' "$output")" -eq 8 ] || complain "./lock.c: not all is proved"
expect 1 'the checker refutes it with n = 2' ./lock.c/narrow
expect 0 '(rule ' ./lock.c --rules
expect 0 '"status": "proved"' ./lock.c --property fifo --json
expect 0 'obligations written to' ./lock.c --property no-memory --smt files
[ "$(find files -name '*.smt2' | wc -l)" -gt 20 ] || complain "--smt: few files"
for file in files/exclusion-*; do
    [ "$(z3 -T:60 "$file")" = unsat ] || complain "$file"
done

# A line that is changed: the proof does not hold any more, and the state that breaks it is reached.
sed 's/serving == my_ticket/serving <= my_ticket/' lock.c >wrong.c
expect 1 'the checker refutes it with n = 2' ./wrong.c --property exclusion
grep -q 'the checker reaches this state' "$output" || complain "wrong.c: the state is not reached"

# What does not fit together, and what is missing.
expect 2 'cannot read ./nothing.c' ./nothing.c
sed 's/HAS_NAMES/HAS_NO_NAMES/' lock.c >nameless.c
expect 3 'which is nothing here' ./nameless.c
for tool in berth cc gcc as ld cat z3 env sh; do
    [ -x "$(command -v $tool)" ] && ln -s "$(command -v $tool)" "$work/tools/$tool"
done
PATH=$work/tools "$berth" prove ./lock.c >"$output" 2>&1
[ $? -eq 3 ] && grep -q 'a C++ compiler is needed' "$output" || complain "without a C++ compiler"
CXX=/nowhere/c++ "$berth" prove ./lock.c >"$output" 2>&1
[ $? -eq 3 ] && grep -q 'a C++ compiler is needed' "$output" || complain "with a C++ compiler that is not there"

# Nothing false is proved, whichever sizes the checker is asked about.
for file in assumed_later assumed4 constants4 clash4 fed4 first_come; do
    "$berth" prove "$SRC/tests/prove/traps/$file.c" >"$output" 2>&1
    status=$?
    [ $status -eq 1 ] || [ $status -eq 3 ] || complain "$file: status $status"
    case $file in fed4) continue ;; esac # its order and its progress are as claimed
    grep -qE '^  [a-z-]+ +proved' "$output" && complain "$file: something is proved"
done
"$berth" prove "$SRC/tests/prove/traps/assumed_later.c" --property exclusion >"$output" 2>&1
grep -q '"nobody is there" is not so after' "$output" || complain "assumed_later: no run to where it is not so"
[ $failures -eq 0 ] || exit 1
