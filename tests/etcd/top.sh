#!/bin/bash
# berth top with pools on etcd: the same screen, and what status says; what etcd does not keep is left out.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
# shellcheck source=../terminal.bash
. "$(dirname "$0")/../terminal.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/top?timeout=1"
exec 2>"$dir/reports"

# ---- no screen ----

expect 0 "$BERTH" top --once -d 0.1
[ ! -s "$output" ] || complain "no pools, and yet"
expect 1 "$BERTH" top nobody
grep -q '^berth: top: .*nobody' "$output" || complain "nobody: says something else"
expect 0 "$BERTH" run -j 3 idle -- true
expect 0 "$BERTH" top --store "$BERTH_STORE" idle -d 0.1
[ "$(cat "$output")" = 'idle: 3 slots, 0 held, 0 waiting' ] || complain "idle"
expect 0 env -u BERTH_STORE "$BERTH" top --store="$BERTH_STORE" -d 0.1
grep -q '^idle: 3 slots' "$output" || complain "all pools"
expect 125 "$BERTH" top --store "etcd://127.0.0.1:$((base + 6))/top?timeout=1" idle

hold gpu -j 2
first=$holder
hold gpu
for i in {1..6}; do
    "$BERTH" run gpu -- sleep "600.$i" &
    eventually "waiter $i" waiting gpu "$i"
done
expect 0 "$BERTH" top gpu -d 0.1
sed -E 's/[0-9]+\.[0-9] s/TIME/' "$output" >"$dir/once"
"$BERTH" status gpu | sed -E 's/[0-9]+\.[0-9] s/TIME/' | diff - "$dir/once" >"$output" ||
    complain "--once shows others than status"

# ---- the screen ----

for size in '80 24' '60 12'; do
    # shellcheck disable=SC2086 # two numbers
    open $size 'berth top -d 0.2'
    eventually "a screen of $size" shows '^  place 1 '
    agrees gpu "what status says, in $size"
done
open 80 24 'berth top -d 0.2'
eventually "what etcd does not keep" shows '^> gpu +2 +2 +6 +- +- +-$'
shows "^berth top  etcd://$hosts/top" || complain "the store is not in the title"
eventually "the other pool" shows '^  idle +3 +0 +0 +- +- +-$'
press Tab
eventually "the other pool is chosen" shows '^> idle '
shows '^  3 free$' || complain "idle: not 3 free slots"
press BTab
eventually "and back" shows '^> gpu '
press '?'
eventually "help" shows 'A pool on etcd keeps none of these numbers'
press x

# ---- a slot passes on, a kill, a resize, a pool that goes ----

kill "$first"
eventually "the first in line has the slot" shows '^  slot [01] .*sleep 600\.1$'
agrees gpu "what status says, after a release"
kill -KILL "$holder"
eventually "the next has the slot of the dead" shows '^  slot [01] .*sleep 600\.2$'
agrees gpu "what status says, after a kill"
"$BERTH" resize idle 5
eventually "a resize" shows '^  idle +5 '
"$BERTH" rm idle
eventually "a pool less" shows_not '^  idle '

# ---- the store goes away and comes back ----

kill -STOP "${server[0]}"
eventually "the store does not answer" shows 'in time'
press q
eventually "q, while it does not answer" shows_not '^berth top '
kill -CONT "${server[0]}"
open 80 24 'berth top -d 0.2 gpu'
eventually "top" shows '^  place 1 '
kill -STOP "${server[0]}"
eventually "the store does not answer for a pool" shows '^  gpu .*in time'
kill -CONT "${server[0]}"
eventually "it is back" shows '^  place 1 '
agrees gpu "what status says, after an outage"
press q
eventually "the end" shows_not '^berth top '
finish
