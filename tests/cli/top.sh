#!/bin/bash
# berth top, as a person uses it: in a terminal (of tmux), with keys, and beside what berth status says.
# BERTH is the command under test.
subcommand=top
rows_in=pools
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

# shellcheck source=../terminal.bash
. "$(dirname "$0")/../terminal.bash"

# ---- no screen ----

expect 0 --once -d 0.1
[ ! -s "$output" ] || complain "no pools, and yet"
expect 1 nobody
[ "$(wc -l <"$output")" -eq 1 ] || complain "nobody: not one line"
grep -q '^berth: top: .*nobody' "$output" || complain "nobody: says something else"
expect 1 --store "$dir/nowhere"
"$BERTH" run -j 3 idle -- true
expect 0 idle -d 0.1 # standard output is no terminal
[ "$(cat "$output")" = 'idle: 3 slots, 0 held, 0 waiting; 0.00 grants/s, 0 died' ] || complain "idle"
"$BERTH" top idle -d 0.1 >&- 2>/dev/null
[ $? -eq 125 ] || complain "standard output is closed, and yet"
while read -r arguments; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "top $arguments: not one line"
done <<'LIST'
idle gpu
--nothing
--store
-d
-d 0
-d 0.05
-d often
.hidden
a/b
LIST

# Grants in a second: twelve of them between two looks that are three seconds apart.
"$BERTH" top busy --once 2>/dev/null
"$BERTH" run -j 1 busy -- true
"$BERTH" top busy --once -d 3 >"$dir/rate" &
looking=$!
sleep 0.5
for _ in {1..12}; do "$BERTH" run busy -- true; done
wait $looking
cp "$dir/rate" "$output"
awk -F '[; ]+' '{ rate = $8; exit } END { exit !(rate > 2 && rate <= 4) }' "$output" ||
    complain "not 12 grants in 3 seconds"
"$BERTH" rm busy

# The program is found beside the command, and the command says so where there is none.
mkdir "$dir/alone"
cp "$BERTH" "$dir/alone/berth"
"$dir/alone/berth" top >"$output" 2>&1
[ $? -eq 125 ] && grep -q '^berth: top: .*berth-top is not installed' "$output" ||
    complain "without berth-top"
mkdir -p "$dir/usr/bin" "$dir/usr/libexec/berth"
cp "$BERTH" "$dir/usr/bin/berth"
cp "$(dirname "$BERTH")/berth-top" "$dir/usr/libexec/berth/"
"$dir/usr/bin/berth" top idle -d 0.1 >"$output" 2>&1 || complain "as it is installed"

# ---- who holds and who waits, beside what status says ----

lasting=600
"$BERTH" run -j 2 gpu -- true
hold gpu
first=$holder first_worker=$worker
hold gpu
for i in {1..30}; do
    "$BERTH" run gpu -- sleep "600.$i" &
    eval "waiter$i=$!"
    eventually "waiter $i" state_is gpu "2 2 $i"
done
# --once has the lines of status.
expect 0 gpu -d 0.1
sed -E 's/[0-9]+\.[0-9] s/TIME/; 1s/;.*//' "$output" >"$dir/once"
"$BERTH" status gpu | sed -E 's/[0-9]+\.[0-9] s/TIME/' | diff - "$dir/once" >"$output" ||
    complain "--once shows others than status"

open 80 24 'stty -g | cksum'
eventually "a terminal" shows '^[0-9]+ [0-9]+$' || finish
before=$(head -n 1 "$output")
for size in '80 24' '50 9' '60 5' '200 60'; do
    # shellcheck disable=SC2086 # two numbers
    open $size 'berth top -d 0.2 gpu'
    eventually "a screen of $size" shows '^  place 1 '
    agrees gpu "what status says, in $size"
done
# While it runs.
for size in '80 24' '30 3' '132 43' '1 1' '20 8' '80 24'; do
    # shellcheck disable=SC2086
    resize $size
    [ "$(about 'pane_width} #{pane_height')" = "$size" ] || complain "the terminal is not $size"
    case $size in
    '1 1' | '20 8' | '30 3') sleep 0.4 ;; # no room for whole lines
    *) agrees gpu "what status says, resized to $size" ;;
    esac
done
eventually "the whole width" shows '^berth top .*every 0.2 s  [0-9:]{8}$'
[ "$(wc -l <"$output")" -eq 24 ] || complain "not 24 rows"
awk 'length > 80 { exit 1 }' "$output" || complain "wider than the terminal"

# Scrolling; 16 of the 30 have room.
eventually "a range" shows '  1-16 of 30 \*$'
press Down
eventually "a line further" first_place 2
press NPage
eventually "a page further" last_place 30
press Up
eventually "a line back" first_place 14
agrees gpu "what status says, scrolled"
press Home
eventually "the start" first_place 1
press End
eventually "the end" first_place 15
press Down Down
sleep 0.3
first_place 15 || complain "scrolled beyond the end"
press PPage PPage PPage
eventually "the start again" first_place 1

# Help, on top of it, until any key; q quits from there, too.
press '?'
eventually "help" shows ' q +quit'
shows 'grants/s +between the last two looks' || complain "help does not say what grants/s are"
press x
eventually "no help" shows_not 'this help'

# Pools to choose from: Tab, and the arrows.
open 80 24 'berth top -d 0.2'
eventually "the first of two pools" shows '^> gpu +2 +2 +30 +0\.00 +3 +0$'
shows '^  idle +3 +0 +0 ' || complain "idle is not in the list"
agrees gpu "what status says, of two"
press Tab
eventually "the other pool" shows '^> idle '
shows '^  3 free$' || complain "idle: not 3 free slots"
shows 'place' && complain "the queue of another pool"
press Right
eventually "round to the first" shows '^> gpu '
press Left
eventually "and back" shows '^> idle '
press BTab
eventually "and back again" shows '^> gpu '

# ---- a kill, and a pool that grows, goes, comes and breaks under it ----

kill -KILL "$first" "$first_worker"
wait "$first" 2>/dev/null
eventually "the kill" shows '^> gpu +2 +2 +29 +[0-9.]+ +4 +1$'
eventually "the first in line has the slot" shows '^  slot [01] .*sleep 600\.1$'
agrees gpu "what status says, after a kill"
"$BERTH" resize idle 5
eventually "a resize" shows '^  idle +5 '
"$BERTH" run added -- true
eventually "a new pool" shows '^  added +1 '
shows '^> gpu ' || complain "another pool was chosen by itself"
"$BERTH" rm idle
eventually "a pool less" shows_not '^  idle '
shows '^> gpu ' || complain "another pool was chosen by itself"
truncate -s 5000 "$BERTH_STORE/added.berth"
eventually "a damaged pool" shows '^  added .*(size|damaged|bytes)'
agrees gpu "what status says, beside a damaged one"
rm "$BERTH_STORE/added.berth"
eventually "none of it is left" shows_not '^  added '
press q
eventually "the end" shows_not '^> gpu '

# A pool that was asked for is missed, and found again.
"$BERTH" run -j 1 coming -- true
open 80 24 'berth top -d 0.2 coming'
eventually "coming" shows '^  coming +1 +0 +0 '
"$BERTH" rm coming
eventually "gone" shows '^  coming .*(no pool|not exist)'
"$BERTH" run -j 4 coming -- true
eventually "come" shows '^  coming +4 +0 +0 '

# ---- what a process calls itself ----

"$BERTH" run strange -c $'exec sleep 60 # \e]2;pwned\a\e[31m\xff \u00e9 \u202e\u6f22 \u009b2J end' &
strange=$!
eventually "the strange one" state_is strange '1 1 0'
for locale in C.UTF-8 C; do
    open 100 24 "LC_ALL=$locale berth top -d 0.2 strange"
    accent=é wide='\?漢'
    [ $locale = C.UTF-8 ] || accent='\?' wide='\?\?'
    eventually "the strange one in $locale" \
        shows "^  slot 0 .*exec sleep 60 # [ ?]\]2;pwned[ ?][ ?]\[31m\? $accent $wide \?2J end$"
    [ "$(about pane_title)" != pwned ] || complain "$locale: the title of the terminal was changed"
    terminal capture-pane -e -p -t top | grep -q $'\e\\[31m' && complain "$locale: in red"
done
press q
kill "$strange"
wait "$strange" 2>/dev/null

# ---- the terminal afterwards ----

# in_order WHAT: the terminal is as it was before.
in_order() {
    eventually "$1: as it was" shows "^$before$"
    [ "$(about 'alternate_on} #{cursor_flag} #{keypad_cursor_flag')" = '0 1 0' ] ||
        complain "$1: left the terminal with $(about 'alternate_on} #{cursor_flag} #{keypad_cursor_flag')"
}
# Without job control the shell does nothing about the terminal.
open 80 24 'berth top -d 0.2 gpu; echo "status $?"; stty -g | cksum'
eventually "top" shows '^  place 1 '
press q
eventually "q" shows '^status 0$'
in_order q
for signal in 'INT 130' 'TERM 143' 'HUP 129' 'QUIT 131'; do
    open 80 24 "ulimit -c 0; trap : INT QUIT HUP; berth top -d 0.2 gpu; echo \"status \$?\"; stty -g | cksum"
    eventually "top" shows '^  place 1 '
    kill "-${signal% *}" "$(top_pid)"
    eventually "${signal% *}" shows "^(status ${signal#* })$"
    in_order "${signal% *}"
done
open 80 24 "trap : INT; berth top -d 0.2 gpu; echo \"status \$?\"; stty -g | cksum"
eventually "top" shows '^  place 1 '
press C-c
eventually "Ctrl-C" shows '^status 130$'
in_order Ctrl-C

# Stopped, by the key and by a signal, and continued; in a shell with job control.
open 80 24 'PS1="ready>" bash --norc --noediting -i'
eventually "a shell" shows '^ready>$'
press 'berth top -d 0.2 gpu' Enter
eventually "top" shows '^  place 1 '
press C-z
eventually "Ctrl-Z" shows 'Stopped'
[ "$(about 'alternate_on} #{cursor_flag')" = '0 1' ] || complain "stopped: the screen is not the shell's"
resize 100 20
press fg Enter
eventually "back, in another size" shows '^berth top .{80}.*[0-9:]{8}$'
eventually "and up to date" shows '^  place 1 '
[ "$(about 'alternate_on} #{cursor_flag')" = '1 0' ] || complain "fg: not on its own screen"
kill -STOP "$(top_pid)"
eventually "SIGSTOP" shows 'Stopped'
press fg Enter
eventually "back from SIGSTOP" shows_not 'Stopped'
agrees gpu "what status says, back from SIGSTOP"
press q
eventually "the shell" shows '^ready>$'
[ "$(about 'alternate_on} #{cursor_flag')" = '0 1' ] || complain "q after fg: not the shell's screen"
press 'echo sane' Enter
eventually "a shell that echoes" shows '^sane$'

# The terminal goes away: so does the program.
open 80 24 'trap "" HUP; exec berth top -d 0.2 gpu'
eventually "top" shows '^  place 1 '
pid=$(top_pid)
open 80 24 true
eventually "no terminal, no top" gone "${pid:-$$}"

# Keys come from the terminal even if standard input is something else.
open 80 24 'berth top -d 0.2 gpu </dev/null; echo "status $?"; stty -g | cksum'
eventually "top" shows '^  place 1 '
press q
eventually "q from /dev/tty" shows '^status 0$'
in_order '</dev/null'
# Where nothing can be drawn, there is one look.
for TERM_ in dumb no-such-terminal; do
    open 80 24 "TERM=$TERM_ berth top -d 0.2 gpu | cat; TERM=$TERM_ berth top -d 0.2 gpu 2>&1 | cat
        TERM=$TERM_ berth top -d 0.2 added; TERM=$TERM_ berth top -d 0.2 coming; stty -g | cksum"
    eventually "TERM=$TERM_" shows "no screen can be drawn on the terminal \"$TERM_\""
    eventually "TERM=$TERM_: one look" shows '^coming: 4 slots, 0 held, 0 waiting; '
    in_order "TERM=$TERM_"
done

kill "$holder"
finish
