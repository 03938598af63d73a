#!/bin/bash
# `berth run` gets its slot in the request that opens the pool (docs/ETCD.md). The answer to that is held back: the
# request is repeated, and the slot is given once; or it is given up, and the guardian gives the slot back, so that
# the next client does not have to wait until the lease expires.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
exec 2>"$dir/reports"
export BERTH_STORE="etcd://$hosts/way"
expect 0 "$BERTH" run x -- true

# way: answers wait from the request on that puts a client's key.
way() {
    "$SRC/tests/etcd/hold-answers" $((base + 6)) "$base" use/x/c/ >"$dir/way" &
    way=$!
    eventually "the way is there" grep -q ready "$dir/way"
}
end_way() {
    kill "$way"
    wait "$way"
}
used() { ctl get --prefix /way/use/x/u/ --keys-only | grep -c use; }
nothing_is_used() { [ "$(used)" -eq 0 ]; }
way_in="etcd://127.0.0.1:$((base + 6))/way?ttl=60&timeout"

# --- it comes late ---
way
"$BERTH" run --store "$way_in=20" x -- sh -c 'echo "$BERTH_SLOT $BERTH_TOKEN" >"$0"; sleep 1' "$dir/ran" &
run=$!
eventually "the slot is held" state_is x '1 1 0'
[ ! -e "$dir/ran" ] || complain "the command was started before the answer came"
token=$(ctl get /way/use/x/s/0000 -w json | sed 's/.*"mod_revision":\([0-9]*\).*/\1/')
sleep 2.5 # it is asked again, on another connection
kill -USR2 "$way"
eventually "the command is started" test -s "$dir/ran"
[ "$(cat "$dir/ran")" = "0 $token" ] || complain "slot and token: $(cat "$dir/ran"), and not 0 $token"
state_is x '1 1 0' || complain "while it runs"
wait "$run" || complain "a late answer: status $?"
state_is x '1 0 0' || complain "it is not given back"
nothing_is_used || complain "a slot is still used"
end_way

# --- it does not come ---
way
start=$(now_ms)
expect 125 "$BERTH" run --store "$way_in=2" x -- touch "$dir/never"
took=$(($(now_ms) - start))
echo "without an answer: $took ms, $(cat "$output")"
[ "$took" -le 3000 ] || complain "it waits for longer than its time-out"
[ ! -e "$dir/never" ] || complain "the command was started without a slot"
state_is x '1 1 0' || complain "the slot was not had"
kill -USR2 "$way"
eventually "the guardian gives the slot back" state_is x '1 0 0'
eventually "it is not used any more" nothing_is_used
start=$(now_ms)
expect 0 "$BERTH" run -n x -- true
echo "the next: $(($(now_ms) - start)) ms"
end_way

# --- somebody waits, or the slot is held: it is not had with the way in ---
hold x
"$BERTH" run x -- true &
first=$!
eventually "one waits" waiting x 1
"$BERTH" run x -- true &
second=$!
eventually "two wait" waiting x 2
kill "$worker"
wait "$first" || complain "the first"
wait "$second" || complain "the second"
wait "$holder"
finish
