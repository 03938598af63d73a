#!/bin/bash
# Which process keeps the slot: each row of the kill matrix, column "etcd", with real SIGKILLs. The limits are
# those that are claimed; the times themselves are printed.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/kill"
exec 2>"$dir/reports" # the shell's own, of who was killed

# The waiting command: nobody behind it waits for it.
hold waiting
wait_for waiting first
victim=$waiter
wait_for waiting second
kill -KILL "$victim"
wait "$victim"
eventually "the dead waiter is not shown" state_is waiting '1 1 1'
start=$(now_ms)
kill "$holder"
within "passed over a dead waiter" "$start" 500 second
[ ! -e "$dir/first" ] || complain "the dead waiter ran"
wait "$holder" "$waiter"

# berth run while its child works: the child is killed with it, and the slot comes back.
hold parent
wait_for parent heir
start=$(now_ms)
kill -KILL "$holder"
within "berth run was killed" "$start" 500 heir
gone "$worker" || complain "the child outlived berth run"
wait

# The child: berth releases at once.
hold child
wait_for child next
start=$(now_ms)
kill -KILL "$worker"
wait "$holder"
status=$?
[ "$status" -eq 137 ] || complain "the child was killed: status $status"
within "the child was killed" "$start" 500 next
wait

# Both.
hold both
wait_for both after
start=$(now_ms)
kill -KILL "$holder" "$worker"
within "both were killed" "$start" 500 after
wait

# Nobody: a daemon outlives the command; it keeps nothing.
"$BERTH" run daemon -- sh -c 'setsid sleep 60 >/dev/null 2>&1 & echo $!' >"$dir/daemon"
cat "$dir/daemon" >>"$dir/pids"
gone "$(cat "$dir/daemon")" && complain "no daemon"
expect 0 "$BERTH" run -n daemon -- true
expect 0 "$BERTH" rm daemon

# The guardian too, at once: only the lease is left, of 2 seconds here. etcd looks at leases twice a
# second, and a slot without a key is taken over after another lease.
export BERTH_STORE="etcd://$hosts/kill?ttl=2"
hold lease
guardian=$(pgrep -P "$holder" berth-guardian)
wait_for lease orphan
start=$(now_ms)
kill -KILL "$guardian" "$holder" "$worker"
within "the host is gone" "$start" 5500 orphan
wait

# A process between any two instructions: killed at any time from its start on, in a crowd. Nobody is
# in a slot with another, and survivors all get through.
"$BERTH" run -j 2 crowd -- true
survivors=()
killed=0
for ((i = 0; i < ${KILLS:-60}; i++)); do
    if [ $((i % 2)) -eq 0 ]; then
        "$BERTH" run crowd -- sh -c 'mkdir "$0.slot$BERTH_SLOT" || echo >"$0.twice"; rmdir "$0.slot$BERTH_SLOT"' "$dir/visit" &
        survivors+=($!)
    else
        # What is killed leaves no folder behind.
        "$BERTH" run crowd -- sh -c '[ ! -e "$0.slot$BERTH_SLOT" ] || echo >"$0.twice"' "$dir/visit" &
        victim=$!
        sleep "0.0$((RANDOM % 30 + 10))"
        kill -KILL "$victim" && killed=$((killed + 1))
    fi
done
for pid in "${survivors[@]}"; do wait "$pid" || complain "a survivor ended with status $?"; done
wait
echo "killed $killed"
[ ! -e "$dir/visit.twice" ] || complain "a slot was given twice"
eventually "the crowd is gone" state_is crowd '2 0 0'
# A process that was killed before it had a slot may have left its name there, under a lease that runs out.
removed() { "$BERTH" rm crowd >"$output" 2>&1; }
eventually "the crowd is gone" removed

# Every process of the pool: the next newcomer finds all slots free.
"$BERTH" run -j 2 every -- true
victims=()
for i in 1 2; do
    hold every
    victims+=("$holder" "$worker")
done
for i in 1 2; do
    wait_for every "every$i"
    victims+=("$waiter")
done
kill -KILL "${victims[@]}"
eventually "all slots are free" state_is every '2 0 0'
expect 0 "$BERTH" run -n every -- true

# The store, for longer than the lease: the command is told to end, and berth run ends with 121.
hold store
start=$(now_ms)
kill -STOP "${server[0]}"
eventually "the command ends" gone "$worker"
took=$(($(now_ms) - start))
wait "$holder"
status=$?
ended=$(($(now_ms) - start))
kill -CONT "${server[0]}"
echo "the store was lost: the command ended after $took ms, berth run after $ended ms with $status"
[ "$status" -eq 121 ] || complain "the store was lost: status $status"
[ "$took" -le 2000 ] || complain "the command worked for $took ms, with a lease of 2000"
[ "$ended" -le 5000 ] || complain "berth run took $ended ms to end"
eventually "the slot is back" state_is store '1 0 0'
finish
