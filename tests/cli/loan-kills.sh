#!/bin/bash
# The kill matrix of loans, row by row (docs/RECOVERY.md), with real SIGKILLs. BERTH is the command under
# test.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
export BERTH dir
exec 2>"$dir/reports"

# tree POOL SCRIPT: an outer run whose command is a shell that starts a run in the background, in which
# `sleep` works. $outer is the outer run, $command its shell, $inner the nested run, $work what works in it.
tree() {
    rm -f "$dir"/inner "$dir"/work "$dir"/command
    "$BERTH" run "$1" -- sh -c 'echo $$ >"$dir/command"
        "$BERTH" run "$0" -- sh -c "echo \$\$ >\"\$dir/work\"; exec sleep 60" & echo $! >"$dir/inner"
        '"$2" "$1" &
    outer=$!
    eventually "$1: a tree" all_there command inner work
    read -r command <"$dir/command"
    read -r inner <"$dir/inner"
    read -r work <"$dir/work"
    printf '%s\n' "$command" "$inner" "$work" >>"$dir/pids"
    eventually "$1: a loan" lent "$1"
}
all_there() {
    local name
    for name; do
        [ -s "$dir/$name" ] || return
    done
}
lent() { "$BERTH" status "$1" | grep -q '^    lent 0 '; }
not_lent() { ! lent "$1"; }
taken() {
    state_is "$1" '1 1 0' || complain "$2: $(state "$1")"
    expect 75 -n "$1" -- true
    expect 75 -w 0.4 "$1" -- true
}
# free POOL: within the time of a look, as anybody's slot.
free() {
    expect 0 -w 5 "$1" -- true
    eventually "$1 is free" state_is "$1" '1 0 0'
}

# The nested run, while its command works: the loan stays with the command.
tree inner 'wait; exec sleep 60'
kill -KILL "$inner"
eventually "the nested run is gone" gone "$inner"
lent inner || complain "the loan went with the nested run"
kill -KILL "$work"
eventually "the loan comes back" not_lent inner
kill -KILL "$command"
wait "$outer"
free inner

# The nested command: its run gives the loan back; the outer command can lend it again.
tree work 'wait; "$BERTH" run -w 10 "$0" -- touch "$dir/again"'
kill -KILL "$work"
wait "$outer"
[ -e "$dir/again" ] || complain "it is not lent again"
free work

# The outer run: its command, and the nested run, keep the slot.
tree outer 'wait'
kill -KILL "$outer"
wait "$outer"
taken outer "the outer run was killed"
kill -KILL "$inner" "$work"
free outer

# The outer run and its command: the nested run keeps the slot; then it comes back, to the waiter.
tree both 'wait'
kill -KILL "$outer" "$command"
wait "$outer"
taken both "the outer run and its command were killed"
wait_for both heir
start=$(now_ms)
kill "$inner"
within "the nested run ended" "$start" 2000 heir
free both

# The same, and then the nested run and its command are killed too.
tree all 'wait'
kill -KILL "$outer" "$command"
wait "$outer"
wait_for all heir-of-all
start=$(now_ms)
kill -KILL "$inner" "$work"
within "everybody was killed" "$start" 2000 heir-of-all
free all

# Everybody at once.
tree every 'wait'
kill -KILL "$outer" "$command" "$inner" "$work"
wait "$outer"
free every

# Nobody: the command ends and leaves a nested run behind. The outer run ends with it; the slot stays.
start=$(now_ms)
tree behind 'sleep 0.5'
wait "$outer"
[ $(($(now_ms) - start)) -lt 8000 ] || complain "the outer run waits for what was left behind"
taken behind "the command left a nested run behind"
"$BERTH" status --json behind >"$output"
rows_in=pools
check "status" 'rows[0]["holders"][0]["pid"] == '"$work" \
    '[(x["level"], x["left"]) for x in rows[0]["holders"][0]["loans"]] == [(1, True)]'
wait_for behind next
start=$(now_ms)
kill "$inner"
within "what was left behind ended" "$start" 2000 next
free behind

# With -o nothing is inherited: the outer run is killed, its command works on without a slot; what has
# borrowed it keeps it.
rm -f "$dir"/work "$dir"/command
"$BERTH" run -o closed -- sh -c 'echo $$ >"$dir/command"; "$BERTH" run closed -- sh -c "echo \$\$ >\"\$dir/work\"; exec sleep 60" & wait' &
outer=$!
eventually "a borrower" all_there work command
read -r command <"$dir/command"
read -r work <"$dir/work"
printf '%s\n' "$command" "$work" >>"$dir/pids"
kill -KILL "$outer"
wait "$outer"
taken closed "-o, and the outer run was killed"
kill -KILL "$work"
free closed
kill -KILL "$command"

# The one in the middle, with its command: the one inside it works on, and the slot is not lent again
# until that has ended.
rm -f "$dir"/{middle,middle-shell,deep}
"$BERTH" run deep -- sh -c '
    "$BERTH" run deep -- sh -c "echo \$\$ >\"\$dir/middle-shell\"; \"\$BERTH\" run deep -- sh -c \"echo \\\$\\\$ >\\\"\\\$dir/deep\\\"; exec sleep 60\" & wait" &
    echo $! >"$dir/middle"; exec sleep 60' &
outer=$!
eventually "three levels" all_there middle middle-shell deep
read -r middle <"$dir/middle"
read -r shell <"$dir/middle-shell"
read -r deep <"$dir/deep"
printf '%s\n' "$middle" "$shell" "$deep" >>"$dir/pids"
loans=$(tr '\0' '\n' <"/proc/$(pgrep -P "$outer")/environ" | sed -n 's/^BERTH_LOANS=//p')
kill -KILL "$middle" "$shell"
eventually "the middle is gone" gone "$middle" "$shell"
BERTH_LOANS=$loans timeout 20 "$BERTH" run -n deep -- true
[ $? -eq 75 ] || complain "it was lent twice"
kill -KILL "$deep"
BERTH_LOANS=$loans timeout 20 "$BERTH" run -w 5 deep -- true || complain "it is not lent again after the deepest"
kill "$outer"
wait "$outer"
free deep

finish
