#!/bin/bash
# When a lease ends, its holder may have to learn of it first: nobody has the slot for half a lease, and then
# whoever waits has it soon. The lease is ended by hand, as etcd itself does at times (docs/ETCD.md, "A leader that
# was paused"), and nobody of the holder's is left to give the slot back.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/grace?ttl=4"
exec 2>"$dir/reports"
half=2000 # ms

hold x
lease=$(ctl lease list | tail -n 1)
guardian=$(pgrep -P "$holder" -x berth-guardian) || complain "there is no guardian"
start_waiter waits x
eventually "it waits" waiting x 1
kill -KILL "$guardian" "$holder" "$worker"
wait "$holder"
start=$(now_ms)
ctl lease revoke "$lease" >"$output" || complain "the lease is not ended"
eventually "it has the slot" test -s "$dir/waits"
took=$(($(cat "$dir/waits") - start))
echo "the next one has the slot after $took ms"
[ "$took" -ge "$half" ] || complain "the slot was taken over too early"
[ "$took" -le $((half + 3000)) ] || complain "the slot was taken over too late"
wait "$waiter"
finish
