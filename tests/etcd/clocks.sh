#!/bin/bash
# Clocks that differ from one client to the other, by faketime. A time of day that is off, runs fast or
# jumps changes nothing: a lease is counted by CLOCK_MONOTONIC. One that runs slower than the store's
# makes a lease seem longer than it is; an eighth of it is kept back for that.
# ROUNDS=10 for the long form; TTL=20 for a longer lease.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
if ! command -v faketime >/dev/null; then
    echo "SKIPPED: faketime is not installed"
    exit 77
fi
start_cluster 1
exec 2>"$dir/reports"

# A time of day that jumps: a file that says how far it is off, and is written again.
jumps() { FAKETIME_TIMESTAMP_FILE=$dir/now FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1 LD_PRELOAD=$fake "$@"; }
jump() { echo "$1" >"$dir/now.new" && mv "$dir/now.new" "$dir/now"; }
fake=$(faketime -m -f '+0' printenv LD_PRELOAD)
wall() { faketime -m --exclude-monotonic -f "$@"; } # the time of day alone
both() { faketime -m -f "$@"; }                     # and CLOCK_MONOTONIC

# ---- under load: six clocks, and one that is right ----

# client NAME COMMAND...: 50 acquires of two threads, by a clock that COMMAND makes.
client() {
    local name=$1
    shift
    "$@" "$LOAD" "etcd://$hosts/clocks?ttl=2" load 2 2 50 4000 "$dir/history.$name" \
        >"$dir/loaded.$name" 2>"$dir/errors.$name" &
    clients[$name]=$!
}
under_load() {
    local name status at
    declare -gA clients=()
    rm -f "$dir"/history.*
    jump +0
    client right env
    client ahead wall +1h
    client behind wall -1d
    client hurried wall '+0 x1.1'
    client jumping jumps
    client fast both '+0 x1.1'
    client slow both '+0 x0.9'
    for at in +1d -1d +0; do
        sleep 0.3
        jump "$at"
    done
    for name in "${!clients[@]}"; do
        wait "${clients[$name]}"
        status=$?
        [ "$status" -eq 0 ] || complain "the client $name: status $status: $(cat "$dir/errors.$name")"
    done
    cat "$dir"/history.* >"$dir/history"
    history_is_good "$dir/history" 2 $((7 * 50))
    grep -q ' 0 lost' "$output" || complain "a grant was lost, and nobody was cut off"
}

# ---- a holder is cut off, and counts by its own clock ----

# The command of a holder: writes the time, the real one, every 20 ms, and does not listen to TERM.
cat >"$dir/beat" <<'END'
unset LD_PRELOAD
exec bash -c 'trap : TERM; while :; do echo $((${EPOCHREALTIME/[.,]/} / 1000)); sleep 0.02; done >"$0"' "$1"
END
# holder NAME COMMAND...: on a way to the store that can be cut: etcd's gateway, which is stopped.
holder() {
    local name=$1
    shift
    rm -f "$dir/next.$name" "$dir/beats.$name"
    "$@" "$BERTH" run --store "etcd://127.0.0.1:$((base + 6))/clocks?ttl=$ttl" "$name" -- bash "$dir/beat" "$dir/beats.$name" &
    echo $! >>"$dir/pids"
    eventually "$name holds" test -s "$dir/beats.$name"
    wait_for "$name" "next.$name"
}
cut_off() {
    local name start gateway names=(right slow ahead behind jumping)
    ttl=${TTL:-8}
    export BERTH_STORE="etcd://$hosts/clocks?ttl=$ttl"
    etcd gateway start --endpoints "$hosts" --listen-addr "127.0.0.1:$((base + 6))" >"$dir/gateway" 2>&1 &
    gateway=$!
    eventually "a gateway" listens
    jump +0
    holder right env
    holder slow both '+0 x0.9'
    holder ahead wall +1h
    holder behind wall -1d
    holder jumping jumps
    sleep $((ttl / 2)) # they have been renewed once
    kill -STOP "$gateway"
    start=$(now_ms)
    sleep 0.5
    jump -1d
    patience=$((2 * ttl + 10))
    for name in "${names[@]}"; do eventually "the next one after $name" test -s "$dir/next.$name"; done
    patience=20
    for name in "${names[@]}"; do
        last=$(tail -n 1 "$dir/beats.$name")
        printf '%s: last beat %d ms after the cut, the next holder %d ms after that\n' "$name" \
            $((last - start)) $(($(cat "$dir/next.$name") - last))
        [ "$last" -lt "$(cat "$dir/next.$name")" ] || complain "$name: both worked at once"
    done
    kill -KILL "$gateway"
    wait
}
listens() { (: <"/dev/tcp/127.0.0.1/$((base + 6))") 2>/dev/null; }

for ((round = 0; round < ${ROUNDS:-1}; round++)); do
    under_load
    cut_off
done
finish
