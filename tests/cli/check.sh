#!/bin/sh
# berth check as a person uses it: answers, statuses, bad input, files.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect STATUS WORDS... : runs berth with WORDS; its output is in $dir/out and $dir/err
expect() {
    wanted=$1
    shift
    "$BERTH" "$@" >"$dir/out" 2>"$dir/err"
    status=$?
    [ "$status" -eq "$wanted" ] || fail "berth $*: status $status, expected $wanted"
}
one_line_error() {
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$1: not one line on standard error"
    grep -q '^berth: ' "$dir/err" || fail "$1: the error does not begin with berth:"
    [ ! -s "$dir/out" ] || fail "$1: something on standard output"
}
field() { # of the JSON object in $dir/out
    python3 -c "import json,sys; d=json.load(open('$dir/out')); print(eval('d' + sys.argv[1]))" "$1"
}

# Answers.
expect 0 check rp-two
grep -q '^as-claimed$' "$dir/out" || fail "rp-two is not as claimed"
expect 0 check rp-two --json
[ "$(field "['states']")" = 349 ] || fail "rp-two: states"
[ "$(field "['version']")" = 1 ] || fail "no version"
[ "$(field "['verdict']")" = as-claimed ] || fail "rp-two: verdict"
for key in protocol n l k fault bounded states transitions values values_claimed seconds \
    bytes_per_state claims verdict; do
    field "['$key']" >/dev/null || fail "no field $key"
done
for key in property claimed holds bound source witness_steps; do
    field "['claims'][0]['$key']" >/dev/null || fail "no field $key in a claim"
done
expect 1 check rp-n/printed -n 2
grep -q '^exclusion fails: 2 processes are critical at once$' "$dir/out" || fail "no witness"
expect 1 check burns-c/printed -n 5
grep -q 'from here on for ever' "$dir/out" || fail "no cycle in the witness of a lockout"
expect 0 check burns-c -n 5
expect 0 check burns-bit -n 3 --fault sleep -k 2 --all
expect 0 check rp-two --fault none

# Bad input: one clear line, status 2, nothing else.
for words in "check" "check nonesuch" "check rp-two/nonesuch" "check rp-two -n 3" "check rp-two -n x" \
    "check burns-a -n 0" "check burns-a -n 99" "check burns-a -n" "check burns-a -l 2" \
    "check burns-a -k 9" "check burns-a --fault fire" "check burns-a --fault death" \
    "check burns-a --fault kill" "check burns-a --memory lots" "check burns-a --time -1" \
    "check burns-a --threads 0" "check burns-a --only beauty" "check burns-a rp-two" \
    "check burns-a --frobnicate" "check burns-a --witness $dir/none/file" "protocols nonesuch" \
    "check burns-a --only distinct-slots" "check burns-a --kills 2" "check burns-a --limit 3" \
    "check burns-a --export fax" "check burns-a --simulate --steps 0" "nonesuch"; do
    # shellcheck disable=SC2086
    expect 2 $words
    one_line_error "$words"
done
expect 2
one_line_error "no command"

# Memory and time run out: incomplete, never a pass.
expect 3 check peterson -n 5 --memory 8M --json
[ "$(field "['verdict']")" = incomplete ] || fail "verdict is not incomplete"
[ "$(field "['claims'][0]['holds']")" = None ] || fail "an incomplete run decided exclusion"
expect 3 check peterson -n 5 --time 0.05
grep -q '^incomplete: time ran out$' "$dir/out" || fail "does not say that time ran out"
expect 3 check peterson -n 4 --memory 4K
# A violation found in an incomplete run is one.
expect 1 check peterson/last-first -n 4 --memory 8M --threads 1 --only exclusion

# Witness files: text and JSON, whole or not at all.
expect 1 check rp-two/one-fetch --witness "$dir/w.txt"
grep -q '^exclusion fails' "$dir/w.txt" || fail "no witness in the text file"
expect 1 check rp-two/one-fetch --witness "$dir/w.json"
python3 - "$dir/w.json" <<'END' || fail "the witness is not what it should be"
import json, sys
w = json.load(open(sys.argv[1]))
run = w['witnesses'][0]
assert w['protocol'] == 'rp-two/one-fetch' and run['property'] == 'exclusion'
assert [s['region'] for s in run['steps'][-2:]].count('critical') >= 1
END
before=$(ls "$dir")
expect 2 check rp-two/one-fetch --witness "$dir"
[ "$(ls "$dir")" = "$before" ] || fail "a file was left behind"
if "$BERTH" check rp-two >/dev/full 2>"$dir/err"; then fail "a full disk is not noticed"; fi
grep -q 'standard output' "$dir/err" || fail "a full disk is not named"

# Symmetry and threads do not change answers.
for options in "" "--no-symmetry" "--threads 1" "--threads 4"; do
    # shellcheck disable=SC2086
    expect 1 check burns-c/printed -n 6 --json $options
    field "['states'], d['transitions'], [(c['property'], c['holds'], c['bound']) for c in d['claims']]" \
        >>"$dir/answers"
done
[ "$(sort -u "$dir/answers" | wc -l)" -eq 1 ] || fail "answers differ: $(cat "$dir/answers")"

# Silent in a pipe.
expect 0 check burns-a -n 6
[ ! -s "$dir/err" ] || fail "something on standard error in a pipe"

expect 0 protocols --json
[ "$(field "['version']")" = 1 ] || fail "protocols: no version"
expect 0 protocols peterson
grep -q 'exclusion .*claimed .*\[Peterson 1981\]' "$dir/out" || fail "protocols peterson: no claims"
grep -q '^peterson/last-first: ' "$dir/out" || fail "protocols peterson: no variants"
# One column, also where the name of a property is long.
columns() { awk -v from="$1" 'index($0, from) == 1, /^$/' "$dir/out" | sed -nE "s/^(  [a-z-]+ +)($2).*/\\1/p" |
    awk '{ print length }' | sort -u | wc -l; }
expect 0 protocols pool
grep -q '^  strong-first-in-first-enabled ' "$dir/out" || fail "protocols pool: no long name"
[ "$(columns 'pool: the pool' '(not )?claimed')" = 1 ] || fail "protocols pool: no column"
expect 0 check flbb-queue -n 2 --all
grep -q '^  strong-first-in-first-enabled ' "$dir/out" || fail "check flbb-queue --all: no long name"
[ "$(columns '  exclusion' '(holds|fails)')" = 1 ] || fail "check flbb-queue --all: no column"
expect 0 protocols peterson/last-first

# A safety property that fails ends the exploration; --whole explores the rest.
expect 1 check peterson/last-first -n 4 --only exclusion --json
early=$(field "['states']")
expect 1 check peterson/last-first -n 4 --only exclusion --whole --json
[ "$early" -lt "$(field "['states']")" ] || fail "the exploration did not end early"
expect 1 check peterson/last-first -n 3
[ "$(tail -n 1 "$dir/out")" = "refuted: the rest was not explored (--whole explores it)" ] ||
    fail "the verdict is not the last line"

# What is known when it ends before the end.
expect 3 check peterson -n 5 --time 0.3 --only exclusion
grep -q '^no violation of exclusion up to depth [0-9]*$' "$dir/out" || fail "does not say how far it came"
# The time is kept while properties are decided, too.
expect 3 check peterson -n 4 --all --time 0.02
[ "$(tail -n 1 "$dir/out")" = "incomplete: time ran out" ] || fail "--time: the verdict"
"$BERTH" check peterson -n 6 --only exclusion >"$dir/out" 2>"$dir/err" &
pid=$!
sleep 1
kill -INT $pid
wait $pid
[ $? -eq 3 ] || fail "Ctrl-C does not end with what is known"
grep -q '^incomplete: interrupted$' "$dir/out" || fail "does not say that it was interrupted"
grep -q '^no violation of exclusion up to depth' "$dir/out" || fail "interrupted: how far it came"

# What is not claimed is explained on request.
expect 0 check peterson -n 3
grep -q 'fifo fails' "$dir/out" && fail "a witness of what is not claimed"
grep -q -- '--explain' "$dir/out" || fail "no hint at --explain"
expect 0 check peterson -n 3 --explain
grep -q '^fifo fails' "$dir/out" || fail "--explain shows nothing"
# The sentence above a witness of one overtaking is about that one; for bounded waiting with a
# cycle, it is about all of them.
expect 0 check burns-bit -n 3 --only fifo,bounded-waiting --explain
overtakes='while process 0 waits, process 1 goes from remainder to critical'
grep -qx "fifo fails: $overtakes, and so overtakes it" "$dir/out" || fail "fifo is said to fail otherwise"
grep -qx "bounded-waiting fails: $overtakes without bound" "$dir/out" || fail "no bound is said otherwise"

# Again without what makes it fast.
expect 0 check peterson -n 3 --paranoid
grep -q '^paranoid: checked again' "$dir/out" || fail "--paranoid did nothing"
expect 0 check burns-a -n 5 --paranoid

# Random walks find what is easy to find, and prove nothing.
expect 3 check peterson -n 8 --simulate --time 0.5
grep -q 'nothing is proved' "$dir/out" || fail "--simulate claims something"
grep -q '^labels: [0-9]* taken, of 5' "$dir/out" || fail "no coverage"
expect 1 check peterson/last-first -n 2 --simulate --seed 7
grep -q '^exclusion fails, after' "$dir/out" || fail "--simulate did not find it"
expect 3 check peterson -n 4 --simulate --steps 100 --time 0.2 --json
[ "$(field "['verdict']")" = incomplete ] || fail "--simulate --json: verdict"

# The names that there are, after one that there is not.
expect 2 check peterson --only lockout-fre
grep -q 'lockout-fre.*lockout-free' "$dir/err" || fail "no suggestion for lockout-fre"
grep -q 'properties: exclusion, .*rmr-super-passage' "$dir/err" || fail "the names of properties are not listed"

# Exports: as many states and transitions as there are.
expect 0 check peterson -n 2 --export aut
[ "$(head -n 1 "$dir/out" | sed 's/^des ([0-9]*, //')" = "64, 32)" ] || fail "aut: the heading"
[ "$(grep -c '^(' "$dir/out")" -eq 64 ] || fail "aut: transitions"
expect 0 check peterson -n 2 --export dot
[ "$(grep -c -- '->' "$dir/out")" -eq 64 ] || fail "dot: transitions"
expect 0 check peterson -n 2 --export tla
grep -q '^Exclusion ==' "$dir/out" || fail "tla"
expect 2 check flbb-buckets --export promela
one_line_error "promela of one variable"

expect 0 --help
expect 0 --version
for command in check protocols space stress; do expect 0 $command --help; done

[ "$failures" -eq 0 ] && echo "check: all as expected"
exit $((failures > 0))
