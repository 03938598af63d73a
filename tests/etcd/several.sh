#!/bin/bash
# Slots of several pools of one store: all or nothing, no deadlock, arrival order, kills, and an outage.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/several?ttl=2"
exec 2>"$dir/reports"

for pool in gpu:1 license:3 tape:2; do
    "$BERTH" run -j "${pool#*:}" "${pool%:*}" -- true || complain "cannot make $pool"
done
all_free() {
    state_is gpu '1 0 0' && state_is license '3 0 0' && state_is tape '2 0 0'
}
door_is_open() { [ -z "$(ctl get /several/.door --keys-only)" ]; }

expect 0 "$BERTH" run gpu,license:2,tape -- sh -c 'echo "$BERTH_POOL|$BERTH_SLOT|$BERTH_SLOTS"'
grep -qE '^gpu license tape\|0 [0-2],[0-2] [01]\|1 3 2$' "$output" || complain "the environment"
expect 2 "$BERTH" run gpu,license:4 -- true
expect 2 "$BERTH" run gpu,tape,gpu -- true

# All or nothing.
hold gpu
expect 75 "$BERTH" run -n license:3,gpu -- true
expect 75 "$BERTH" run -w 0.3 license:3,gpu,tape:2 -- true
eventually "nothing is kept" state_is license '3 0 0'
state_is tape '2 0 0' || complain "something was kept"

# Arrival order, also towards those who want one slot.
start_waiter both license:3,gpu
eventually "both wait" state_is gpu '1 1 1'
start_waiter after license
after=$waiter
eventually "one waits behind" state_is license '3 3 1'
expect 0 "$BERTH" run -w 5 tape:2 -- true
[ ! -e "$dir/after" ] || complain "it was overtaken"
start=$(now_ms)
kill "$holder"
within "all of it" "$start" 2000 both
within "then the other" "$start" 2000 after
wait "$after"
[ "$(cat "$dir/both")" -le "$(cat "$dir/after")" ] || complain "in another order"
eventually "all free" all_free

# No deadlock: opposite orders, over and over, and kills among them.
loop() {
    local i
    for ((i = 0; i < ${ROUNDS:-1} * 15; i++)); do
        "$BERTH" run "$@" -- true || return
    done
}
victims() {
    local i
    for ((i = 0; i < ${ROUNDS:-1} * 15; i++)); do
        timeout -s KILL "0.0$((RANDOM % 9))" "$BERTH" run gpu,tape:2,license -- sleep 0.01
    done
}
loop gpu,license:2,tape & a=$!
loop tape:2,gpu & b=$!
loop license:3,tape,gpu & c=$!
loop license & d=$!
victims
for one in $a $b $c $d; do
    wait "$one" || complain "somebody in the loop: status $?"
done
eventually "all free after the loops" all_free
eventually "the door is open" door_is_open

# The store is away for longer than the lease while some slots are held and others waited for: all of
# them are acquired again.
hold gpu
start_waiter patient tape:2,gpu
eventually "it waits" state_is gpu '1 1 1'
state_is tape '2 2 0' || complain "what is free is not held: $(state tape)"
kill -STOP "${server[0]}"
sleep 3
kill -CONT "${server[0]}"
eventually "the patient one has all" test -s "$dir/patient"
wait "$waiter" || complain "the patient one: status $?"
wait "$holder"
eventually "all free after an outage" all_free

# It is killed: all of it comes back.
"$BERTH" run gpu,license:2 -- sleep 60 &
holder=$!
eventually "all is held" state_is license '3 2 0'
kill -KILL "$holder"
start=$(now_ms)
start_waiter heir license:3,gpu
within "all of a killed holder's" "$start" 2000 heir
wait "$waiter"
eventually "all free at the end" all_free
finish
