#!/bin/bash
# If one endpoint among good ones is bad, another one is used: a proxy without a server, a server that is not
# etcd, a learner, a host that is not found, a port that nobody listens on (refused.sh has the certificate
# that is not trusted). Each many times, because the first endpoint is drawn at random. ROUNDS=20 for the long
# form.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
exec 2>"$dir/reports"
good=$hosts

# with WHAT ENDPOINT LIMIT_MS [OPTIONS]: `berth run` and `berth status` succeed, whichever comes first, in that time.
with() {
    local i start took longest=0
    for ((i = 0; i < ${ROUNDS:-5}; i++)); do
        start=$(now_ms)
        expect 0 "$BERTH" run --store "etcd://$2,$good/ends${4-}" x -- true
        expect 0 "$BERTH" status --store "etcd://$2,$good/ends${4-}" x
        took=$(($(now_ms) - start))
        [ "$took" -le "$longest" ] || longest=$took
    done
    echo "$1: $longest ms at most"
    [ "$longest" -le "$3" ] || complain "$1: it took $longest ms"
}
fake() { # WHAT: $fake is its address
    "$SRC/tests/etcd/fake-etcd" $((base + 6)) "$1" &
    fake_process=$!
    fake=127.0.0.1:$((base + 6))
    eventually "$1 listens" listens
}
listens() { (: <"/dev/tcp/127.0.0.1/$((base + 6))") 2>/dev/null; }
# The same without a connection to it.
bound() { grep -q "$(printf '0100007F:%04X 00000000:0000 0A' $((base + 6)))" /proc/net/tcp; }
end_fake() {
    kill "$fake_process"
    wait "$fake_process"
}
# alone WORDS: with that endpoint only, one line with these words is printed, and soon.
alone() {
    local start
    start=$(now_ms)
    expect 125 "$BERTH" run --store "etcd://$fake/ends?timeout=2" x -- true
    [ $(($(now_ms) - start)) -le 2700 ] || complain "alone: $(($(now_ms) - start)) ms"
    if ! grep -q "$1" "$output" || [ "$(wc -l <"$output")" -ne 1 ]; then
        complain "alone: not \"$1\""
    fi
    grep -q 'rm --force' "$output" && complain "alone: nothing is to be removed"
    cat "$output"
}

expect 0 "$BERTH" run --store "etcd://$good/ends" x -- true
with "a port that nobody listens on" 127.0.0.1:$((base + 7)) 1500
with "a host that is not found" no-such-host.invalid:2379 1500
with "a host that does not answer" 192.0.2.1:2379 1500

# --- a resolver that takes ten seconds ---
LD_PRELOAD=$SHIM with "a host that is not found for long" slow.invalid:2379 1500
# One that reads the environment all the time, while `berth run` makes that of the command.
LD_PRELOAD=$SHIM ROUNDS=30 with "a host that is looked up, and the environment with it" busy.invalid:2379 2500
# The session goes on while the resolver runs: the lease is over in time, and the command with it.
start_cluster 1
"$BERTH" run --store "etcd://$hosts,slow.invalid:2379/slow?ttl=2" x -- true
LD_PRELOAD=$SHIM "$BERTH" run --store "etcd://$hosts,slow.invalid:2379/slow?ttl=2" x -- \
    sh -c 'echo >"$0"; exec sleep 60' "$dir/works" &
holder=$!
eventually "it works" test -e "$dir/works"
start=$(now_ms)
kill -KILL "${server[0]}"
wait "$holder"
status=$?
took=$(($(now_ms) - start))
echo "without a store, and with a slow resolver: status $status after $took ms"
[ "$status" -eq 121 ] || complain "a slow resolver: status $status"
[ "$took" -le 4000 ] || complain "a slow resolver: $took ms"
start_cluster 1
good=$hosts
expect 0 "$BERTH" run --store "etcd://$good/ends" x -- true
for what in 502 503 200 grpc-12 grpc-{2,4,5,7,8,9,13,15,16} http1-503; do
    fake $what
    with "$what" "$fake" 1500
    case $what in
    50?) alone "HTTP status $what" ;;
    200) alone 'without an answer' ;;
    grpc-12) alone 'too old' ;;
    grpc-[579]) alone 'this is not etcd' ;;
    grpc-16) alone "$fake: unknown method" ;;
    grpc-*) alone "gRPC status ${what#grpc-} " ;;
    http1-503) alone "port for clients" ;;
    esac
    end_fake
done

# --- one that cannot be used is tried again, where no other answers ---
# A handle has two: something that is no etcd, and a way to the store. The way goes, and then the other one is etcd.
way() { # PORT: $way is its process
    "$SRC/tests/etcd/hold-answers" "$1" "$base" >"$dir/way" &
    way=$!
    eventually "the way is there" grep -q ready "$dir/way"
}
fake grpc-12
way $((base + 7))
coproc HANDLE { exec "$HANDLE_PROGRAM" "etcd://$fake,127.0.0.1:$((base + 7))/ends" x; }
program=$HANDLE_PID
read -r -t 10 answer <&"${HANDLE[0]}"
[ "$answer" = open ] || complain "it does not open: $answer"
kill "$way"
wait "$way"
echo try >&"${HANDLE[1]}"
sleep 1 # by now the one that is no etcd has been found to be none
end_fake
way $((base + 6))
read -r -t 20 answer <&"${HANDLE[0]}"
[[ $answer == ok* ]] || complain "an endpoint that has become etcd is not used: $answer"
eval "exec ${HANDLE[1]}>&-"
eventually "the handle is closed" gone "$program"
kill "$way"
wait "$way"

# --- time runs out in the middle of a try: what went wrong with the tries before it is said ---
# A probe whether it listens would connect too, and start its time; so only look at the socket.
"$SRC/tests/etcd/fake-etcd" $((base + 6)) fades-502 &
fake_process=$!
fake=127.0.0.1:$((base + 6))
eventually "it is bound" bound
alone "HTTP status 502"
end_fake

# --- the port for peers: it answers clients too, where it has no TLS ---
with "the port for peers" "127.0.0.1:$((base + 1))" 1500

# --- no TLS there ---
fake=$good
start=$(now_ms)
expect 125 "$BERTH" run --store "etcd://$good/ends?tls=1&timeout=2" x -- true
grep -q 'does it speak TLS' "$output" || complain "tls=1 on a plain port"
cat "$output"
expect 2 "$BERTH" run --store "etcd://$good/ends?ttl=1" x -- true
grep -q 'from 2 to 3600' "$output" || complain "ttl=1"

# --- a learner ---
learner=$((base + 4))
ctl member add n2 --learner --peer-urls "http://127.0.0.1:$((base + 5))" >"$output" 2>&1 || complain "no learner"
etcd --name n2 --data-dir "$dir/learner" --listen-peer-urls "http://127.0.0.1:$((base + 5))" \
    --initial-advertise-peer-urls "http://127.0.0.1:$((base + 5))" --listen-client-urls "http://127.0.0.1:$learner" \
    --advertise-client-urls "http://127.0.0.1:$learner" --initial-cluster-state existing --initial-cluster-token "$base" \
    --initial-cluster "$cluster,n2=http://127.0.0.1:$((base + 5))" >"$dir/learner.log" 2>&1 &
disown $!
echo $! >>"$dir/pids"
learns() { (: <"/dev/tcp/127.0.0.1/$learner") 2>/dev/null; }
eventually "the learner listens" learns
sleep 1
fake=127.0.0.1:$learner
with "a learner" "$fake" 1500
alone learner
finish
