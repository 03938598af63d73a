#!/bin/bash
# berth prove: what docs/PROOFS.md says is proved, refuted or open is so; each invariant is needed; the
# obligations as files are discharged by both solvers; a changed protocol is not proved. BERTH is the
# command under test, SRC the source. With LONG (make check-long), the pool is proved too,
# each invariant of every other protocol is left out once, and all files are read by both solvers. The
# pool's mutants take minutes each: `make check-long` tries them after this.
subcommand=prove
rows_in=claims
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

for tool in z3 cvc5 g++; do
    command -v $tool >/dev/null || { echo "SKIPPED: there is no $tool"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir" "$output"' EXIT

# The table: all rows of each protocol, and no others.
table() { sed -nE 's/^\| ([a-z/-]+) \| ([a-z-]+) \| (proved|refuted|open) \|.*/\1 \2 \3/p' "$SRC/docs/PROOFS.md"; }
proved_at() { # proved_at STATUS PROTOCOL [OPTION...]
    local status=$1 protocol=$2
    shift 2
    expect "$status" "$protocol" "$@" --json
    check "$protocol" 'd["version"] == 1' "sorted(r['property'] + ' ' + r['status'] for r in rows) == \
sorted('''$(table | sed -nE "s#^$protocol ##p")'''.splitlines())"
}
[ "$(table | wc -l)" -gt 80 ] || complain "docs/PROOFS.md: no table"
[ "$(table | cut -d' ' -f1 | sort -u | wc -l)" -eq 18 ] ||
    complain "docs/PROOFS.md: protocols that are not looked at here"
proved_at 0 burns-bit
proved_at 0 burns-a
check "burns-a" 'd["solver"] == "z3"' 'all(r["rests_on"] for r in rows)' \
    'any(r["property"] == "bounded-waiting" and r["bound"] == 1 for r in rows)'
proved_at 0 burns-b
proved_at 0 burns-c
proved_at 1 burns-c/printed
proved_at 0 flbb-count
proved_at 0 flbb-bank/a
proved_at 0 flbb-bank/b
proved_at 0 flbb-bank/c
proved_at 0 flbb-bank/fifo
proved_at 0 flbb-queue
proved_at 3 flbb-colored
proved_at 0 ticket-lock
proved_at 0 bakery
proved_at 3 peterson
if [ -n "${LONG-}" ]; then # some 23,000 obligations
    proved_at 0 pool
    check "pool" 'len(d["invariants"]) > 40' 'all(r["obligations"] > 10000 for r in rows \
if r["property"] in ("exclusion", "distinct-slots"))'
fi
[ "$("$BERTH" prove pool --rules | grep -c '^  (invariant ')" -gt 15 ] || complain "pool: no invariants"
proved_at 0 rp-n
proved_at 0 rp-two
check "rp-two" 'all("checker" in r["rests_on"] for r in rows)'

# The other solver.
expect 0 burns-bit --solver cvc5 --json
check "cvc5" 'd["solver"] == "cvc5"' 'd["verdict"] == "proved"'
# These two take it some seconds each: of them it gets some files below, and with LONG all obligations here.
for protocol in burns-a flbb-bank/a flbb-bank/fifo ticket-lock ${LONG:+bakery rp-n}; do
    expect 0 "$protocol" --solver cvc5 --property exclusion
done
expect 0 flbb-queue --solver cvc5

# Broken on purpose: never proved. What is shown is a state, and what the checker says of it.
for protocol in burns-bit/no-test burns-a/forgetful burns-a/no-holding burns-a/merged \
    burns-b/no-first-loop burns-b/forgetful flbb-count/torn flbb-bank/a/hasty flbb-bank/b/hasty \
    flbb-bank/c/hasty flbb-bank/fifo/hasty flbb-queue/hasty flbb-colored/few-colors ticket-lock/narrow ticket-lock/split \
    bakery/no-choosing peterson/last-first rp-n/printed rp-n/split-r-first rp-n/split-s-first; do
    expect 1 $protocol --json
    check "$protocol" 'd["verdict"] == "refuted"' \
        'all(r["status"] != "proved" or r["property"] == "no-memory" for r in rows)' \
        'any(r["state"] and (r["breaks"] or "than there are slots" in r["why"]) for r in rows)' \
        'all("reached" in r for r in rows if r["state"] and "waiting" not in r["property"] \
and r["property"] != "lockout-free")' \
        'all("refuted_at" in r for r in rows if r["status"] == "refuted")'
done
for protocol in flbb-bank/a/keeps rp-two/one-fetch rp-two/no-tie-break; do
    expect 1 $protocol --json
    check "$protocol" 'all(r["status"] == "refuted" for r in rows)'
done
expect 1 burns-a/merged
grep -q '^  the checker reaches this state with n = 3: the invariant is false$' "$output" ||
    complain "burns-a/merged: the state is not reached"
grep -q '^  the checker refutes it with n = 3' "$output" || complain "burns-a/merged: not refuted"
expect 1 peterson/last-first
grep -q '^  in the state n = [0-9]*; the one that moves, [0-9]*, at ' "$output" ||
    complain "peterson/last-first: no processes are shown"
grep -q '^  the checker reaches this state with n = 2: the invariant is false$' "$output" ||
    complain "peterson/last-first: the state is not reached"
expect 3 peterson --without 'a process that was seen below and comes up comes after' --property exclusion
grep -q '^  the checker does not reach this state with n = [0-9]*: the invariant is too weak here$' \
    "$output" || complain "peterson: not said to be too weak"

# Each invariant is needed for something that is proved with it.
quickest() { # a property of it that costs little to look at
    table | grep -q "^$1 no-memory" && echo no-memory || echo values
}
needed() {
    local protocol=$1 name proved
    "$BERTH" prove "$protocol" --property "$(quickest "$protocol")" --json >"$output" 2>&1
    python3 -IS -c 'import json, sys; print("\n".join(json.load(sys.stdin)["invariants"]))' \
        <"$output" >"$dir/names"
    proved=$(table | sed -nE "s#^$protocol ([a-z-]+) proved#\1#p" | paste -sd,)
    [ -s "$dir/names" ] || complain "$protocol: no invariants"
    while read -r name; do
        "$BERTH" prove "$protocol" --without "$name" --property "$proved" >"$output" 2>&1
        [ $? -eq 3 ] || complain "$protocol: \"$name\" is not needed"
    done <"$dir/names"
}
needed burns-bit
needed ticket-lock
if [ -n "${LONG-}" ]; then
    for protocol in peterson flbb-queue bakery burns-a burns-b burns-c flbb-count flbb-bank/a flbb-bank/b flbb-bank/c \
        flbb-bank/fifo flbb-colored rp-n; do
        needed $protocol
    done
fi
expect 3 burns-c --without 'an executive knows of N/2 others, at least' --property exclusion
grep -q 'the invariant is too weak' "$output" || complain "burns-c: not said to be too weak"

# As files, for both solvers; of most protocols some of the files.
for protocol in burns-bit burns-a burns-b burns-c flbb-count flbb-bank/a flbb-bank/b flbb-bank/c \
    flbb-bank/fifo flbb-queue ticket-lock bakery peterson rp-n; do
    every=29 number=0 files=$dir/smt-${protocol//\//-}
    case $protocol in burns-bit | flbb-count) every=1 ;; esac
    [ -z "${LONG-}" ] || every=1
    "$BERTH" prove $protocol --property "$(quickest $protocol)" --smt "$files" >"$output" 2>&1
    # shellcheck disable=SC2012 # the names are ours
    [ "$(ls "$files" | wc -l)" -gt 5 ] || complain "$protocol: no files"
    for file in "$files"/*; do
        [ $((number++ % every)) -eq 0 ] || continue
        [ "$(z3 -T:60 "$file")" = unsat ] || complain "z3: ${file##*/} of $protocol"
        [ "$(cvc5 --tlimit=60000 "$file")" = unsat ] || complain "cvc5: ${file##*/} of $protocol"
    done
done

# Without a solver: it says what to install, and still writes.
mkdir "$dir/nothing"
PATH=$dir/nothing "$BERTH" prove burns-bit >"$output" 2>&1
[ $? -eq 3 ] && grep -q 'package z3' "$output" || complain "without a solver"
PATH=$dir/nothing "$BERTH" prove burns-bit --smt "$dir/alone" >"$output" 2>&1
[ $? -eq 3 ] && [ -e "$dir/alone" ] && [ -n "$(ls "$dir/alone")" ] || complain "--smt without a solver"

# From here on, many files are read as rules, by a C++ compiler.
headers=$dir/headers
"$SRC/tools/rules" --precompile g++ "$SRC" "$headers" || complain "no headers"

# A changed line changes the rules. That they are read from the file is seen at the source.
mkdir -p "$dir/tree/src" && cp -r "$SRC/src/step" "$SRC/src/check" "$SRC/src/protocol" "$dir/tree/src" ||
    complain "no copy"
changed() { # changed PROTOCOL FILE-OF-IT FILE FROM TO
    local protocol=$1 main=$2
    shift 2
    cp "$SRC/src/protocol/$1" "$dir/tree/src/protocol/$1"
    sed -i "s/$2/$3/" "$dir/tree/src/protocol/$1"
    "$SRC/tools/rules" g++ "$dir/tree" "$dir/tree/src/protocol/$main" "$dir/changed" "$headers" 2>"$output"
    "$BERTH" prove "$protocol" --rules >"$dir/rules"
    cmp -s "$dir/changed" "$dir/rules" && complain "$1: $2 -> $3: the same rules"
    grep -q '^(variant 0' "$dir/changed" || complain "$1: $2 -> $3: no rules"
    cp "$SRC/src/protocol/$1" "$dir/tree/src/protocol/$1"
}
changed burns-a burns/a.c burns/a.c 'cell(V, n + 6)' 'cell(V, n + 5)'
changed burns-a burns/a.c burns/move.inc 'BUFF += v - 1; MAIN += 1' 'BUFF += v; MAIN += 1'
changed flbb-queue flbb/queue.c flbb/queue.c 'place_of(V, ME) < l' 'place_of(V, ME) <= l'
if [ -n "${LONG-}" ]; then
    changed burns-a burns/a.c burns/send.inc 'ON(v == ACK, S(0))' 'ON(true, S(0))'
    changed flbb-bank/a flbb/bank_a.c flbb/bank.inc 'shared->count += 1' 'shared->count += 2'
    changed flbb-queue flbb/queue.c flbb/queue.c 'V->length -= 1' 'V->length -= 0'
fi
[ -n "${LONG-}" ] && every=1 || every=23
"$SRC/tests/prove/mutate" "$BERTH" "$SRC" --except pool --every $every --table "$SRC/docs/PROOFS.md" \
    --headers "$headers" >"$output" 2>&1 || complain "tests/prove/mutate"
changed peterson classic/peterson.c classic/peterson.c 'theirs >= j' 'theirs > j'
changed rp-n rivest-pratt/n.c rivest-pratt/n.c 'DIES(P\[ME\], D)' 'DIES(P[ME], 1)'

expect 2 nobody
expect 2 burns-a --solver yices
expect 2 burns-a --property nothing
expect 2
expect 3 flbb-colored/decrement-first
finish
