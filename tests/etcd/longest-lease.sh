#!/bin/bash
# A client with a lease that is longer than any before says so in the pool's key before it takes a slot: who waits
# for a slot whose lease has ended waits for as long as that. The request that says it is held back here.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
exec 2>"$dir/reports"
export BERTH_STORE="etcd://$hosts/longest?ttl=2"
expect 0 "$BERTH" run x -- true
etcdctl --endpoints "$hosts" watch --prefix /longest/ -w json >"$dir/history" & # without a shell around it
watch=$!
disown "$watch"
echo "$watch" >>"$dir/pids"

# --- in the history of the store ---
sleep 0.5
expect 0 "$BERTH" run --store "etcd://$hosts/longest?ttl=60" x -- true
order() {
    python3 - "$dir/history" <<'PYTHON'
import base64, json, sys
for line in open(sys.argv[1]):
    for event in json.loads(line).get("Events") or []:
        key = base64.b64decode(event["kv"]["key"]).decode()
        if event.get("type") != 1 and (key.endswith("/pools/x") or "/s/" in key):
            print(key.split("/")[2], end=" ")
PYTHON
}
written() { [ "$(order)" = 'pools use ' ]; }
eventually "the lease is written before the slot is taken, and not $(order)" written

# --- where that request is held back, and the lease ends early ---
expect 0 "$BERTH" rm x
expect 0 "$BERTH" run x -- true
"$SRC/tests/etcd/hold-answers" $((base + 6)) "$base" use/x/c/ >"$dir/proxy" &
proxy=$!
eventually "the proxy is there" grep -q ready "$dir/proxy"
"$BERTH" run --store "etcd://127.0.0.1:$((base + 6))/longest?ttl=60" x -- touch "$dir/first" &
first=$!
client() { [ -n "$(ctl get --prefix --keys-only /longest/use/x/c/)" ]; }
eventually "it has come" client
for lease in $(ctl lease list | grep '^[0-9a-f]*$'); do
    ctl lease revoke "$lease" >/dev/null
done
"$BERTH" run x -- sh -c 'echo >"$0"; sleep 2; [ ! -e "$1" ]' "$dir/second" "$dir/first" &
second=$!
eventually "the second has the slot" test -e "$dir/second"
kill -USR2 "$proxy"
wait "$second" || complain "two commands at once"
wait "$first" || complain "the first: status $?"
kill "$proxy"
wait "$proxy"
finish
