#!/bin/bash
# What berth run says of its waits where standard error is no terminal: a line after a second, and again after two
# and four minutes (the latter with LONG=1 alone), who holds and how many are ahead; and nothing with -q. (At a
# terminal: cli/signals.) BERTH is the command under test.
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

says() { grep -qE -- "$1" "$output" || complain "does not say: $1"; }
lines() { [ "$(wc -l <"$output")" -eq "$1" ] || complain "$2: not $1 lines"; }
held='slot 0 for [0-9]+ s by pid [0-9]+ \(sleep 60\)'

# ---- it gives up ----

hold p
expect 75 -n p -- true
lines 1 "-n"
says "^berth: run: pool p has no free slot \(0 waiting, 1 held, $held\)$"
expect 75 -w 0.2 p -- true
lines 1 "-w 0.2"
says "^berth: run: pool p: no slot came free in time \(0 waiting, 1 held, $held\)$"
expect 75 -w 1.5 p -- true
lines 2 "-w 1.5"
says "^berth: waiting for p: 0 ahead, 1 held, $held$"
says "^berth: run: pool p: no slot came free in time \("
expect 75 -q -w 1.5 p -- true
lines 1 "-q" # that it failed is said
expect 0 -E 0 -w 1.5 p -- true
lines 0 "-E"
expect 0 -v -E 0 -w 1.5 p -- true
lines 3 "-v -E"
says '^berth: waiting for p: '

# ---- several pools: the line names those that are lacking ----

"$BERTH" run -j 2 pair -- true
expect 75 -w 1.5 p,pair:2 -- true
says "^berth: waiting for p: 0 ahead, 1 held, $held$"
grep 'waiting for.*pair' "$output" && complain "names a pool whose slots it has"
expect 75 -n p,pair:2 -- true
says "^berth: run: not all of the slots are free \(p: 0 waiting, 1 held, $held; pair: 0 waiting, 0 held\)$"

# ---- the line, with others ahead ----

"$BERTH" run -w 9 p -- true 2>"$dir/one" &
eventually "one waits" state_is p '1 1 1'
"$BERTH" run -w 9 p -- sleep 0.5 2>"$dir/two" &
eventually "two wait" state_is p '1 1 2'
"$BERTH" run -q -w 9 p -- true 2>"$dir/quiet" &
eventually "three wait" state_is p '1 1 3'
eventually "the second says who is ahead" grep -q '^berth: waiting for p: 1 ahead, 1 held, slot 0 for ' "$dir/two"
eventually "the first says that nobody is" grep -q '^berth: waiting for p: 0 ahead, 1 held, slot 0 for ' "$dir/one"
sleep 1.2
kill "$holder"
wait
for name in one two; do
    cp "$dir/$name" "$output"
    lines 1 "$name"
done
cp "$dir/quiet" "$output"
lines 0 "the quiet one"

# What a stranger calls its command cannot write to the terminal of another.
"$BERTH" run strange -c $'exec sleep 60 # \e]2;pwned\a' &
strange=$!
eventually "the strange one" state_is strange '1 1 0'
expect 75 -n strange -- true
grep -q $'\e' "$output" && complain "an escape sequence is printed"
kill $strange
wait $strange 2>/dev/null

# ---- nobody reads it ----

hold p
"$BERTH" run -w 1.5 p -- true 2>&-
[ $? -eq 75 ] || complain "standard error is closed, and yet"
(trap '' PIPE && "$BERTH" run -w 1.5 p -- true 2> >(exec true))
[ $? -eq 75 ] || complain "nobody reads standard error, and yet"
kill "$holder"
wait "$holder" 2>/dev/null

# ---- after minutes ----

if [ "${LONG:-0}" != 0 ]; then
    lasting=300 hold p
    timeout 245 "$BERTH" run p -- true 2>"$output"
    lines 3 "four minutes"
    says 'slot 0 for [0-9]+ s by'
    says 'slot 0 for 2 min by'
    says 'slot 0 for 4 min by'
    kill "$holder"
    wait "$holder" 2>/dev/null
fi
finish
