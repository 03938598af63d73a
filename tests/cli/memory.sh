#!/usr/bin/env bash
# Too little memory is never an answer, and a witness that does not show its property is an error.
set -u

# answers NAME N SIZE: what was decided of each property, one line each, with SIZE of memory
answers() {
    "$BERTH" check "$1" -n "$2" --all --memory "$3" --json --threads 1 >"$work/out" 2>"$work/err"
    python3 - "$work/out" <<'PY'
import json, sys
text = open(sys.argv[1]).read()
for c in json.loads(text)["claims"] if text else []:
    print(c["property"], c["holds"], c["bound"] if c["holds"] is not None else "-")
PY
}

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
undecided=0
for subject in 'rp-n 3' 'pool/no-recheck 2'; do
    set -- $subject
    answers "$1" "$2" 2G >"$work/whole"
    [ "$(wc -l <"$work/whole")" -gt 10 ] || { echo "$1: $(cat "$work/err")"; exit 1; }
    for size in 300K 1M 3M 6M 9M 14M 33M; do
        answers "$1" "$2" "$size" >"$work/some"
        undecided=$((undecided + $(grep -c ' None ' "$work/some")))
        # What is decided is what was decided; a part of the states may do to show that something fails.
        grep -v ' None ' "$work/some" | sed 's/ False .*/ False/' | sort >"$work/said"
        sed 's/ False .*/ False/' "$work/whole" | sort >"$work/true"
        if [ -n "$(comm -23 "$work/said" "$work/true")" ]; then
            echo "$1 -n $2 --memory $size:"
            comm -23 "$work/said" "$work/true"
            exit 1
        fi
    done
done
[ "$undecided" -gt 10 ] || { echo "only $undecided times something was left undecided"; exit 1; }

if [ -x "${PLANTED:-}" ]; then
    "$PLANTED" check rp-two/one-fetch --only exclusion --fault death >"$work/out" 2>"$work/err"
    status=$?
    [ $status -eq 125 ] || { echo "a planted witness: status $status and not 125"; exit 1; }
    grep -q 'internal error: the witness of exclusion does not show it' "$work/err" ||
        { echo "a planted witness: $(cat "$work/err")"; exit 1; }
    [ ! -s "$work/out" ] || { echo "a planted witness is printed"; exit 1; }
    "$PLANTED" check peterson -n 3 --only exclusion >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
fi
