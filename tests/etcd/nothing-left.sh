#!/bin/bash
# Nothing of the command outlives the lease: neither its children, nor those that have left it. And the
# guardian is replaced when it dies.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
export BERTH_CGROUP=no # cgroup.sh is about what a cgroup does
start_cluster 1
export BERTH_STORE="etcd://$hosts/left?ttl=2"
exec 2>"$dir/reports"

# A command of several processes, each of which writes the time every 20 ms and listens to nobody: a child, a
# grandchild in a session of its own whose parent has gone, and one without an environment.
cat >"$dir/beat" <<'END_OF_BEAT'
trap : TERM HUP
while :; do
    echo $((${EPOCHREALTIME/[.,]/} / 1000)) >>"$1"
    sleep 0.02
done
END_OF_BEAT
cat >"$dir/crowd" <<'END_OF_CROWD'
trap : TERM
bash "$1/beat" "$1/beats.$2.child" &
(setsid bash "$1/beat" "$1/beats.$2.daemon" &) 
(setsid env -u BASH_ENV bash -c '(bash "$0/beat" "$0/beats.$1.fled" &)' "$1" "$2" &)
env -i PATH="$PATH" bash "$1/beat" "$1/beats.$2.bare" &
bash "$1/beat" "$1/beats.$2.last"
END_OF_CROWD
members=(child daemon fled bare last)
all_beat() {
    local member
    for member in "${members[@]}"; do [ -s "$dir/beats.$1.$member" ] || return 1; done
}
crowd() { # POOL: starts it
    "$BERTH" run "$1" -- bash "$dir/crowd" "$dir" "$1" 2>"$dir/said.$1" &
    holder=$!
    eventually "all of them beat" all_beat "$1"
    wait_for "$1" "next.$1"
}
# quiet POOL [EXCEPT]: the last beat of each was before the next one had the slot.
quiet() {
    local member last
    eventually "the next one has the slot" test -s "$dir/next.$1"
    sleep 0.3
    for member in "${members[@]}"; do
        [ "$member" != "${2-}" ] || continue
        last=$(tail -n 1 "$dir/beats.$1.$member")
        [ "$last" -lt "$(cat "$dir/next.$1")" ] || complain "$1: $member worked on"
    done
}
end_crowd() { pkill -KILL -f "$dir/beat " 2>/dev/null; }
trap 'end_crowd; end_all' EXIT

# --- the store stays away ---
crowd away
kill -STOP "${server[0]}"
wait "$holder"
status=$?
kill -CONT "${server[0]}"
[ "$status" -eq 121 ] || complain "away: status $status"
grep -q 'could not be renewed\|could not be reached' "$dir/said.away" || complain "away: $(cat "$dir/said.away")"
quiet away

# --- the slot's key is deleted ---
crowd deleted
start=$(now_ms)
ctl del /left/use/deleted/s/0000 >/dev/null
wait "$holder"
status=$?
[ "$status" -eq 121 ] || complain "deleted: status $status"
[ $(($(now_ms) - start)) -le 1000 ] || complain "deleted: noticed after $(($(now_ms) - start)) ms"
grep -q 'deleted' "$dir/said.deleted" || complain "deleted: $(cat "$dir/said.deleted")"
quiet deleted

# --- berth run is stopped: the guardian does it ---
crowd stopped
kill -STOP "$holder"
quiet stopped
kill -CONT "$holder"
wait "$holder"
status=$?
[ "$status" -eq 121 ] || complain "stopped: status $status"

# --- berth run is killed: the same, and at once. What has neither its parent nor its environment is not
# found. ---
crowd killed
start=$(now_ms)
kill -KILL "$holder"
quiet killed bare
within "berth run was killed" "$start" 500 next.killed
end_crowd

# --- a part of the command is another user's, and cannot be killed: that is said ---
other=$(dirname "$LOAD")/berth-etcd-other
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir -p "$dir/others/bin" "$dir/others/libexec/berth" # as it is installed
    cp "$BERTH" "$other" "$dir/others/bin"
    cp "$(dirname "$BERTH")/berth-etcd" "$(dirname "$BERTH")/berth-guardian" "$dir/others/libexec/berth"
    chmod 711 "$dir" && chmod -R 755 "$dir/others" && chmod 4755 "$dir/others/bin/berth-etcd-other"
    (
        cd / && exec setpriv --reuid 65534 --clear-groups "$dir/others/bin/berth" run others -- \
            sh -c '"$0" sleep 61.5 & wait' "$dir/others/bin/berth-etcd-other"
    ) 2>"$dir/said.others" &
    holder=$!
    eventually "it works" pgrep -f '^sleep 61\.5$' >/dev/null
    unkillable=$(pgrep -f '^sleep 61\.5$')
    echo "$unkillable" >>"$dir/pids"
    kill -STOP "${server[0]}"
    wait "$holder"
    status=$?
    kill -CONT "${server[0]}"
    [ "$status" -eq 121 ] || complain "others: status $status"
    grep -q "process $unkillable of the command cannot be killed" "$dir/said.others" ||
        complain "others: $(cat "$dir/said.others")"
    kill -KILL "$unkillable"
else
    echo "left out: another user's process needs root, and setpriv"
fi

# --- the guardian is killed: another one takes its place ---
hold guarded
guardian=$(pgrep -P "$holder" berth-guardian)
kill -KILL "$guardian"
replaced() {
    local now
    now=$(pgrep -P "$holder" berth-guardian) && [ "$now" != "$guardian" ]
}
eventually "another guardian" replaced
wait_for guarded next.guarded
sleep 0.3
start=$(now_ms)
kill -KILL "$holder"
within "berth run was killed, with its second guardian" "$start" 500 next.guarded
gone "$worker" || complain "the command outlived berth run"

# --- the guardian is stopped, and does not hear what it is told: nobody waits for it ---
coproc HANDLE { exec "$HANDLE_PROGRAM" "$BERTH_STORE" deaf; }
holder=$HANDLE_PID
read -r -t 10 answer <&"${HANDLE[0]}"
guardian=$(pgrep -P "$holder" berth-guardian)
kill -STOP "$guardian"
for _ in $(seq 300); do
    for word in try lend release; do
        echo "$word" >&"${HANDLE[1]}"
        answer=nothing
        read -r -t 10 answer <&"${HANDLE[0]}"
        [[ $answer == ok* ]] || break 2
    done
done
[[ $answer == ok* ]] || complain "with a guardian that is stopped: $word: $answer"
eventually "another guardian" replaced
kill -STOP "$(pgrep -P "$holder" berth-guardian)"
eval "exec ${HANDLE[1]}>&-"
eventually "the handle is closed" gone "$holder"
finish
