#!/bin/bash
# What can be wrong with a store: one clear line, and status 125, within the time-out.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"

# refused WORDS STORE: `berth run`, and `berth status` too, end with 125 and a line with these words.
refused() {
    local words=$1 start took subcommand
    for subcommand in run status; do
        start=$(now_ms)
        if [ $subcommand = run ]; then
            expect 125 "$BERTH" run --store "$2" x -- true
        else
            [ "${3-}" = run-only ] && continue
            expect 125 "$BERTH" status --store "$2" x
        fi
        took=$(($(now_ms) - start))
        [ "$took" -le $((timeout * 1000 + 700)) ] || complain "$subcommand $2 took $took ms"
        [ "$(wc -l <"$output")" -eq 1 ] || complain "$subcommand $2: not one line"
        grep -q "$words" "$output" || complain "$subcommand $2: not \"$words\""
    done
    echo "$(cat "$output") [$took ms]"
}
timeout=2

exec 2>"$dir/reports" # the shell's own, of who was killed at the end

# --- no server; another server; a server that says nothing ---
pick_ports
refused 'refused' "etcd://127.0.0.1:$base/x?timeout=2"
python3 -c 'import http.server, sys
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.BaseHTTPRequestHandler).serve_forever()' \
    "$base" 2>/dev/null &
python3 -c 'import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", int(sys.argv[1])))
s.listen()
time.sleep(60)' $((base + 1)) 2>/dev/null &
sleep 0.5
refused 'ended the connection\|not etcd' "etcd://127.0.0.1:$base/x?timeout=2"
refused 'in time' "etcd://127.0.0.1:$((base + 1))/x?timeout=2"
refused 'cannot find the host' "etcd://no-such-host.invalid:$base/x?timeout=2"

# --- a prefix that belongs to something else ---
start_cluster 1 --quota-backend-bytes $((2 * 1024 * 1024))
one="etcd://$hosts"
ctl put /other/key value >/dev/null
refused 'not berth' "$one/other?timeout=2" run-only
[ "$(ctl get /other --prefix --keys-only | grep -c .)" -eq 1 ] || complain "something was written there"
expect 0 "$BERTH" run --store "$one/other/below" x -- true
ctl put /later/.berth "berth 99" >/dev/null
refused 'another version' "$one/later?timeout=2" run-only
ctl put /odd/.berth "berth 1" >/dev/null
ctl put /odd/pools/x "rubbish" >/dev/null
refused 'damaged' "$one/odd?timeout=2"
# Rubbish among the keys of a pool is an error too, not a crash.
for key in s/zzzz "w/$(printf 'x%.0s' {1..200})" s/0000; do
    "$BERTH" run --store "$one/bad" x -- true
    ctl put "/bad/use/x/$key" rubbish >/dev/null
    timeout 10 "$BERTH" run --store "$one/bad?timeout=2" -w 1 x -- true >"$output" 2>&1
    status=$?
    [ $status -eq 125 ] || [ $status -eq 75 ] || [ $status -eq 0 ] || complain "rubbish at $key: status $status"
    timeout 10 "$BERTH" status --store "$one/bad" x >"$output" 2>&1
    [ $? -le 1 ] || complain "status with rubbish at $key"
    ctl del --prefix /bad/use >/dev/null
done

# --- a full disk: what is held can be given back; nothing new is taken ---
hold_file=$dir/held
"$BERTH" run --store "$one/full" -j 1 x -- sh -c 'echo >"$0"; sleep 4' "$hold_file" &
holder=$!
eventually "a slot" test -e "$hold_file"
for i in $(seq 400); do
    head -c 10000 /dev/zero | tr '\0' x | ctl put "/fill/$i" >/dev/null 2>&1 || break
done
refused 'space exceeded' "$one/full?timeout=2" run-only
wait "$holder" || complain "the holder ended with status $?"
ctl del --prefix /fill >/dev/null
ctl compact "$(ctl get / -w json | sed 's/.*"revision":\([0-9]*\).*/\1/')" >/dev/null
ctl defrag >/dev/null
ctl alarm disarm >/dev/null
expect 0 "$BERTH" run --store "$one/full" -w 5 x -- true

healthy_as_root() { etcdctl --endpoints "$hosts" --user root:secret endpoint health >"$output" 2>&1; }

# --- user and password ---
ctl user add root:secret >/dev/null
ctl user add ann:open >/dev/null
ctl role add pools >/dev/null
ctl role grant-permission pools --prefix=true readwrite /pools/ >/dev/null
ctl user grant-role ann pools >/dev/null
ctl user grant-role root root >/dev/null
ctl auth enable >/dev/null
refused 'user name is empty' "$one/pools?timeout=2"
refused 'invalid user ID or password' "etcd://ann:wrong@$hosts/pools?timeout=2"
refused 'permission denied' "etcd://ann:open@$hosts/elsewhere?timeout=2"
expect 0 "$BERTH" run --store "etcd://ann:open@$hosts/pools" x -- true
BERTH_ETCD_PASSWORD=open expect 0 "$BERTH" run --store "etcd://ann@$hosts/pools" x -- true
# The command does not get the password.
BERTH_ETCD_PASSWORD=open expect 0 "$BERTH" run --store "etcd://ann@$hosts/pools" x -- \
    sh -c '[ -z "${BERTH_ETCD_PASSWORD+set}" ]'
"$BERTH" status --store "etcd://ann:open@$hosts/pools" --json >"$output"
grep -q 'open@\|ann:open' "$output" && complain "status shows the password"
# The password can be changed while a pool is open: the token is renewed, or the holder is told.
"$BERTH" run --store "etcd://ann:open@$hosts/pools?ttl=2" y -- sleep 3 &
holder=$!
sleep 1
etcdctl --endpoints "$hosts" --user root:secret role grant-permission pools --prefix=true readwrite /more/ >/dev/null
wait "$holder" || complain "the roles were changed: status $?"
stop_node 0

# --- tokens that expire every second, and tokens of any length ---
if command -v openssl >/dev/null; then
    openssl genrsa -out "$dir/jwt.key" 4096 2>/dev/null
    openssl rsa -in "$dir/jwt.key" -pubout -out "$dir/jwt.pub" 2>/dev/null
fi
for tokens in "--auth-token-ttl 1" "--auth-token jwt,pub-key=$dir/jwt.pub,priv-key=$dir/jwt.key,sign-method=RS256,ttl=2s"; do
    [ -e "$dir/jwt.pub" ] || case $tokens in *jwt*) continue ;; esac
    # shellcheck disable=SC2086 # two words
    start_node 0 $tokens
    eventually "the server is back" healthy_as_root
    expect 0 "$BERTH" run --store "etcd://ann:open@$hosts/pools?ttl=2" -w 20 y -- sleep 4
    expect 0 timeout 20 "$LOAD" "etcd://ann:open@$hosts/pools?ttl=2" load 1 3 40 100000 "$dir/history"
    history_is_good "$dir/history" 1 40
    stop_node 0
done

# --- TLS ---
if command -v openssl >/dev/null; then
    (
        cd "$dir" || exit 1
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -keyout ca.key -out ca.pem
        # certificate NAME DAYS: for 127.0.0.1, signed by the authority above.
        certificate() {
            openssl req -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr"
            printf 'subjectAltName=IP:127.0.0.1\n' >"$1.ext"
            openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -out "$1.pem" \
                -extfile "$1.ext" "${@:2}"
        }
        certificate server -days 2
        certificate client -days 2
        certificate other -days 2
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=stranger -keyout stranger.key -out stranger.pem
        # One that has expired: signed for yesterday.
        mkdir -p authority && : >authority/index && echo 01 >authority/serial
        printf '[ca]\ndefault_ca=a\n[a]\ndir=authority\ndatabase=authority/index\nserial=authority/serial\nnew_certs_dir=authority\npolicy=p\ndefault_md=sha256\n[p]\ncommonName=supplied\n' >authority/config
        openssl ca -batch -config authority/config -in server.csr -cert ca.pem -keyfile ca.key \
            -startdate 20200101000000Z -enddate 20200102000000Z -extfile server.ext -out expired.pem
    ) >"$output" 2>&1 || complain "openssl"
    scheme=https
    tls=(--cert-file "$dir/server.pem" --key-file "$dir/server.key" --client-cert-auth --trusted-ca-file "$dir/ca.pem")
    healthy() { etcdctl --endpoints "https://$hosts" --cacert "$dir/ca.pem" --cert "$dir/client.pem" --key "$dir/client.key" endpoint health >"$output" 2>&1; }
    start_cluster 1
    mine="cert=$dir/client.pem&key=$dir/client.key"
    expect 0 "$BERTH" run --store "etcd://$hosts/tls?ca=$dir/ca.pem&$mine" -j 2 x -- true
    # Files that are named relative to the folder one is in: the guardian finds them too.
    export BERTH_STORE="etcd://$hosts/tls?ca=ca.pem&cert=client.pem&key=client.key"
    (cd "$dir" && exec "$BERTH" run relative -- sleep 60) &
    holder=$!
    cd "$dir" || exit 1
    eventually "a slot" state_is relative '1 1 0'
    wait_for relative heir
    start=$(now_ms)
    kill -KILL "$holder"
    within "berth run was killed, with relative paths" "$start" 1000 heir
    cd "$OLDPWD" || exit 1
    unset BERTH_STORE
    expect 0 "$LOAD" "etcd://$hosts/tls?ca=$dir/ca.pem&$mine" l 2 4 100 0 "$dir/history"
    history_is_good "$dir/history" 2 100
    refused 'not to be trusted' "etcd://$hosts/tls?ca=$dir/stranger.pem&$mine&timeout=2"
    # One that is not to be trusted, beside one that is.
    openssl s_server -quiet -accept $((base + 6)) -cert "$dir/stranger.pem" -key "$dir/stranger.key" >/dev/null 2>&1 &
    stranger=$!
    listens() { (: <"/dev/tcp/127.0.0.1/$((base + 6))") 2>/dev/null; }
    eventually "the stranger listens" listens
    for _ in 1 2 3 4 5 6; do
        expect 0 "$BERTH" run --store "etcd://127.0.0.1:$((base + 6)),$hosts/tls?ca=$dir/ca.pem&$mine" x -- true
    done
    refused 'not to be trusted' "etcd://127.0.0.1:$((base + 6))/tls?ca=$dir/ca.pem&$mine&timeout=2"
    kill "$stranger"
    refused 'certificate' "etcd://$hosts/tls?ca=$dir/ca.pem&timeout=2"
    refused 'cannot read the certificate' "etcd://$hosts/tls?ca=$dir/none.pem&timeout=2"
    refused 'ended the connection\|not etcd\|in time\|reset' "etcd://$hosts/tls?timeout=2"
    stop_node 0
    tls[1]=$dir/expired.pem
    healthy() { (: <"/dev/tcp/127.0.0.1/$base") 2>/dev/null; }
    start_cluster 1
    refused 'expired' "etcd://$hosts/tls?ca=$dir/ca.pem&$mine&timeout=2"
else
    echo "left out: there is no openssl to make certificates with"
fi
finish
