#!/bin/bash
# The leader is paused for longer than the lease, again and again, while clients hold slots for long. When it
# goes on, etcd before 3.4.31 and 3.5.13 ends leases that its successor has renewed. Their holders are told
# at once, and nobody else has the slot before that. ROUNDS=16 for the long form.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 3
exec 2>"$dir/reports"
store="etcd://$hosts/paused?ttl=${TTL:-2}"

"$LOAD" "$store" load 4 "${CLIENTS:-16}" 1000000 1500000 "$dir/history" >"$dir/loaded" 2>"$dir/errors" &
load=$!
eventually "all are open" grep -q open "$dir/loaded"
for ((round = 0; round < ${ROUNDS:-3}; round++)); do
    victim=$(leader)
    if [ -z "$victim" ]; then
        sleep 1
        continue
    fi
    # A lease without berth, beside it: what etcd does with it.
    "$SRC/tests/etcd/lease-log" "http://$(client_address $(((victim + 1) % 3)))" "${TTL:-2}" $((${TTL:-2} + 4)) \
        >"$dir/lease.$round" 2>&1 &
    log=$!
    sleep 1
    kill -STOP "${server[$victim]}"
    sleep "$((${TTL:-2} + 1)).$((RANDOM % 10))"
    kill -CONT "${server[$victim]}"
    wait "$log"
    tail -n 1 "$dir/lease.$round"
done
kill "$load"
wait "$load"
status=$?
[ "$status" -eq 0 ] || complain "the load ended with status $status: $(cat "$dir/errors")"
history_is_good "$dir/history" 4
finish
