#!/bin/bash
# berth ls, rm, resize and wait. BERTH is the command under test.
rows_in=pools
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

one_line() {
    [ "$(wc -l <"$output")" -eq 1 ] || complain "$subcommand $*: not one line"
    grep -q '^berth: ' "$output" || complain "$subcommand $*: not berth's"
}
bad_usage() {
    while read -r arguments; do
        # shellcheck disable=SC2086 # the arguments are several words
        expect 2 $arguments
        one_line "$arguments"
    done
}

# ---- ls ----

subcommand="ls"
expect 0
[ ! -s "$output" ] || complain "no pools, and yet"
expect 0 --json
check empty 'd == {"version": 1, "pools": []}'
"$BERTH" run -j 2 b -- true
"$BERTH" run -j 30 a -- true
"$BERTH" run c.d_e-f -- true
hold b
expect 0
[ "$(tr -s ' ' <"$output")" = "pool slots held waiting
a 30 0 0
b 2 1 0
c.d_e-f 1 0 0" ] || complain "another table"
expect 0 -q
[ "$(tr '\n' ' ' <"$output")" = 'a b c.d_e-f ' ] || complain "other names"
expect 0 --json
check ls '[list(r) for r in rows] == 3 * [["pool", "store", "slots", "held", "waiting"]]' \
    '[(r["pool"], r["slots"], r["held"], r["waiting"]) for r in rows] == [("a", 30, 0, 0), ("b", 2, 1, 0), ("c.d_e-f", 1, 0, 0)]' \
    "all(r['store'] == '$BERTH_STORE' for r in rows)"
mkdir -m 700 "$dir/other"
expect 0 -q --store "$dir/other"
[ ! -s "$output" ] || complain "pools in another store"
"$BERTH" run --store "$dir/other" there -- true || complain "run --store"
expect 0 -q --store "$dir/other"
[ "$(cat "$output")" = there ] || complain "the pool of another store"
expect 1 -q --store "$dir/missing"
one_line --store missing
bad_usage <<'LIST'
a
-q --json
--nothing
--store relative
LIST
# A pool that may not be read is reported, and the others are listed. (Root may read everything.)
mkdir -m 700 "$dir/mixed"
for pool in open shut; do "$BERTH" run --store "$dir/mixed" $pool -- true; done
chmod 000 "$dir/mixed/shut.berth"
as=()
if [ "$(id -u)" -eq 0 ]; then
    as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chown -R 65534 "$dir/mixed" && chmod 711 "$dir"
fi
if "${as[@]}" "$BERTH" --version >"$output" 2>&1; then
    for command in ls status; do
        "${as[@]}" "$BERTH" $command --store "$dir/mixed" >"$output" 2>&1
        [ $? -eq 125 ] || complain "$command: a pool that may not be read is passed over"
        grep -q '^berth: .*shut.*denied' "$output" || complain "$command: does not say which"
        grep -q '^open\b' "$output" || complain "$command: the others are not shown"
    done
else
    echo "left out: nobody may run $BERTH"
fi

# ---- rm ----

subcommand="rm"
expect 1 b
one_line b
grep -qx "berth: rm: pool b is open in process $worker: sleep 60" "$output" || complain "in use: does not say by whom"
expect 1 -f b
grep -q 'is open in process' "$output" || complain "--force: a pool in use is removed"
kill "$holder"
wait "$holder"
expect 0 b
[ ! -s "$output" ] || complain "rm says something"
expect 1 b
one_line b
expect 1 nobody a
one_line nobody a
[ "$("$BERTH" ls -q)" = c.d_e-f ] || complain "rm nobody a: $("$BERTH" ls -q)"
bad_usage <<'LIST'

--nothing
.hidden
LIST
# The next process that uses it makes it again.
"$BERTH" run -j 5 a -- true || complain "a pool cannot be made again"

# ---- resize ----

subcommand=resize
expect 0 a 7
[ ! -s "$output" ] || complain "resize says something"
state_is a '7 0 0' || complain "resized: $(state a)"
"$BERTH" run -j 7 a -- true || complain "-j with the new number is refused"
expect 1 nobody 3
one_line nobody 3
! "$BERTH" ls -q | grep -q nobody || complain "resize has made a pool"
bad_usage <<'LIST'

a
a 1 2
a -1
a 1025
a many
.hidden 1
--nothing
LIST
# More at once: those that wait are let in.
"$BERTH" run -j 1 grow -- true
hold grow
one=$holder
"$BERTH" run grow -- sh -c "touch '$dir/grown'" &
eventually "a waiter" state_is grow '1 1 1'
expect 0 grow 2
eventually "the waiter's turn" test -e "$dir/grown"
wait $!
# Fewer as they come free: nobody loses one, and the slot that is too many is not handed on.
hold grow
two=$holder
expect 0 grow 1
state_is grow '1 2 0' || complain "shrunk: $(state grow)"
[ "$("$BERTH" run -n grow -- echo got 2>&1)" != got ] || complain "a slot that is not there"
if [ "$(held_by grow 1)" = "$worker" ]; then first=$two second=$one; else first=$one second=$two; fi
kill "$first"
wait "$first"
[ "$("$BERTH" run -n grow -- echo got 2>&1)" != got ] || complain "one of one is held"
kill "$second"
wait "$second"
[ "$("$BERTH" run -n grow -- echo got 2>&1)" = got ] || complain "the last slot is lost"
state_is grow '1 0 0' || complain "in the end: $(state grow)"
# Nor is it handed on to the one that waits, which gets a slot that is wanted.
"$BERTH" run -j 2 less -- true
hold less
one=$holder
hold less
two=$holder
if [ "$(held_by less 1)" = "$worker" ]; then first=$two second=$one; else first=$one second=$two; fi
"$BERTH" run less -- sh -c "echo \$BERTH_SLOT >'$dir/less'" &
eventually "a waiter for less" state_is less '2 2 1'
expect 0 less 1
kill "$first"
wait "$first"
sleep 0.2
state_is less '1 1 1' || complain "a slot that is wanted no more: $(state less)"
kill "$second"
wait "$second"
eventually "the waiter for less" test -s "$dir/less"
[ "$(cat "$dir/less")" = 0 ] || complain "the waiter got slot $(cat "$dir/less") of one"
# None: nobody is let in until there are some again.
expect 0 grow 0
"$BERTH" run grow -- sh -c "touch '$dir/again'" &
eventually "a waiter for nothing" state_is grow '0 0 1'
sleep 0.2
[ ! -e "$dir/again" ] || complain "ran without a slot"
expect 0 grow 1
eventually "let in again" test -e "$dir/again"
wait $!

# ---- wait ----

subcommand="wait"
expect 0 a
[ ! -s "$output" ] || complain "wait says something"
expect 1 nobody
one_line nobody
hold a
expect 75 a -w 0
one_line a -w 0
start=$(now_ms)
expect 75 -w 0.3 a
took=$(($(now_ms) - start))
[[ $took -ge 300 && $took -lt 5000 ]] || complain "-w 0.3 took $took ms"
"$BERTH" run -j 7 a -- sh -c 'sleep 0.6' &
(sleep 0.3 && kill "$holder") &
start=$(now_ms)
expect 0 --timeout 10 a
took=$(($(now_ms) - start))
[[ $took -ge 400 && $took -lt 5000 ]] || complain "wait took $took ms"
state_is a '7 0 0' || complain "waited, and yet: $(state a)"
wait
# A process that waits for a slot keeps it waiting too, where nobody holds one.
"$BERTH" resize a 0
"$BERTH" run a -- true &
eventually "a waiter for none" state_is a '0 0 1'
expect 75 -w 0 a
"$BERTH" resize a 7
wait $!
# Several: until all of them are unused.
"$BERTH" run other -- true
hold other
expect 75 -w 0.1 a other
grep -q 'other is still in use' "$output" || complain "does not say which"
expect 1 -w 0.1 a othre
grep -q 'did you mean other?' "$output" || complain "no suggestion"
(sleep 0.3 && kill "$holder") &
expect 0 -w 10 other a
wait

# When all seats are taken, a pool is resized and drained without one.
subcommand=create expect 0 --seats 2 -j 1 full
hold full
holder_of_full=$holder
"$BERTH" run full -- touch "$dir/full" &
eventually "a waiter in the last seat" state_is full '1 1 1'
subcommand=drain expect 75 -w 0.1 full
state_is full '0 1 1' || complain "drain without a seat: $(state full)"
subcommand=resize expect 0 full 2
eventually "the waiter has a slot" test -e "$dir/full"
kill "$holder_of_full"
wait "$holder_of_full"

# ---- drain ----

subcommand=drain
"$BERTH" run -j 2 sink -- true
hold sink
expect 75 sink -w 0.2
grep -q 'had 2 slots; berth resize sink 2' "$output" || complain "does not say how to undo it"
grep -q 'still in use' "$output" || complain "does not say that it is in use"
state_is sink '0 1 0' || complain "not drained: $(state sink)"
"$BERTH" run sink -- touch "$dir/drained" &
waiter=$!
eventually "a waiter for a drained pool" state_is sink '0 1 1'
(sleep 0.3 && kill "$holder") &
expect 0 -w 10 sink
state_is sink '0 0 1' || complain "drained: $(state sink)"
[ ! -e "$dir/drained" ] || complain "a slot was handed out"
"$BERTH" resize sink 2
wait $waiter
[ -e "$dir/drained" ] || complain "resize does not undo it"
wait
expect 1 sinc
grep -q 'did you mean sink?' "$output" || complain "no suggestion for sinc"
bad_usage <<'LIST'

a b
-w soon a
--nothing
.hidden
LIST
subcommand="wait"
# A pool that is removed during the wait is not in use.
hold gone
(sleep 0.2 && rm "$BERTH_STORE/gone.berth") &
expect 0 -w 10 gone
kill "$holder"
wait
bad_usage <<'LIST'

a -w soon
a -w
--nothing
.hidden
LIST

finish
