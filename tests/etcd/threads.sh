#!/bin/bash
# A handle that several threads use.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
exec 2>"$dir/reports"
export BERTH_STORE="etcd://$hosts/threads"

# A way on which answers can be held back.
"$SRC/tests/etcd/hold-answers" $((base + 6)) "$base" >"$dir/way" &
way=$!
eventually "the way is there" grep -q ready "$dir/way"

coproc HANDLE { exec "$HANDLE_PROGRAM" "etcd://127.0.0.1:$((base + 6))/threads?ttl=60" x; }
program=$HANDLE_PID
hear() {
    answer=nothing
    read -r -t "$1" answer <&"${HANDLE[0]}"
}
hear 10
[ "$answer" = open ] || complain "it does not open: $answer"

# --- mail that comes before the watch of it ---
# Two threads wait, and what they asked for is answered at once. The first of them has been given the slot before the
# second came. The watch begins with what the first of them has missed, not with what the second has. It cannot
# find out otherwise soon: thirty were before it, so that it would look again only after 7 s at least.
hold x
lease=$(ctl lease grant 600 | awk '{ print $2 }')
for i in $(seq 30); do
    ctl put --lease "$lease" "/threads/use/x/w/0000000000000000.$i" '' >/dev/null
done
kill -USR1 "$way"
echo thread >&"${HANDLE[1]}"
eventually "the first waits" waiting x 31
ctl lease revoke "$lease" >/dev/null
kill "$holder"
wait "$holder"
eventually "the first has it" state_is x '1 1 0'
echo acquire >&"${HANDLE[1]}"
eventually "the second waits" waiting x 1
kill -USR2 "$way"
hear 5 # that there is a thread
hear 5
[[ $answer == "thread ok 0"* ]] || complain "the first does not learn that it has the slot: $answer"

# --- a thread that is cancelled while it waits leaves nothing behind ---
# say WORD SECONDS: what comes of it, in $answer.
say() {
    echo "$1" >&"${HANDLE[1]}"
    hear "$2"
}
say release 5 # for the second, which has it now
kill "$program"
eventually "its end" gone "$program"
coproc HANDLE { exec "$HANDLE_PROGRAM" "etcd://$hosts/threads?ttl=60" y; }
program=$HANDLE_PID
hear 10
hold y
for thread in thread 'thread all'; do
    say "$thread" 5
    eventually "it waits" waiting y 1
    say cancel 10
    [ "$answer" = ok ] || complain "$thread: it is not cancelled: $answer"
    eventually "nobody waits" state_is y '1 1 0'
    say try 5
    [[ $answer == error\ 16* ]] || complain "$thread: the handle does not work: $answer"
done
kill "$holder"
wait "$holder"
eventually "nobody has the slot" state_is y '1 0 0'

# At any moment, while others come and go.
"$LOAD" "etcd://$hosts/threads" y 1 2 100000 1000 >"$dir/load" 2>&1 &
load=$!
echo "$load" >>"$dir/pids"
say "cancels ${CANCELS:-200}" 120
[[ $answer == ok* ]] || complain "they are not cancelled: $answer"
echo "of ${CANCELS:-200} threads, ${answer#ok } were cancelled while they waited"
[ "${answer#ok }" -ge 1 ] || complain "none was cancelled"
kill "$load"
wait "$load"
eventually "nothing is left" state_is y '1 0 0'
say try 5
[[ $answer == ok* ]] || complain "the handle works on: $answer"
say release 5
[[ $answer == ok* ]] || complain "the handle works on: $answer"
kill "$program"
finish
