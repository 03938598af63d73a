#!/bin/bash
# Keys and values of other clients of the prefix, and answers of a false server: each is an error or is shown cleaned;
# none lets anybody in, and none ends a program. The fuzzer berth-fuzz-etcd does the same at random.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
exec 2>"$dir/reports"
export BERTH_STORE="etcd://$hosts/foreign?ttl=3"

put() { # KEY, and the value as printf has it
    # shellcheck disable=SC2059 # that is meant
    printf "$2" | ctl put -- "/foreign/use/x/$1" >/dev/null || complain "cannot put $1"
}
clean_up() { ctl del "/foreign/use/x/$1" --prefix >/dev/null; }
# No control character, no bytes that are no UTF-8.
printable() {
    ! LC_ALL=C grep -aqP '[^\n\t\x20-\x7e]' "$output" || complain "$1: $(cat -v "$output")"
}

# --- keys that are no slots: nobody comes in by them, beside a living holder ---
hold x
for keys in 's/x/0000 s/y/0000' 's/00000 s/0000/' 'u/x/0000 u/y/0000' 's/0000/x' 's/9999 s/1024' 'w/nobody' 'w/0000000000000000.1/x'; do
    for key in $keys; do put "$key" x; done
    for option in -n '-w 2'; do
        # shellcheck disable=SC2086 # an option and its argument
        timeout 20 "$BERTH" run $option x -- touch "$dir/second" >"$output" 2>&1
        status=$?
        [ "$status" -eq 125 ] || [ "$status" -eq 75 ] || complain "$keys, $option: status $status"
        [ ! -e "$dir/second" ] || complain "$keys, $option: a command beside the holder"
    done
    for key in $keys; do clean_up "$key"; done
done
ctl get --prefix --keys-only /foreign/use/x/s/ >"$output"
[ "$(grep -c . "$output")" -eq 1 ] || complain "the holder's key"

# --- mail that names a slot which the pool has not ---
coproc HANDLE { exec "$HANDLE_PROGRAM" "$BERTH_STORE" x; }
echo "$HANDLE_PID" >>"$dir/pids"
read -r -t 10 _ <&"${HANDLE[0]}"
echo acquire >&"${HANDLE[1]}"
eventually "it waits" waiting x 1
entry=$(ctl get --prefix --keys-only /foreign/use/x/w/ | grep -o '[^/]*$' | head -n 1)
put "m/$entry" '\x08\xff\xff\xff\xff\x0f\x10\x05'
read -r -t 20 answer <&"${HANDLE[0]}"
[[ $answer == error* ]] || complain "a slot of 4294967295: $answer"
echo "$answer"
eval "exec ${HANDLE[1]}>&-"
eventually "it is closed" gone "$HANDLE_PID"
clean_up m/

# --- a host and a command that are no text ---
client=$(ctl get --prefix --keys-only /foreign/use/x/c/ | grep -o '[^/]*$' | head -n 1)
lease=$(ctl get "/foreign/use/x/c/$client" -w json | sed 's/.*"lease":\([0-9]*\).*/\1/')
printf '\x0a\x0bh\xff\xfe\xc2\x9b31m\xe2\x80\xae\x10\x05\x1a\x08a\x1b[31m\x0ab' >"$dir/value"
ctl put --lease "$(printf '%x' "$lease")" -- "/foreign/use/x/c/$client" <"$dir/value" >/dev/null
expect 0 "$BERTH" status --json x
python3 -c 'import json, sys
pool = json.load(open(sys.argv[1]))["pools"][0]
user = pool["holders"][0]
text = user["host"] + user["command"]
sys.exit(not text.isprintable() or "\u202e" in text or not user["host"].startswith("h"))' "$output" || complain "status --json: $(cat "$output")"
expect 0 "$BERTH" status x
printable "status"
kill "$worker"
wait "$holder"

# --- a false server: answers in answers; words for a terminal ---
fake() { # WHAT
    "$SRC/tests/etcd/fake-etcd" $((base + 6)) "$1" &
    fake=$!
    eventually "$1 listens" listens
}
listens() { (: <"/dev/tcp/127.0.0.1/$((base + 6))") 2>/dev/null; }
end_fake() {
    kill "$fake"
    wait "$fake"
}
for levels in 10 60000 200000; do
    fake nested-$levels
    for words in status 'run x -- true'; do
        # shellcheck disable=SC2086 # words
        timeout 20 "$BERTH" ${words%% *} --store "etcd://127.0.0.1:$((base + 6))/x?timeout=2" ${words#* } >"$output" 2>&1
        status=$?
        [ "$status" -eq 125 ] || complain "$levels levels, $words: status $status"
    done
    cat "$output"
    end_fake
done
fake grpc-9-evil
expect 125 "$BERTH" status --store "etcd://127.0.0.1:$((base + 6))/x?timeout=2" x
printable "what a false server says"
end_fake

# --- the password ---
hidden() { # ADDRESS...: an error, and nothing of the password
    for address; do
        expect 2 "$BERTH" run --store "$address" x -- true
        ! grep -q 'se\|cret' <(sed 's/address of the store//; s/for any password//' "$output") || complain "the password is shown: $(cat "$output")"
    done
}
hidden 'etcd://ann:se/cret@h/x' 'etcd://ann:se?cret@h/x' 'etcd://ann:se@cr,et@:0/x' 'etcd://ann:se/cret@h/x?no=1'
expect 2 "$BERTH" run --store "etcd://ann:open@192.0.2.1/x?timeout=1" x -- true
grep -q 'without TLS' "$output" || complain "a password without TLS"
expect 125 "$BERTH" run --store "etcd://ann:open@192.0.2.1/x?timeout=1&plain=1" x -- true

ctl user add root:open >/dev/null
ctl user grant-role root root >/dev/null
ctl auth enable >/dev/null
export BERTH_STORE="etcd://root@$hosts/foreign"
BERTH_ETCD_PASSWORD=open "$BERTH" run x -- sh -c '
    for process in $PPID $(pgrep -P $PPID) $$; do
        tr "\0" "\n" <"/proc/$process/environ"
    done | grep -a "PASSWORD=."' >"$output" 2>&1
[ $? -eq 1 ] || complain "the command finds $(cat "$output")"
! grep -aq 'open' "$output" || complain "the command finds the password"
BERTH_ETCD_PASSWORD=open expect 0 "$BERTH" run -v x -- true
finish
