#!/bin/bash
# Pools on one etcd server: the commands behave as they do in a directory.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE=etcd://$hosts/test

# --- run: the environment, the command's status, what there is to say ---
expect 0 "$BERTH" run -j 2 gpu -- sh -c 'echo "$BERTH_POOL $BERTH_SLOT $BERTH_SLOTS"'
[ "$(cat "$output")" = "gpu 0 2" ] || complain "the environment"
expect 3 "$BERTH" run gpu -- sh -c 'exit 3'
expect 137 "$BERTH" run gpu -- sh -c 'kill -9 $$'
expect 127 "$BERTH" run gpu -- no-such-command
expect 125 "$BERTH" run -j 1 gpu -- true
grep -q 'has 2 slots, more than the 1 of -j' "$output" || complain "both numbers are to be named"
expect 0 "$BERTH" run -j 3 gpu -- true
grep -q 'has 2 slots, fewer than the 3 of -j' "$output" || complain "both numbers are to be named"
expect 0 "$BERTH" run --store "etcd://$hosts/test?ttl=5&timeout=3" gpu -- true
expect 2 "$BERTH" run --store "etcd://$hosts/test?ttl=1" gpu -- true
expect 2 "$BERTH" run --store "etcd://:99999/" gpu -- true
expect 2 "$BERTH" run no/name -- true

# --- tokens grow ---
one=$("$BERTH" run gpu -- sh -c 'echo $BERTH_TOKEN')
two=$("$BERTH" run gpu -- sh -c 'echo $BERTH_TOKEN')
[ "$two" -gt "$one" ] || complain "tokens: $one, then $two"

# --- who holds and who waits ---
hold line -j 1
for i in 1 2 3; do wait_for line "line$i"; done
state_is line '1 1 3' || complain "line: $(state line)"
"$BERTH" status --json line >"$output"
python3 - "$output" "$worker" <<'END' || complain "status --json"
import json, sys
pool = json.load(open(sys.argv[1]))["pools"][0]
assert pool["slots"] == 1 and pool["store"].endswith("/test"), pool
assert [h["pid"] for h in pool["holders"]] == [int(sys.argv[2])], pool
assert [w["place"] for w in pool["waiters"]] == [1, 2, 3], pool
assert all(u["host"] and u["command"] and u["since"] for u in pool["holders"] + pool["waiters"]), pool
END
expect 75 "$BERTH" run -n line -- true
expect 75 "$BERTH" run -w 0.2 line -- true
expect 9 "$BERTH" run -E 9 -n line -- true
state_is line '1 1 3' || complain "who gave up is still there: $(state line)"
expect 75 "$BERTH" wait -w 0.2 line
expect 1 "$BERTH" rm line

# --- in order, one after the other; and nothing is left ---
kill "$holder"
for i in 1 2 3; do eventually "line$i" test -s "$dir/line$i"; done
wait
[ "$(cat "$dir"/line1 "$dir"/line2 "$dir"/line3)" = "$(sort -n "$dir"/line[123])" ] ||
    complain "not in order: $(cat "$dir"/line[123])"
expect 0 "$BERTH" wait -w 5 line
state_is line '1 0 0' || complain "line afterwards: $(state line)"

# --- resize: more at once; fewer as they come free; none at all ---
hold line
wait_for line more
expect 0 "$BERTH" resize line 2
eventually "one more slot" test -s "$dir/more"
wait "$waiter"
expect 0 "$BERTH" resize line 0
expect 75 "$BERTH" run -w 0.2 line -- true
kill "$holder"
wait "$holder"
expect 75 "$BERTH" run -n line -- true
wait_for line zero
expect 0 "$BERTH" resize line 1
eventually "a slot again" test -s "$dir/zero"
wait
expect 1 "$BERTH" resize nowhere 1

# --- ls, rm ---
expect 0 "$BERTH" ls -q
[ "$(tr '\n' ' ' <"$output")" = "gpu line " ] || complain ls
expect 0 "$BERTH" rm gpu line
expect 0 "$BERTH" ls -q
[ ! -s "$output" ] || complain "ls after rm"
expect 1 "$BERTH" status gpu
ctl get --prefix / --keys-only >"$output"
[ "$(grep -c . "$output")" -eq 1 ] || complain "keys are left"

# --- many slots, each another one ---
pids=()
mkdir "$dir/slots"
"$BERTH" run -j 40 wide -- true
for i in $(seq 12); do
    "$BERTH" run wide -- sh -c 'mkdir "$0/$BERTH_SLOT" && sleep 1.5' "$dir/slots" &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || complain "wide: a slot was given twice"; done
[ "$(ls "$dir/slots" | wc -l)" -eq 12 ] || complain "wide: $(ls "$dir/slots")"

# --- the library: order and exclusion with many clients ---
for clients in 3 24; do
    expect 0 "$LOAD" "$BERTH_STORE" load$clients 2 $clients 600 200 "$dir/history"
    history_is_good "$dir/history" 2 600
done

# --- without the store's library ---
mkdir "$dir/alone"
cp "$BERTH" "$dir/alone/berth"
expect 125 "$dir/alone/berth" run gpu -- true
grep -q 'the etcd store is not installed' "$output" || complain "without the library"
finish
