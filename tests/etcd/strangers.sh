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
finish
