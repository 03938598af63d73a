#!/bin/bash
# The holder's side of the lease: whatever happens to the holder or to the way to the store, the command
# is over before the lease can be, and nobody has the slot twice.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/lease?ttl=2"
exec 2>"$dir/reports"

# beat POOL FILE: a command that writes the time to FILE every 20 ms, and does not listen to TERM.
cat >"$dir/beat" <<'END'
trap : TERM
while :; do
    echo $((${EPOCHREALTIME/[.,]/} / 1000)) >>"$0.$1"
    sleep 0.02
done
END
last_beat() { tail -n 1 "$dir/beat.$1"; }

# --- renewed in time: a lease of 2 s, held for 5 s ---
"$BERTH" run calm -- sleep 5 &
holder=$!
sleep 4.5
state_is calm '1 1 0' || complain "the lease was not renewed: $(state calm)"
wait "$holder" || complain "calm: status $?"

# --- berth run is stopped: its guardian kills the command, and the next has the slot after that ---
"$BERTH" run stopped -- bash "$dir/beat" stopped &
holder=$!
eventually "a beat" test -s "$dir/beat.stopped"
wait_for stopped next
start=$(now_ms)
kill -STOP "$holder"
eventually "the next has the slot" test -s "$dir/next"
echo "stopped: last beat after $(($(last_beat stopped) - start)) ms, next holder after $(($(cat "$dir/next") - start)) ms"
[ "$(last_beat stopped)" -lt "$(cat "$dir/next")" ] || complain "both worked at once"
[ $(($(last_beat stopped) - start)) -le 2000 ] || complain "it worked longer than the lease"
kill -CONT "$holder"
wait "$holder"
status=$?
[ "$status" -eq 121 ] || complain "stopped and continued: status $status"

# --- both are stopped (Ctrl-Z): the same ---
"$BERTH" run paused -- bash "$dir/beat" paused &
holder=$!
eventually "a beat" test -s "$dir/beat.paused"
kill -STOP "$(pgrep -P "$holder" bash)" "$holder"
wait_for paused heir
eventually "the heir has the slot" test -s "$dir/heir"
kill -CONT "$holder"
wait "$holder"
status=$?
[ "$status" -eq 121 ] || complain "paused and continued: status $status"
[ "$(last_beat paused)" -lt "$(cat "$dir/heir")" ] || complain "it went on after the pause"

# --- the machine was suspended for longer than the lease: the store's clock went on ---
echo 0 >"$dir/suspended"
LD_PRELOAD=$SHIM SHIM_SUSPENDED=$dir/suspended "$BERTH" run --store "etcd://$hosts/lease?ttl=60" asleep -- \
    bash "$dir/beat" asleep &
holder=$!
eventually "a beat" test -s "$dir/beat.asleep"
echo 100 >"$dir/suspended.new" && mv "$dir/suspended.new" "$dir/suspended"
start=$(now_ms)
wait "$holder"
status=$?
echo "suspended: status $status after $(($(now_ms) - start)) ms"
[ "$status" -eq 121 ] || complain "suspended: status $status"
[ $(($(now_ms) - start)) -le 3000 ] || complain "suspended: it worked on"

# --- the store goes away and comes back soon enough: nothing happens ---
hold short
kill -STOP "${server[0]}"
sleep 0.5
kill -CONT "${server[0]}"
sleep 2
state_is short '1 1 0' || complain "a short outage: $(state short)"
kill "$holder"
wait "$holder"
[ $? -eq 143 ] || complain "a short outage: status"

# --- the store stays away; a command that does not listen to TERM is killed ---
"$BERTH" run deaf -- bash "$dir/beat" deaf &
holder=$!
eventually "a beat" test -s "$dir/beat.deaf"
start=$(now_ms)
kill -STOP "${server[0]}"
wait "$holder"
status=$?
kill -CONT "${server[0]}"
[ "$status" -eq 121 ] || complain "deaf: status $status"
echo "deaf: last beat after $(($(last_beat deaf) - start)) ms"
[ $(($(last_beat deaf) - start)) -le 2000 ] || complain "it worked longer than the lease"

# --- a waiter outlives an outage that is longer than its lease, and than the time-out for a new one: it
# stands in line again ---
BERTH_STORE+='&timeout=1'
hold outage
wait_for outage patient
kill -STOP "${server[0]}"
sleep 5
kill -CONT "${server[0]}"
eventually "the patient one has a slot" test -s "$dir/patient"
wait "$waiter" || complain "the patient one: status $?"
wait
BERTH_STORE=${BERTH_STORE%&*}

# --- the host is cut off: in a network namespace of its own, where that is permitted ---
if ip netns add "berth-$$" 2>/dev/null && ip link add "bv$$" type veth peer name "bw$$" 2>/dev/null; then
    trap 'ip netns del "berth-$$" 2>/dev/null; ip link del "bv$$" 2>/dev/null; end_all' EXIT
    ip link set "bw$$" netns "berth-$$"
    ip addr add 10.213.7.1/30 dev "bv$$" && ip link set "bv$$" up
    ip netns exec "berth-$$" ip addr add 10.213.7.2/30 dev "bw$$"
    ip netns exec "berth-$$" ip link set "bw$$" up
    ip netns exec "berth-$$" ip link set lo up
    stop_node 0
    outside=$base
    start_node 0 --listen-client-urls "http://127.0.0.1:$outside,http://10.213.7.1:$outside" \
        --advertise-client-urls "http://127.0.0.1:$outside"
    eventually "the server is back" healthy
    BERTH_STORE="etcd://10.213.7.1:$outside/lease?ttl=2" ip netns exec "berth-$$" \
        "$BERTH" run cut -- bash "$dir/beat" cut &
    holder=$!
    eventually "a beat" test -s "$dir/beat.cut"
    wait_for cut survivor
    start=$(now_ms)
    ip link set "bv$$" down
    within "the host was cut off" "$start" 5500 survivor
    [ "$(last_beat cut)" -lt "$(cat "$dir/survivor")" ] || complain "both worked at once"
    wait "$holder"
    status=$?
    [ "$status" -eq 121 ] || complain "cut off: status $status"
else
    echo "left out: no network namespaces here"
fi
finish
