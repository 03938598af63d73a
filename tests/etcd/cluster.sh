#!/bin/bash
# Three etcd servers under load, with one fault after the other: a follower killed, the leader
# killed, two of three and back, the leader paused, the history compacted. No acquire fails,
# and the history that was written down is in order. ROUNDS=10 for the long form; ONLY='the leader is
# killed' for one of them.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 3
store="etcd://$hosts/load?ttl=${TTL:-10}"
export BERTH_STORE=$store
exec 2>"$dir/reports"

# under_load WHAT COMMAND...: 8 clients on 2 slots; COMMAND in the middle of it.
under_load() {
    local what=$1 load status
    shift
    [ "${ONLY:-$what}" = "$what" ] || return
    "$LOAD" "$store" load 2 8 "${ACQUIRES:-500}" 4000 "$dir/history" >"$dir/loaded" 2>"$output" &
    load=$!
    eventually "$what: all are open" grep -q open "$dir/loaded"
    sleep 0.2
    "$@"
    wait "$load"
    status=$?
    [ "$status" -eq 0 ] || complain "$what: the load ended with status $status"
    printf '%s: %s s, ' "$what" "$(tail -n 1 "$dir/loaded")"
    history_is_good "$dir/history" 2 "${ACQUIRES:-500}"
    eventually "all three are healthy" healthy
}

nothing() { :; }
follower() { echo $((($(leader) + 1) % 3)); }
kill_follower() {
    local victim
    victim=$(follower)
    kill -KILL "${server[$victim]}"
    sleep 1
    start_node "$victim" --initial-cluster-state existing
}
kill_leader() {
    local victim
    victim=$(leader)
    [ -n "$victim" ] || complain "there is no leader"
    kill -KILL "${server[$victim]}"
    sleep 1
    start_node "$victim" --initial-cluster-state existing
}
kill_two() {
    local one two
    one=$(leader) two=$((($(leader) + 1) % 3))
    kill -KILL "${server[$one]}" "${server[$two]}"
    sleep 2
    start_node "$one" --initial-cluster-state existing
    start_node "$two" --initial-cluster-state existing
}
pause_leader() {
    local victim
    victim=$(leader)
    kill -STOP "${server[$victim]}"
    sleep 2
    kill -CONT "${server[$victim]}"
}
compact() {
    local i revision
    for i in 1 2 3; do
        revision=$(ctl get / -w json | sed 's/.*"revision":\([0-9]*\).*/\1/')
        ctl compact "$revision" >/dev/null
        sleep 0.1
    done
}

for ((round = 0; round < ${ROUNDS:-1}; round++)); do
    under_load "nothing happens" nothing
    under_load "a follower is killed" kill_follower
    under_load "the leader is killed" kill_leader
    under_load "two of three are killed" kill_two
    under_load "the leader is paused" pause_leader
    under_load "compacted" compact
done

# A waiter whose watch is compacted away, and one whose server dies under it, still get their slots.
hold watch
wait_for watch one
compact
victim=$(leader)
kill -KILL "${server[$victim]}"
kill "$holder"
within "the leader died, and the holder released" "$(now_ms)" 10000 one
start_node "$victim" --initial-cluster-state existing
wait
finish
