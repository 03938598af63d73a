#!/bin/bash
# An acquire with a deadline whose lease is lost, and whose deadline passes while another lease is asked for: it ends
# with a reason, and the handle works when the store answers again, for all of its threads.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
exec 2>"$dir/reports"
export BERTH_STORE="etcd://$hosts/outlived"

"$SRC/tests/etcd/hold-answers" $((base + 6)) "$base" >"$dir/proxy" &
proxy=$!
eventually "the proxy is there" grep -q ready "$dir/proxy"

say() {
    echo "$1" >&"${HANDLE[1]}"
    hear "${2:-20}"
}
hear() {
    answer=nothing
    read -r -t "$1" answer <&"${HANDLE[0]}"
}
says() { [[ $answer == $1* ]] || complain "$2: $answer"; }

# round TTL SECONDS: the lease of TTL seconds is lost, and the deadline is over after SECONDS.
round() {
    hold x
    coproc HANDLE { exec "$HANDLE_PROGRAM" "etcd://127.0.0.1:$((base + 6))/outlived?ttl=$1" x; }
    hear 10
    says open "it does not open"
    echo "until $2" >&"${HANDLE[1]}"
    eventually "it waits" waiting x 1
    kill -USR1 "$proxy"
    hear $(($2 + 5))
    says 'error 110 pool x: no slot came free in time' "the deadline is over"
    sleep "$3"
    kill -USR2 "$proxy"
    kill "$worker"
    wait "$holder"
    say acquire 30
    says ok "the store answers again"
    say release
    says ok "the store answers again"
    say 'until 2'
    says ok "once more"
    say release
    says ok "once more"
    eval "exec ${HANDLE[1]}>&-"
    wait "$HANDLE_PID" || complain "it does not close"
    eventually "nothing is left" state_is x '1 0 0'
}
round 2 4 3
round 2 3 1
round 3 6 3.5

# `berth run -w` says so, too, with status 75.
hold x
"$BERTH" run --store "etcd://127.0.0.1:$((base + 6))/outlived?ttl=2" -w 4 x -- true >"$dir/said" 2>&1 &
run=$!
eventually "it waits" waiting x 1
kill -USR1 "$proxy"
wait "$run"
status=$?
[ "$status" -eq 75 ] || complain "status $status, and not 75"
grep -q 'no slot came free in time' "$dir/said" || complain "it said $(cat "$dir/said")"
kill -USR2 "$proxy"
kill "$worker"
wait "$holder"
kill "$proxy"
wait "$proxy"
finish
