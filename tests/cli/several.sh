#!/bin/bash
# berth run POOL[:SLOTS],... COMMAND: all or nothing, no deadlock, arrival order, and every kill.
# BERTH is the command under test.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
exec 2>"$dir/reports"

for pool in gpu:1 license:3 tape:2; do
    "$BERTH" run -j "${pool#*:}" "${pool%:*}" -- true || complain "cannot make $pool"
done
free='1 0 0'
all_free() {
    state_is gpu "$free" && state_is license '3 0 0' && state_is tape '2 0 0'
}

# What the command is told.
expect 0 --env 'A={slot},{pool},{tape.slots},{license.slot}' gpu,license:2,tape -- sh -c \
    'echo "$BERTH_POOL|$BERTH_SLOT|$BERTH_SLOTS|$A"; echo "$BERTH_TOKEN"'
head -n 1 "$output" | grep -qE '^gpu license tape\|0 ([0-2],[0-2]) [01]\|1 3 2\|0,gpu,2,\1$' ||
    complain "the environment"
tail -n 1 "$output" | grep -qE '^[0-9]+ [0-9]+,[0-9]+ [0-9]+$' || complain "the tokens"
expect 0 -v license:3,gpu -- true
grep -qE '^berth: pool license: slots [0-2],[0-2],[0-2] after [0-9]+\.[0-9] s$' "$output" || complain "-v does not tell"
expect 0 -c 'echo "$BERTH_SLOT"' license:2,gpu
grep -qE '^[0-2],[0-2] 0$' "$output" || complain "-c and several pools"
expect 0 new:4 -- true
state_is new '4 0 0' || complain "a new pool has not as many slots as were asked for: $(state new)"

# All or nothing.
hold gpu
expect 75 -n license:3,gpu -- true
expect 75 -w 0.2 license:3,gpu,tape:2 -- true
state_is license '3 0 0' && state_is tape '2 0 0' || complain "something was kept"

# Arrival order: a run that came later and needs the same waits behind; one that needs something else does not.
start_waiter both gpu,license:3
eventually "both wait" state_is gpu '1 1 1'
start_waiter after license
after=$waiter
eventually "one waits behind" state_is license '3 3 1'
expect 0 -n tape:2 -- true
[ ! -e "$dir/after" ] || complain "it was overtaken"
start=$(now_ms)
kill "$holder"
within "all of it" "$start" 2000 both
within "then the other" "$start" 2000 after
wait "$after"
[ "$(cat "$dir/both")" -le "$(cat "$dir/after")" ] || complain "in another order"
eventually "all free" all_free

# No deadlock: opposite orders, over and over.
loop() {
    local i
    for i in {1..60}; do
        "$BERTH" run "$@" -- true || return
    done
}
loop gpu,license:2,tape & a=$!
loop tape:2,gpu & b=$!
loop license:3,tape,gpu & c=$!
loop license & d=$!
for one in $a $b $c $d; do
    wait "$one" || complain "somebody in the loop: status $?"
done
eventually "all free after the loops" all_free

# A waiter is killed: nobody waits for what it had, or for what it waited for.
hold gpu
start_waiter victim tape:2,gpu
eventually "it waits" state_is gpu '1 1 1'
state_is tape '2 2 0' || complain "what is free is not held: $(state tape)"
kill -KILL "$waiter"
wait "$waiter"
expect 0 -w 2 tape:2 -- true
kill "$holder"
wait "$holder"
eventually "all free after a waiter's death" all_free

# berth run is killed: the command keeps all of it. Then both.
hold_all() {
    "$BERTH" run "$@" gpu,license:2 -- bash -c 'echo $$ >"$0" && exec sleep 60' "$dir/worker" &
    holder=$!
    eventually "the worker" test -s "$dir/worker"
    worker=$(cat "$dir/worker")
    echo "$worker" >>"$dir/pids"
    rm "$dir/worker"
}
hold_all
kill -KILL "$holder"
wait "$holder"
state_is gpu '1 1 0' && state_is license '3 2 0' || complain "the child lost a slot"
expect 75 -n license:2 -- true
kill -KILL "$worker"
eventually "all free after both deaths" all_free
hold_all -o
kill -KILL "$holder"
wait "$holder"
eventually "all free, with -o" all_free
kill "$worker"

# Bad usage: one line, and nothing else.
while read -r arguments; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "$arguments: not one line"
done <<'LIST'
gpu:2 -- true
gpu,license:4 -- true
gpu,tape,gpu -- true
gpu:0 -- true
gpu: -- true
gpu:1025 -- true
gpu:many -- true
-j 2 gpu,license -- true
--env A={tape.slot} gpu,license -- true
--env A={license.what} gpu,license -- true
gpu,license --
gpu,.hidden -- true
gpu,,license -- true
,gpu -- true
gpu, -- true
LIST
eventually "all free at the end" all_free

finish
