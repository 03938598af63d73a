#!/bin/bash
# Verdicts, confirmed by Spin: what `berth check --export promela` writes is explored by another
# program, which puts the processes together by itself. Where exclusion holds, it finds as many states;
# lockout is its formula under weak fairness. Skipped where Spin is not installed.
set -u
for tool in spin python3 cc; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME=$work/cache
mkdir "$work/cache"
cd "$work" || exit 1
failures=0
confirmed=0

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# field FILE EXPRESSION: of the JSON d
field() {
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# confirm PROTOCOL N PROPERTY ARGUMENT...
confirm() {
    local protocol=$1 n=$2 property=$3 holds states errors
    shift 3
    "$BERTH" check "$protocol" -n "$n" --only "$property" --whole --json "$@" >check.json 2>check.txt
    holds=$(field check.json 'd["claims"][0]["holds"]') || { cat check.txt; complain "$protocol"; return; }
    states=$(field check.json 'd["states"]')
    "$BERTH" check "$protocol" -n "$n" --export promela "$@" >model.pml || { complain "$protocol: no model"; return; }
    spin -a model.pml >spin.txt 2>&1 || { cat spin.txt; complain "$protocol: spin"; return; }
    if [ "$property" = exclusion ]; then
        cc -O1 -w -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -m100000 >pan.txt 2>&1
    else
        cc -O1 -w -DNFAIR=3 -o pan pan.c && ./pan -a -f -m100000 -N lockout_0 >pan.txt 2>&1
    fi
    errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.txt)
    case "$holds $errors" in
        'True 0' | 'False 1') ;;
        *) complain "$protocol n=$n $property: $holds here, $errors errors with Spin"; tail -n 30 pan.txt ;;
    esac
    if [ "$property $holds" = 'exclusion True' ]; then
        grep -qE "^ *$states states, stored" pan.txt ||
            { complain "$protocol n=$n: $states states here"; grep stored pan.txt; }
    fi
    confirmed=$((confirmed + 1))
}

confirm peterson 2 exclusion
confirm peterson 3 exclusion
confirm peterson/last-first 2 exclusion
confirm rp-two 2 exclusion
confirm burns-bit 3 exclusion
confirm burns-a 3 exclusion
confirm "$SRC/examples/protocol/ticket.c" 3 exclusion
confirm "$SRC/examples/protocol/ticket.c/short" 3 exclusion
# LIMIT, and processes that the checker exchanges.
confirm bakery 2 exclusion
confirm bakery/no-choosing 2 exclusion
sed -n '/^cat >seats.c/,/^END_OF_FILE$/p' "$SRC/tests/cli/own.sh" | sed '1d;$d' >seats.c
confirm ./seats.c 3 exclusion
confirm ./seats.c 2 lockout-free
confirm peterson 2 lockout-free
confirm "$SRC/examples/protocol/ticket.c" 2 lockout-free
confirm burns-bit 2 lockout-free

[ "$confirmed" -ge 14 ] || complain "only $confirmed verdicts were confirmed"
[ "$failures" -eq 0 ] && echo "$confirmed verdicts confirmed"
[ "$failures" -eq 0 ]
