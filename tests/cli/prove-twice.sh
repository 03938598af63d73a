#!/bin/bash
# The second derivation of proofs (tests/oracle/proofs.py), which shares no code with berth: what docs/PROOFS.md says is
# proved, it proves from the exported system, and nothing else. By z3, and some of it by cvc5. BERTH is the command under
# test, SRC the source. With LONG (make check-long), of every protocol that it covers, by both solvers.
set -u

for tool in z3 cvc5 g++; do
    command -v $tool >/dev/null || { echo "SKIPPED: there is no $tool"; exit 77; }
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0
complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
[ "$(wc -l <"$SRC/tests/oracle/proofs.py")" -le 600 ] || complain "the second derivation has more than 600 lines"

# agrees PROTOCOL [OPTION...]: every row of the table with this answer; what is not covered is not a row of these.
agrees() {
    local protocol=$1 property status answer
    shift
    "$BERTH" prove "$protocol" --export system >"$dir/system" || complain "$protocol: no system"
    python3 "$SRC/tests/oracle/proofs.py" "$dir/system" --seconds 120 "$@" >"$dir/answers" || complain "$protocol: no answers"
    while read -r property status; do
        answer=$(sed -nE "s/^$property ([a-z]+( covered)?).*/\1/p" "$dir/answers")
        case $status in refuted) status=open ;; esac
        [ "$answer" = "$status" ] || [ "$status $answer" = "open not covered" ] ||
            complain "$protocol $*: $property: $status in docs/PROOFS.md, and here: $(grep "^$property " "$dir/answers")"
    done < <(sed -nE "s#^\| $protocol \| ([a-z-]+) \| (proved|refuted|open) \|.*#\1 \2#p" "$SRC/docs/PROOFS.md")
    [ -s "$dir/answers" ] || complain "$protocol: nothing is claimed"
}
agrees burns-bit
agrees ticket-lock
agrees flbb-count
agrees burns-bit --solver cvc5
agrees flbb-count --solver cvc5
if [ -n "${LONG-}" ]; then
    for protocol in burns-a burns-b burns-c burns-c/printed flbb-bank/a flbb-bank/b flbb-bank/c flbb-bank/fifo bakery peterson; do
        agrees $protocol
    done
    agrees ticket-lock --solver cvc5
fi

# What it has no method for, it says; and what is broken is not proved.
python3 "$SRC/tests/oracle/proofs.py" <("$BERTH" prove flbb-queue --export system) | grep -q proved &&
    complain "flbb-queue: proved without a method"
for variant in burns-bit/no-test ticket-lock/narrow flbb-count/torn; do
    "$BERTH" prove $variant --export system >"$dir/system"
    python3 "$SRC/tests/oracle/proofs.py" "$dir/system" | grep -q '^exclusion proved' && complain "$variant is proved"
done
sed 's/(cell V /(cell W /' "$dir/system" | python3 "$SRC/tests/oracle/proofs.py" - >"$dir/answers" 2>&1 &&
    grep -q proved "$dir/answers" && complain "a system with a variable that nobody declared is proved"
[ $failures -eq 0 ] || exit 1
