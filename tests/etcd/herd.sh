#!/bin/bash
# No thundering herd: what a release costs does not depend on how many wait. Counted by the server
# itself: transactions that it handled, and messages that it sent to watchers.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
acquires=${ACQUIRES:-1000}

# measure CLIENTS HOLD_US: sets $transactions and $wakes, in hundredths for each acquire, and $waited, the median in ms.
measure() {
    local before_txn before_watch opened=${LOAD_HANDLES:-$1}
    before_txn=$(metric grpc_server_handled_total 'grpc_method="Txn"')
    before_watch=$(metric grpc_server_msg_sent_total 'grpc_method="Watch"')
    "$LOAD" "etcd://$hosts/herd" "herd$1.$2" 4 "$1" "$acquires" "$2" "$dir/history" >"$dir/loaded" 2>"$output" ||
        complain "the load with $1 clients"
    history_is_good "$dir/history" 4 "$acquires"
    waited=$(sed -n 's/.*wait \([0-9]*\).* ms median.*/\1/p' "$output")
    # Less what opening takes: one transaction for each client, and one message for each watch made.
    transactions=$((($(metric grpc_server_handled_total 'grpc_method="Txn"') - before_txn - opened) * 100 / acquires))
    wakes=$((($(metric grpc_server_msg_sent_total 'grpc_method="Watch"') - before_watch - opened) * 100 / acquires))
    [ "$wakes" -ge 0 ] || wakes=0
    echo "$1 clients on 4 slots, which wait for $waited ms:" \
        "$transactions transactions and $wakes wake-ups for 100 acquires"
}

measure 12 2000
few=$transactions
[ "$wakes" -le 110 ] || complain "more than 1.1 wake-ups for each acquire"
measure 68 2000
[ "$wakes" -le 110 ] || complain "more than 1.1 wake-ups for each acquire"
[ "$transactions" -le $((few * 110 / 100)) ] || complain "the messages grow with the waiters"

# Nor does it depend on how long they wait: for ten seconds each. A wait that is long has two watches, of which each
# is a message when it is made and when it is ended; a slot that is held for long has one, which also reports its end.
acquires=30
measure 14 4000000
[ "$waited" -ge 5000 ] || complain "they do not wait for long"
[ "$transactions" -le 450 ] || complain "the transactions grow with the time"
[ "$wakes" -le 850 ] || complain "the messages grow with the time"

# For half a minute each: ten of them; and 200 and a thousand, as threads that share handles, because a handle has a
# process.
if [ -n "${LONG:-}" ]; then
    measure 14 12000000
    [ "$transactions" -le 450 ] || complain "the transactions grow with the time"
    export LOAD_HANDLES=16
    for waiters in 200 1000; do
        acquires=$((waiters * 3))
        measure $((waiters + 4)) $((120000000 / waiters))
        [ "$waited" -ge 20000 ] || complain "they do not wait for long"
        [ "$wakes" -le 450 ] || complain "the messages grow with the waiters or the time"
        [ "$transactions" -le 400 ] || complain "the transactions grow with the waiters or the time"
    done
fi
finish
