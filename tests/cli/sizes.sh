#!/bin/bash
# Sizes instead of slots, where a unit is declared; and --when, which is asked at the head of the line. BERTH is the
# command under test.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
says() { grep -qE -- "$1" "$output" || complain "does not say: $1"; }

# ---- sizes ----

mkdir -p "$XDG_CONFIG_HOME/berth/pools.d"
lab=$XDG_CONFIG_HOME/berth/pools.d/lab.conf
printf '[ram]\nunit = 1G\nsize = 64G\n[disk]\nunit = 512M\nslots = 10\n' >"$lab"
expect 0 -q ram:16G -- sh -c 'echo $BERTH_SLOT | tr , "\n" | wc -l; echo $BERTH_SLOTS'
[ "$(tr '\n' ' ' <"$output")" = '16 64 ' ] || complain "16G of 64G"
expect 0 ram:1500M -- sh -c 'echo $BERTH_SLOT'
says '^[0-9]+,[0-9]+$' # rounded up
expect 0 ram:3,disk:1G -q -- sh -c 'echo $BERTH_SLOT | tr " ," "\n\n" | wc -l'
[ "$(cat "$output")" = 5 ] || complain "3 units of one, and 1G of the other"
"$BERTH" run ram:40G -- sleep 60 &
holder=$!
eventually "40G" state_is ram '64 40 0'
expect 75 -n ram:25G -- true
expect 0 -n ram:24G -- true
kill $holder
wait $holder 2>/dev/null
for wrong in ram:2000G ram:0G ram:1X ram:G gpu:16G ram:-1G ram:1.5G; do
    expect 2 "$wrong" -- touch "$dir/never"
    [ "$(wc -l <"$output")" -eq 1 ] && grep -qe "${wrong#*:}" "$output" || complain "$wrong: does not name it"
done
expect 2 ram:65G -- touch "$dir/never" # more than there is, ever
for wrong in 'size = 4G' 'unit = 1G\nsize = 2000G' 'unit = 1G\nsize = 1M' 'unit = x' 'size = 0' 'unit = 1G\nsize = 2G\nslots = 2'; do
    # shellcheck disable=SC2059 # it has line ends
    printf "[wrong]\n$wrong\n" >"$lab"
    expect 125 wrong -- touch "$dir/never"
    says 'lab.conf'
done
[ ! -e "$dir/never" ] || complain "ran"
rm -r "$XDG_CONFIG_HOME/berth"

# ---- --when ----

expect 0 -q --when true p -- sh -c 'exit 0'
start=$(now_ms)
(sleep 1.3; touch "$dir/now") &
expect 5 --when '[ -e "'"$dir"'/now" ] && echo noise' p -- sh -c '[ -e "$0" ] || exit 1; exit 5' "$dir/now"
[ $(($(now_ms) - start)) -ge 1300 ] || complain "started too early"
grep -q "^noise" "$output" && complain "what CMD prints is shown"
says '^berth: waiting with the slot of p until this succeeds \(now: status 1\): '
wait
# It is asked with the slot, which others wait for behind it; and knows which it is.
"$BERTH" run -q --when '[ "$BERTH_SLOT" = 0 ] && [ -e "'"$dir"'/go" ]' p -- touch "$dir/first" &
eventually "it has the slot" state_is p '1 1 0'
"$BERTH" run -q p -- sh -c '[ -e "$0" ]' "$dir/first" &
behind=$!
eventually "another waits behind" state_is p '1 1 1'
touch "$dir/go"
wait $behind || complain "overtaken by one behind"
wait
# It gives up, and the slot is back.
expect 75 -n --when false p -- touch "$dir/never"
says '^berth: run: what --when asks for is not true: false$'
start=$(now_ms)
expect 75 -w 1.2 --when 'sleep 60' p -- touch "$dir/never"
[ $(($(now_ms) - start)) -lt 20000 ] || complain "a command that hangs is waited for"
expect 9 -E 9 -w 0.3 --when false p -- touch "$dir/never"
[ ! -s "$output" ] || complain "-E: says something"
expect 0 -n p -- true
# A signal while it asks ends it.
"$BERTH" run -q --when false p -- touch "$dir/never" &
asking=$!
eventually "it asks" state_is p '1 1 0'
kill -TERM $asking
wait $asking
[ $? -eq 143 ] || complain "TERM while it asks"
eventually "the slot is back" state_is p '1 0 0'
[ ! -e "$dir/never" ] || complain "ran, although"
env --ignore-signal=CHLD "$BERTH" run --when true p -- true || complain "SIGCHLD ignored"
finish
