#!/bin/bash
# Those who wait are told of what they wait for: they ask for nothing meanwhile; a pool that was made larger by somebody
# who died before serving anybody is used soon; and so is a slot when all die at once but the last in line.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/news?ttl=3"

# rests: no transaction for two seconds.
rests() {
    local before
    before=$(metric grpc_server_handled_total 'grpc_method="Txn"')
    sleep 2
    [ "$(metric grpc_server_handled_total 'grpc_method="Txn"')" -eq "$before" ]
}
held() { [ "$(ctl get --prefix "/news/use/pool/s/" --keys-only | grep -c s/)" -eq "$1" ]; }

# One that holds and five that wait, in one process, with one guardian; and one more.
LOAD_HANDLES=1 "$LOAD" "$BERTH_STORE" pool 1 6 100 60000000 "$dir/history" >"$dir/loaded" 2>&1 &
load=$!
echo "$load" >>"$dir/pids"
eventually "five wait" waiting pool 5
wait_for pool survivor
eventually "all of them rest" rests

# 2 slots, with a longest lease of 3 s: as `berth resize` puts it.
printf '\x08\x01\x10\x02\x18\x03' | ctl put /news/pools/pool >"$output" || complain "the pool's key"
resized=$(now_ms)
eventually "the second slot is given to somebody" held 2
took=$(($(now_ms) - resized))
echo "the slot of a larger pool: $took ms"
[ "$took" -le 6000 ] || complain "the slot of a larger pool was found after $took ms"
eventually "the others rest" rests

died=$(now_ms)
kill -KILL "$(pgrep -P "$load" berth-guardian)" "$load"
within "the last in line" "$died" 12000 survivor
finish
