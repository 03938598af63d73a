#!/bin/bash
# Calls that fail, on a handle that stays open, leave nothing in the store; and a release that fails can be
# repeated. LONG=1 also waits for a minute, until an acquire times out.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
exec 2>"$dir/reports"

# A way on which answers can be held back.
"$SRC/tests/etcd/hold-answers" $((base + 6)) "$base" >"$dir/way" &
way=$!
eventually "the way is there" grep -q ready "$dir/way"

# handle STORE: a handle. say WORD LIMIT: what comes of it, in $answer.
handle() {
    coproc HANDLE { exec "$HANDLE_PROGRAM" "$1" x; }
    read -r -t 10 answer <&"${HANDLE[0]}"
    [ "${answer-}" = open ] || complain "it does not open"
}
say() {
    echo "$1" >&"${HANDLE[1]}"
    answer=nothing
    read -r -t "${2:-20}" answer <&"${HANDLE[0]}"
}
end_handle() {
    eval "exec ${HANDLE[1]}>&-"
    wait "$HANDLE_PID"
}
says() { [[ $answer == $1* ]] || complain "$2: $answer"; }
export BERTH_STORE="etcd://$hosts/failed"

# --- the answer is held back until the caller has given up ---
handle "etcd://127.0.0.1:$((base + 6))/failed?ttl=600"
kill -USR1 "$way"
say until
says 'error 110' "held back"
kill -USR2 "$way"
sleep 0.5
eventually "nothing is left" state_is x '1 0 0'
say try
says ok "and then"
say release
says ok "and then"

if [ "${LONG:-0}" -ne 0 ]; then
    kill -USR1 "$way"
    say try 150
    says error "held back for long"
    kill -USR2 "$way"
    eventually "nothing is left" state_is x '1 0 0'
    say try
    says ok "and then, too"
    say release
    says ok "and then, too"
fi
end_handle

# --- and the handle is closed at once: the slot is given back, and not left until its time of grace is over ---
handle "etcd://127.0.0.1:$((base + 6))/failed?ttl=600"
kill -USR1 "$way"
say until
says 'error 110' "held back, and closed"
program=$HANDLE_PID
kill -USR2 "$way"
eval "exec ${HANDLE[1]}>&-"
eventually "it is closed" gone "$program"
used=$(ctl get --prefix --keys-only /failed/use/x/u/)
[ -z "$used" ] || complain "it has left a slot in use: $used"

# --- no permission any more: for a waiter, and for a holder ---
ctl user add root:secret >/dev/null
ctl user add ann:open >/dev/null
ctl role add pools >/dev/null
ctl role grant-permission pools --prefix=true readwrite /failed/ >/dev/null
ctl user grant-role ann pools >/dev/null
ctl user grant-role root root >/dev/null
ctl auth enable >/dev/null
root() { etcdctl --endpoints "$hosts" --user root:secret "$@"; }
export BERTH_STORE="etcd://root:secret@$hosts/failed"
none_waits() { state_is x '1 1 0'; }
hold x
handle "etcd://ann:open@$hosts/failed?ttl=3"
echo acquire >&"${HANDLE[1]}"
eventually "it waits" waiting x 1
root role revoke-permission pools --prefix=true /failed/ >/dev/null
read -r -t 20 answer <&"${HANDLE[0]}"
says 'error 13' "no permission"
eventually "it waits no more, with its handle open" none_waits
root role grant-permission pools --prefix=true readwrite /failed/ >/dev/null
kill "$holder"
wait "$holder"
say acquire
says ok "permitted again"
root role revoke-permission pools --prefix=true /failed/ >/dev/null
say release
says 'error 13' "a release without permission"
say good
says ok "it is held still"
root role grant-permission pools --prefix=true readwrite /failed/ >/dev/null
say release
says ok "the release is repeated"
eventually "it was given back" state_is x '1 0 0'

# --- nor to watch: it does not ask for that again and again ---
say acquire
says ok "and again"
root role revoke-permission pools --prefix=true /failed/ >/dev/null
stop_node 0
start_node 0
eventually "the server is there again" root endpoint health >/dev/null
lost() { say good && [ "$answer" = 'ok 0' ]; }
eventually "the slot is lost" lost
asked=$(metric grpc_server_msg_received_total 'grpc_method="Watch"')
echo "$asked watches were asked for until a lease of 3 s was over"
[ "$asked" -le 20 ] || complain "it asked for $asked watches"
end_handle
finish
