#!/bin/bash
# The whole catalogue, every variant, at its least size: the fast way and the plain one agree
# (--paranoid). The pool, and the next size as far as both ways come in some seconds, with LONG=1.
set -u
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failures=0 checked=0 whole=0

list=$("$BERTH" protocols --json | python3 -c '
import json, sys
for protocol in json.load(sys.stdin)["protocols"]:
    for n in range(protocol["min_n"], min(protocol["min_n"] + '"${LONG:-0}"', protocol["max_n"]) + 1):
        print(protocol["protocol"], n)') || exit 1
while read -r protocol n; do
    case $protocol in
    pool*) [ -n "${LONG-}" ] || continue ;;
    esac
    "$BERTH" check "$protocol" -n "$n" --paranoid --time 5 --memory 1G >"$output" 2>&1
    status=$?
    checked=$((checked + 1))
    if grep -q '^paranoid: checked again' "$output" && [ "$status" -le 1 ]; then
        whole=$((whole + 1))
    elif ! grep -q '^incomplete: time ran out' "$output" &&
        ! { [ "$status" -eq 1 ] && grep -q '^paranoid: as far' "$output"; }; then
        echo "FAILED: $protocol -n $n: status $status"
        cat "$output"
        failures=$((failures + 1))
    fi
done <<<"$list"
echo "$checked sizes, $whole of them to the end, $failures on which the two ways do not agree"
[ "$checked" -ge 250 ] && [ "$whole" -ge 200 ] && [ "$failures" -eq 0 ]
