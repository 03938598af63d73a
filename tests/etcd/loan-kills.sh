#!/bin/bash
# The kill matrix of loans of a pool in etcd, with real SIGKILLs: whichever process is killed, a slot that is lent
# is neither lost nor given to another client while any process works in it. docs/ETCD.md has the rows.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
. "$(dirname "$0")/lib.bash"
export BERTH_CGROUP=no # cgroup.sh is about what a cgroup does
start_cluster 1
export BERTH_STORE="etcd://$hosts/kills?ttl=4" BERTH dir
exec 2>"$dir/reports"

# tree POOL SCRIPT: an outer run whose command is a shell that starts a run in the background, in which a
# shell has a child that works. $outer is the outer run, $command its shell, $inner the nested run, $work
# its shell, $grandchild what works there.
tree() {
    rm -f "$dir"/{inner,work,command,grandchild}
    "$BERTH" run "$1" -- sh -c 'echo $$ >"$dir/command"
        "$BERTH" run "$0" -- sh -c "echo \$\$ >\"\$dir/work\"; sleep 60 & echo \$! >\"\$dir/grandchild\"; wait" &
        echo $! >"$dir/inner"
        '"$2" "$1" &
    outer=$!
    eventually "$1: a tree" all_there command inner work grandchild
    read -r command <"$dir/command"
    read -r inner <"$dir/inner"
    read -r work <"$dir/work"
    read -r grandchild <"$dir/grandchild"
    printf '%s\n' "$command" "$inner" "$work" "$grandchild" >>"$dir/pids"
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
free() {
    expect 0 "$BERTH" run -w 20 "$1" -- true
    eventually "$1 is free" state_is "$1" '1 0 0'
}
loans_of() { tr '\0' '\n' <"/proc/$1/environ" | sed -n 's/^BERTH_LOANS=//p'; }

# The nested run: all of its command goes, and only then is the slot lent again. While its guardian cannot
# do that, the loan is kept.
tree inner 'wait; exec sleep 60'
loans=$(loans_of "$inner")
guardian=$(pgrep -P "$inner" berth-guardian)
kill -STOP "$guardian"
kill -KILL "$inner"
eventually "the nested run is gone" gone "$inner"
BERTH_LOANS=$loans timeout 20 "$BERTH" run -n inner -- true
[ $? -eq 75 ] || complain "it was lent while a child of the nested command worked"
gone "$grandchild" && complain "nobody works, so that this says nothing"
kill -CONT "$guardian"
eventually "the nested command is gone" gone "$work" "$grandchild"
BERTH_LOANS=$loans timeout 20 "$BERTH" run -w 10 inner -- true || complain "it is not lent again"
eventually "the loan is not shown any more" not_lent inner
state_is inner '1 1 0' || complain "the outer run lost its slot: $(state inner)"
kill -KILL "$command"
wait "$outer"
free inner

# The nested command: its run gives the loan back; it is lent again.
tree work 'wait; "$BERTH" run -w 10 "$0" -- touch "$dir/again"'
kill -KILL "$work"
wait "$outer"
[ -e "$dir/again" ] || complain "it is not lent again"
free work
kill -KILL "$grandchild" # a daemon that outlives its command keeps nothing

# The outer run: everything in its slot is killed, then the slot comes back.
tree outer 'wait'
wait_for outer heir
start=$(now_ms)
kill -KILL "$outer"
within "the outer run was killed" "$start" 3000 heir
gone "$command" "$inner" "$work" "$grandchild" || complain "somebody outlived the outer run"
wait
free outer

# The same, while nobody can kill those in it: the slot is not given away before they are gone.
tree held 'wait'
wait_for held late
guardian=$(pgrep -P "$outer" berth-guardian)
kill -STOP "$guardian"
kill -KILL "$outer"
sleep 0.5
[ ! -e "$dir/late" ] || complain "the slot was given away while the nested run worked"
kill -CONT "$guardian"
eventually "the slot comes back" test -e "$dir/late"
gone "$grandchild" || complain "the next holder had the slot while a nested command worked"
wait
free held

# The same, with a process of the nested command that has left its session: it is found by its mark, which names
# the outer run too.
rm -f "$dir/fled"
"$BERTH" run fled -- "$BERTH" run fled -- sh -c '(setsid sh -c "echo \$\$ >\"\$dir/fled\"; exec sleep 60" &); exec sleep 60' &
outer=$!
eventually "somebody has fled" all_there fled
read -r fled <"$dir/fled"
echo "$fled" >>"$dir/pids"
wait_for fled after-fled
kill -KILL "$outer"
eventually "the slot comes back" test -e "$dir/after-fled"
gone "$fled" || complain "the next holder had the slot while a process that had fled worked"
wait
free fled

# Everybody at once.
tree every 'wait'
kill -KILL "$outer" "$command" "$inner" "$work" "$grandchild"
wait "$outer"
free every

# The nested run and its guardian: what its lock said is over, and the shell is tied to it.
tree both 'wait; exec sleep 60'
kill -KILL "$(pgrep -P "$inner" berth-guardian)" "$inner"
eventually "the nested shell is gone" gone "$work"
kill -KILL "$grandchild"
"$BERTH" status both >/dev/null
kill -KILL "$command"
wait "$outer"
free both

# A run in the middle: what is inside it goes with it, and the slot is lent again after that.
rm -f "$dir"/{middle,deep}
"$BERTH" run deep -- sh -c '
    "$BERTH" run deep -- sh -c "\"\$BERTH\" run deep -- sh -c \"echo \\\$\\\$ >\\\"\\\$dir/deep\\\"; exec sleep 60\" & wait" &
    echo $! >"$dir/middle"; exec sleep 60' &
outer=$!
eventually "three levels" all_there middle deep
read -r middle <"$dir/middle"
read -r deep <"$dir/deep"
echo "$deep" >>"$dir/pids"
loans=$(loans_of "$middle")
kill -KILL "$middle"
eventually "what was in it is gone" gone "$middle" "$deep"
BERTH_LOANS=$loans timeout 20 "$BERTH" run -w 10 deep -- true || complain "it is not lent again after the middle"
kill "$outer"
wait "$outer"
free deep

# The command ends and leaves a nested run behind: the outer run says so, and keeps the slot for it. TERM
# ends what was left.
tree behind 'exec sleep 0.2'
eventually "the command has ended" gone "$command"
sleep 0.3
state_is behind '1 1 0' || complain "the slot did not stay with what was left behind: $(state behind)"
gone "$grandchild" && complain "what was left behind was killed"
grep -q 'the command has left runs behind that work in its slot of pool behind' "$dir/reports" ||
    complain "it does not say why it waits"
kill "$outer"
wait "$outer"
status=$?
[ "$status" -eq 0 ] || complain "the outer run ended with $status"
eventually "TERM ends what was left behind" gone "$inner" "$work"
free behind

# The lease is lost: everything in the slot ends in time, and both runs say so.
tree lease 'wait $!; echo $? >"$dir/nested-status"; exec sleep 60'
start=$(now_ms)
kill -STOP "${server[0]}"
eventually "all of it ends" gone "$command" "$inner" "$work" "$grandchild"
took=$(($(now_ms) - start))
wait "$outer"
status=$?
kill -CONT "${server[0]}"
echo "the lease was lost: all ended after $took ms"
[ "$took" -le 4000 ] || complain "they worked for $took ms, with a lease of 4000"
[ "$status" -eq 121 ] || complain "the outer run ended with $status"
eventually "the store answers" healthy
free lease

# The key of the slot is deleted: the nested run ends too, at once.
tree deleted 'wait'
start=$(now_ms)
ctl del /kills/use/deleted/s/0000 >/dev/null
eventually "all of it ends" gone "$command" "$inner" "$work" "$grandchild"
echo "the key was deleted: all ended after $(($(now_ms) - start)) ms"
wait "$outer"
status=$?
[ "$status" -eq 121 ] || complain "the key was deleted: status $status"
free deleted

# Only the nested run is stopped, for longer than a lease: its slot is the outer one's, and is good.
tree stopped 'wait $!; echo $? >"$dir/nested-status"'
rm -f "$dir/nested-status"
kill -STOP "$inner"
sleep 5
gone "$grandchild" && complain "a command in a borrowed slot was killed because its run was stopped"
kill -CONT "$inner"
kill "$work" "$grandchild"
wait "$outer"
[ "$(cat "$dir/nested-status")" -eq 143 ] || complain "a stopped nested run ended with $(cat "$dir/nested-status")"
free stopped

# ---- users of the library, without wards ----

# pair POOL: a lender that has a slot, $granted, and lends it, and a borrower that has borrowed it.
pair() {
    coproc LENDER { exec "$HANDLE_PROGRAM" "$BERTH_STORE" "$1"; }
    lender=$LENDER_PID lender_in=${LENDER[1]} lender_out=${LENDER[0]}
    coproc BORROWER { exec "$HANDLE_PROGRAM" "$BERTH_STORE" "$1"; }
    borrower_in=${BORROWER[1]} borrower_out=${BORROWER[0]}
    printf '%s\n' "$lender" "$BORROWER_PID" >>"$dir/pids"
    read -r _ <&"$lender_out"
    read -r _ <&"$borrower_out"
    lender acquire
    granted=$rest
    [ "$said" = ok ] || complain "$1: the lender: $said $rest"
    lender lend
    borrower "within $rest"
    [ "$said $rest" = "ok $granted" ] || complain "$1: the borrower: $said $rest, not ok $granted"
}
lender() { echo "$1" >&"$lender_in"; read -r said rest <&"$lender_out"; }
borrower() { echo "$1" >&"$borrower_in"; read -r said rest <&"$borrower_out"; }
good() { [ "$said" = ok ] && [ "$rest" -gt 1000 ]; }
told() { borrower lost && [ "$rest" = 1 ]; }
end_pair() {
    exec {borrower_in}>&- {lender_in}>&- {borrower_out}<&- {lender_out}<&-
    wait
}

# As long as the lender's lease is renewed, the loan goes on.
pair library
borrower good
good || complain "a loan is good for $rest ms"
borrower lost
[ "$rest" = 0 ] || complain "a loan is lost too early"
sleep 5
borrower good
good || complain "after 5 s a loan is good for $rest ms"
# The lender dies. The borrower is told; it does not stop, so that the slot is not given away before the
# lease is over.
wait_for library stranger
start=$(now_ms)
kill -KILL "$lender"
eventually "the borrower is told" told
echo "the borrower was told after $(($(now_ms) - start)) ms"
borrower good
[ "$said $rest" = "ok 0" ] || complain "of a lost loan, $rest ms are left"
sleep 0.5
[ ! -e "$dir/stranger" ] || complain "the slot was given away while the borrower had it"
borrower release
[ "$said" = ok ] || complain "a lost loan cannot be given back: $rest"
within "the lender died, and its borrower gave back" "$start" 15000 stranger
end_pair
free library

# The lender loses its slot, and lives: the borrower is told long before the lease would have been over.
pair taken
ctl del /kills/use/taken/s/0000 >/dev/null
eventually "the borrower is told" told
borrower good
[ "$said $rest" = "ok 0" ] || complain "of a slot that was taken, $rest ms are left"
lender release
[ "$said" = error ] || complain "the lender gave back what it had lost"
borrower release
[ "$said" = ok ] || complain "a lost loan cannot be given back: $rest"
end_pair
free taken

# A pool of the same name elsewhere is another pool.
pair twins
lender lend
[ "$("$HANDLE_PROGRAM" "etcd://$hosts/elsewhere" twins <<<"within $rest" | tail -n 1)" = "ok $granted" ] &&
    complain "a slot of another prefix was borrowed"
end_pair
free twins

# ---- anybody, at any time ----

timeout 120 "$TORTURE_LOANS" --berth "$BERTH" --store "etcd://$hosts/torture?ttl=2" --seconds "${SECONDS_OF_TORTURE:-10}" >"$output" 2>&1 ||
    complain "torture"
tail -n 2 "$output"

finish
