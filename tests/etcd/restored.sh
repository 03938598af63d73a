#!/bin/bash
# A backup of the store is restored while clients use it. A holder whose key is not there any more is told, and
# stops; a waiter is told that revisions, and so fencing tokens, have gone back.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/restored?ttl=30"
exec 2>"$dir/reports"
put() { for _ in $(seq "$1"); do ctl put /elsewhere x >/dev/null; done; }
# token POOL: the token of slot 0, as status says.
token() { "$BERTH" status --json "$1" | grep -o '"token": *[0-9]*' | head -n 1 | grep -o '[0-9]*$'; }

restore() {
    kill -KILL "${server[0]}"
    eventually "the server ends" gone "${server[0]}"
    rm -rf "$dir/n0"
    etcdctl snapshot restore "$dir/snapshot" --data-dir "$dir/n0" --name n0 --initial-cluster "$cluster" \
        --initial-cluster-token "$base" --initial-advertise-peer-urls "$(peer_url 0)" >"$output" 2>&1 ||
        complain "snapshot restore"
    start_node 0
    eventually "the server is back" healthy
}

# --- the holder has the slot since before the snapshot: it keeps it; the one who waits is told ---
hold before
ctl snapshot save "$dir/snapshot" >/dev/null 2>&1
put 20
"$BERTH" run before -- true 2>"$dir/said" &
waiter=$!
eventually "it waits" waiting before 1
restore
wait "$waiter"
status=$?
[ "$status" -eq 125 ] || complain "the waiter: status $status"
grep -q 'went back from revision' "$dir/said" || complain "the waiter: $(cat "$dir/said")"
cat "$dir/said"
kill "$holder"
wait "$holder"

# --- the holder has it since after the snapshot, by a lease that the snapshot knows ---
hold after
first=$holder
"$BERTH" run after -- sh -c 'echo $$ >"$0"; exec sleep 60' "$dir/second" 2>"$dir/said" &
second=$!
eventually "it waits" waiting after 1
ctl snapshot save "$dir/snapshot" >/dev/null 2>&1
kill "$first"
wait "$first"
eventually "the second has the slot" test -s "$dir/second"
sleep 0.5
echo "the token was $(token after)"
start=$(now_ms)
restore
eventually "the second ends" gone "$(cat "$dir/second")"
wait "$second"
status=$?
echo "the holder was told after $(($(now_ms) - start)) ms: $(cat "$dir/said")"
[ "$status" -eq 121 ] || complain "the second: status $status"
[ $(($(now_ms) - start)) -le 8000 ] || complain "the holder worked on for too long"
grep -q 'restored\|deleted or changed\|another cluster' "$dir/said" || complain "the second: $(cat "$dir/said")"
finish
