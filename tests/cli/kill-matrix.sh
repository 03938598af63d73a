#!/bin/bash
# Which process keeps the slot: each row of the kill matrix, column "one host", with real SIGKILLs. BERTH is
# the command under test. The limits on time are generous; the times themselves are printed.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

# The shell's own reports of who was killed, which is everybody.
exec 2>"$dir/reports"

# all_free POOL SLOTS: all slots can be acquired at once, and all are different.
all_free() {
    local i pids=()
    rm -f "$dir"/free.*
    for ((i = 0; i < $2; i++)); do
        "$BERTH" run -n "$1" -- sh -c 'echo $BERTH_SLOT >"$0" && exec sleep 60' "$dir/free.$i" &
        pids+=($!)
        eventually "$1: slot number $i" test -s "$dir/free.$i"
    done
    state_is "$1" "$2 $2 0" || complain "$1: $(state "$1")"
    [ "$(sort -u "$dir"/free.* | wc -l)" -eq "$2" ] || complain "$1: a slot was given twice"
    kill "${pids[@]}"
    wait "${pids[@]}"
    state_is "$1" "$2 0 0" || complain "$1 afterwards: $(state "$1")"
}

# The waiting command: its ticket is passed over; nobody behind it waits for it.
hold waiting
wait_for waiting first
victim=$waiter
wait_for waiting second
kill -KILL "$victim"
wait "$victim"
eventually "the dead waiter is not shown" state_is waiting '1 1 1'
start=$(now_ms)
kill "$holder"
within "passed over a dead waiter" "$start" 2000 second
[ ! -e "$dir/first" ] || complain "the dead waiter ran"
wait

# berth run while its child works: the child keeps the slot until it ends.
hold parent
kill -KILL "$holder"
wait "$holder"
gone "$worker" && complain "the child died with berth run"
state_is parent '1 1 0' || complain "the child lost the slot: $(state parent)"
[ "$(held_by parent 0)" = "$worker" ] || complain "status does not show the child"
expect 75 -n parent -- true
expect 75 -w 0.3 parent -- true
wait_for parent heir
start=$(now_ms)
kill "$worker"
within "the orphan ended" "$start" 2000 heir
wait
all_free parent 1

# The same with -o: the slot comes back although the child works on.
hold closed -o
kill -KILL "$holder"
wait "$holder"
expect 0 -w 5 closed -- true
gone "$worker" && complain "-o: the child died with berth run"
kill "$worker"

# The child: berth releases at once.
hold child
wait_for child next
start=$(now_ms)
kill -KILL "$worker"
wait "$holder"
status=$?
[ "$status" -eq 137 ] || complain "the child was killed: status $status"
within "the child was killed" "$start" 1000 next
wait

# Both, while somebody waits, and when nobody does.
hold both
wait_for both after
start=$(now_ms)
kill -KILL "$holder" "$worker"
wait "$holder"
within "both were killed" "$start" 1000 after
wait
hold both
kill -KILL "$holder" "$worker"
wait "$holder"
eventually "both are gone" gone "$holder" "$worker"
expect 0 -n both -- true

# Nobody: a daemon outlives the command. It keeps no slot, and not even the pool.
for close in '' -o; do
    # shellcheck disable=SC2086 # one option or none
    "$BERTH" run $close daemon -- sh -c 'setsid sleep 60 >/dev/null 2>&1 & echo $!' >"$dir/daemon"
    daemon=$(cat "$dir/daemon")
    echo "$daemon" >>"$dir/pids"
    gone "$daemon" && complain "no daemon"
    state_is daemon '1 0 0' || complain "the daemon ${close:-without -o} holds: $(state daemon)"
    expect 0 -n daemon -- true
    "$BERTH" rm daemon >"$output" 2>&1 || complain "the daemon ${close:-without -o} has it open"
    kill "$daemon"
done

# The same, but berth run is killed first: the slot stays with whatever still runs.
"$BERTH" run orphan -- sh -c 'setsid sleep 60 & echo $! >"$0"; exec sleep 60' \
    "$dir/daemon2" &
holder=$!
eventually "the daemon" test -s "$dir/daemon2"
daemon=$(cat "$dir/daemon2")
worker=$(pgrep -P "$holder")
printf '%s\n' "$daemon" "$worker" >>"$dir/pids"
kill -KILL "$holder"
wait "$holder"
kill -KILL "$worker"
eventually "the command is gone" gone "$worker"
expect 75 -n orphan -- true
kill "$daemon"
eventually "the daemon is gone" gone "$daemon"
expect 0 -n orphan -- true

# shortly: waits for as long as a run takes, or less, or somewhat more; without a process.
"$BERTH" run -j 2 any -- true
start=${EPOCHREALTIME/[.,]/}
for i in 1 2 3 4; do "$BERTH" run -j 2 any -- sh -c 'mkdir -p "$0"' "$dir"; done
run_us=$(((${EPOCHREALTIME/[.,]/} - start) / 4))
mkfifo "$dir/never"
exec 9<>"$dir/never" # so that opening it does not wait
shortly() {
    local pause
    printf -v pause '0.%06d' $(((RANDOM * 32768 + RANDOM) % (run_us * 2) + 1))
    read -rt "$pause" <"$dir/never"
}

# A process between any two instructions: killed at any time from the start of the program on. No
# slot is lost, and no grant is made twice: its folder would be there already.
mkdir "$dir/taken"
killed=0
for ((i = 0; i < 300; i++)); do
    "$BERTH" run -j 2 -o any -- sh -c 'mkdir "$0/$BERTH_TOKEN" || echo >"$0/twice"' "$dir/taken" &
    victim=$!
    shortly
    kill -KILL "$victim"
    wait "$victim"
    [ $? -ne 137 ] || killed=$((killed + 1))
done
echo "killed $killed of 300 at any time"
[[ $killed -gt 20 && $killed -lt 300 ]] || complain "$killed of 300 were killed in time"
eventually "all are gone" state_is any '2 0 0'
all_free any 2

# The same in a crowd: three slots, and survivors that must all get through. A command keeps its slot
# if its berth run is killed, so nobody may find the slot's folder there.
cat >"$dir/visit" <<'END'
mkdir "$0.slot$BERTH_SLOT" || echo >"$(dirname "$0")/taken/twice"
rmdir "$0.slot$BERTH_SLOT"
END
"$BERTH" run -j 3 crowd -- true
survivors=()
for ((i = 0; i < 100; i++)); do
    "$BERTH" run -j 3 crowd -- sh "$dir/visit" &
    if [ $((i % 2)) -eq 0 ]; then
        survivors+=($!)
    else
        victim=$!
        shortly
        kill -KILL "$victim"
    fi
done
for pid in "${survivors[@]}"; do
    wait "$pid" || complain "a survivor ended with status $?"
done
wait
eventually "the crowd is gone" state_is crowd '3 0 0'
[ ! -e "$dir/taken/twice" ] || complain "a slot was given twice"
all_free crowd 3

# Every process of the pool: the next newcomer finds all slots free.
"$BERTH" run -j 3 every -- true
victims=()
for i in 1 2 3; do
    hold every
    victims+=("$holder" "$worker")
done
for i in 1 2 3; do
    wait_for every "every$i"
    victims+=("$waiter")
done
state_is every '3 3 3' || complain "every: $(state every)"
kill -KILL "${victims[@]}"
wait
eventually "all are gone" gone "${victims[@]}"
state_is every '3 0 0' || complain "all are dead, and status says $(state every)"
all_free every 3

finish
