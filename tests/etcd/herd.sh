#!/bin/bash
# No thundering herd: what a release costs does not depend on how many wait. Counted by the server
# itself: transactions that it handled, and messages that it sent to watchers.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
acquires=${ACQUIRES:-1000}

# measure CLIENTS: sets $transactions and $wakes, in hundredths for each acquire.
measure() {
    local before_txn before_watch
    before_txn=$(metric grpc_server_handled_total 'grpc_method="Txn"')
    before_watch=$(metric grpc_server_msg_sent_total 'grpc_method="Watch"')
    "$LOAD" "etcd://$hosts/herd" "herd$1" 4 "$1" "$acquires" 2000 "$dir/history" >"$dir/loaded" 2>"$output" ||
        complain "the load with $1 clients"
    history_is_good "$dir/history" 4 "$acquires"
    waited=$(sed -n 's/.*wait \([0-9]*\).* ms median.*/\1/p' "$output") # ms, each of them
    # Less what opening takes: one transaction for each client, and one message for each watch made.
    transactions=$((($(metric grpc_server_handled_total 'grpc_method="Txn"') - before_txn - $1) * 100 / acquires))
    wakes=$((($(metric grpc_server_msg_sent_total 'grpc_method="Watch"') - before_watch - $1) * 100 / acquires))
    [ "$wakes" -ge 0 ] || wakes=0
    echo "$1 clients on 4 slots: $transactions transactions and $wakes wake-ups for 100 acquires"
}

measure 12
few=$transactions
[ "$wakes" -le 110 ] || complain "more than 1.1 wake-ups for each acquire"
measure 68
[ "$wakes" -le 110 ] || complain "more than 1.1 wake-ups for each acquire"
[ "$transactions" -le $((few * 110 / 100)) ] || complain "the messages grow with the waiters"

# A thousand that wait: threads that share handles, because a handle has a process.
if [ -n "${LONG:-}" ]; then
    export LOAD_HANDLES=16
    acquires=3000
    measure 1004
    [ "$wakes" -le 110 ] || complain "more than 1.1 wake-ups for each acquire"
    # A client that waits looks at the pool about every quarter of a minute, however busy the pool is. On a slow
    # machine it waits longer.
    limit=$((few * 115 / 100 + 100 * waited / 15000))
    [ "$transactions" -le "$limit" ] || complain "the messages grow with the waiters: $transactions, not $limit"
fi
finish
