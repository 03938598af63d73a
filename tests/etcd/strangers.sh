#!/bin/bash
# Another user of the prefix writes what is no pool: no name of it is shown, and no control character.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE=etcd://$hosts/test
expect 0 "$BERTH" create -j 2 gpu

# ---- names of pools ----

value=$dir/value
ctl get --print-value-only /test/pools/gpu | head -c -1 >"$value"
for name in '$(touch ran)' '`touch ran`' 'x;y' 'two words' .hidden -q '' "$(printf 'esc\e[31m')" "$(printf 'csi\xc2\x9b31m')" \
    "$(printf 'bytes\xff\xfe')" "$(printf 'rtl\xe2\x80\xae')" "$(printf 'line\nfeed')" "$(printf '%0300d' 1)"; do
    ctl put -- "/test/pools/$name" <"$value" >/dev/null || complain "cannot put $name"
done
[ "$(ctl get --prefix /test/pools/ --keys-only | grep -ac .)" -gt 12 ] || complain "the names are not in the store"
[ "$("$BERTH" ls -q)" = gpu ] || complain "ls -q: $("$BERTH" ls -q | cat -v)"
for command in ls status 'top --once -d 0.1'; do
    # shellcheck disable=SC2086 # words
    expect 0 "$BERTH" $command
    grep -q gpu "$output" || complain "$command: the pool is missing"
    ! LC_ALL=C grep -aqP '[^\n\x20-\x7e]' "$output" || complain "$command: a control character"
    ! grep -q 'name is made of' "$output" || complain "$command: what is no pool is complained about"
done
expect 0 "$BERTH" status --json
python3 -c 'import json, sys; pools = json.load(open(sys.argv[1]))["pools"]; sys.exit([p["pool"] for p in pools] != ["gpu"])' \
    "$output" || complain "status --json"

# ---- hosts and commands of others, and what a server says ----

strange=$'x\e[31m\a\xc2\x9b2J\xff\xed\xa0\x80\xe2\x80\xae\r\ny \xc3'
expect 0 "$BERTH" create -j 1 held
"$BERTH" run held -c "exec sleep 60 # $strange" &
run=$!
eventually "the slot is held" state_is held '1 1 0'
# Its client's entry again, with a host that is as strange.
key=$(ctl get --prefix /test/use/held/c/ --keys-only | head -n 1)
ctl get --print-value-only "$key" | head -c -1 >"$value"
lease=$(ctl get "$key" -w json | sed 's/.*"lease":\([0-9]*\).*/\1/')
python3 - "$value" "$strange" <<'P' || complain "the entry cannot be written"
import os, sys
message, host = open(sys.argv[1], 'rb').read(), os.fsencode(sys.argv[2])
name = os.uname().nodename.encode()
at = message.find(bytes([len(name)]) + name)
assert at > 0, message
open(sys.argv[1], 'wb').write(message[:at] + bytes([len(host)]) + host + message[at + 1 + len(name):])
P
ctl put --lease "$(printf %x "$lease")" "$key" <"$value" >/dev/null || complain "the entry is not changed"
for words in 'status' 'status held' 'top --once -d 0.1' 'run -n held -- true' 'rm held' 'drain held -w 0.1' \
    'status held --json' 'status --openmetrics'; do
    # shellcheck disable=SC2086 # words
    "$BERTH" $words >"$output" 2>&1
    [ $? -lt 126 ] || complain "$words: a crash"
    ! LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae' "$output" ||
        complain "$words: a control character"
    iconv -f UTF-8 -t UTF-8 "$output" >/dev/null 2>&1 || complain "$words: no UTF-8"
done
expect 0 "$BERTH" status held --json
python3 - "$output" <<'P' || complain "status --json, with a strange host"
import json, sys
holder, = json.load(open(sys.argv[1]))['pools'][0]['holders']
assert holder['host'].startswith('x [31m') and 'sleep 60 # x [31m' in holder['command'], holder
P
kill "$run"
wait "$run" 2>/dev/null
finish
