#!/bin/bash
# When a lease ends, its holder may not know yet: it may count on its slot until its own count of the lease is
# over. So nobody has the slot for a whole lease of the holder's, and then the first in line has it soon. Leases
# are ended by hand here, as etcd itself does at times (docs/ETCD.md, "A leader that was paused"), while the holder
# and its guardian are stopped: one that hears of it ends its command and frees the slot at once (lost.sh).
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
exec 2>"$dir/reports"
store=etcd://$hosts/grace
export BERTH_STORE=$store?ttl=4
lease=${LEASE_MS:-4000}
: "${PART:=alone apart twice unequal removed}"

# keep POOL TTL: a slot of the pool is held under a lease of TTL seconds, whose number is a line of $dir/lease.POOL.
keep() {
    BERTH_STORE="$store?ttl=$2" hold "$1"
    lease_of "$1" "$(slot_of "$1")" >>"$dir/lease.$1"
    echo "$holder" >>"$dir/holder.$1"
}
# deafen PID: that run and its guardian hear nothing from here on.
deafen() {
    # shellcheck disable=SC2046 # there is one
    kill -STOP $(pgrep -P "$1" -f guardian) "$1"
}
export -f deafen
# slot_of POOL: the slot that was taken last. lease_of POOL SLOT: the number of the lease that holds it.
slot_of() { ctl get --prefix "/grace/use/$1/s/" --keys-only --sort-by MODIFY --order DESCEND | sed -n '1s,.*/,,p'; }
lease_of() {
    ctl get "/grace/use/$1/s/$2" -w json |
        python3 -c 'import json, sys; print("%x" % json.load(sys.stdin)["kvs"][0]["lease"])'
}
# end_lease POOL N: the Nth lease of it, whose holder does not hear of it; prints the time.
end_lease() {
    deafen "$(sed -n "$2p" "$dir/holder.$1")"
    now_ms
    ctl lease revoke "$(sed -n "$2p" "$dir/lease.$1")" >"$dir/revoked" || complain "the lease is not ended"
}
# waits NAME POOL [TTL]: with a lease of its own, and keeps the slot.
waits() {
    # shellcheck disable=SC2016 # for the command's shell
    BERTH_STORE="$store?ttl=${3:-4}" "$BERTH" run "$2" -- \
        bash -c 'echo $((${EPOCHREALTIME/[.,]/} / 1000)) >"$0"; exec sleep 60' "$dir/$1" &
}
# not_before WHAT START LEASE NAME: it had its slot a lease after START, and not much later.
not_before() {
    eventually "$4 has the slot" test -s "$dir/$4" || return
    local took=$(($(cat "$dir/$4") - $2))
    echo "$1: after $took ms"
    [ "$took" -ge "$3" ] || complain "$1: the slot was taken over after $took ms, not $3"
    [ "$took" -le $(($3 + 3000)) ] || complain "$1: the slot was taken over too late, after $took ms"
}
# One lease ends.
alone() {
    local ended
    keep alone 4
    waits alone alone
    eventually "it waits" waiting alone 1
    ended=$(end_lease alone 1)
    not_before "one lease" "$ended" "$lease" alone
}

# Another one ends when the first slot is about to be taken over: that of the second is not.
apart() {
    local ended
    "$BERTH" create apart --slots 2 >"$dir/created" || complain "create"
    keep apart 4
    keep apart 4
    waits first apart
    eventually "one waits" waiting apart 1
    waits second apart
    eventually "two wait" waiting apart 2
    ended=$(end_lease apart 1)
    sleep "$(awk "BEGIN { print $lease * 0.75 / 1000 }")"
    local later
    later=$(end_lease apart 2)
    not_before "the first of two" "$ended" "$lease" first
    not_before "the second of two" "$later" "$lease" second
}

# The client that took the slot over loses it at once: the next one starts its own count then.
twice() {
    keep twice 4
    # shellcheck disable=SC2016 # for the command's shell
    "$BERTH" run twice -- bash -c '
        number=$(etcdctl --endpoints "$2" get --prefix /grace/use/twice/s/ -w json |
            python3 -c "import json, sys; print(\"%x\" % json.load(sys.stdin)[\"kvs\"][0][\"lease\"])")
        deafen "$PPID"
        echo $((${EPOCHREALTIME/[.,]/} / 1000)) >"$0"
        etcdctl --endpoints "$2" lease revoke "$number" >"$1" 2>&1
        sleep 60' "$dir/heir" "$dir/revoked.twice" "$hosts" &
    eventually "one waits" waiting twice 1
    waits after twice
    eventually "two wait" waiting twice 2
    end_lease twice 1 >"$dir/ended.twice"
    eventually "the first has the slot" test -s "$dir/heir"
    not_before "twice" "$(cat "$dir/heir")" "$lease" after
}

# The lease of the holder counts, not that of the waiter.
unequal() {
    local ended
    keep unequal $((lease / 1000 + 1))
    waits unequal unequal 2
    eventually "it waits" waiting unequal 1
    ended=$(end_lease unequal 1)
    not_before "a longer lease than the waiter's" "$ended" $((lease + 1000)) unequal
}

# A pool of that name that is removed and made again does not have the slot free before that, either.
removed() {
    local ended
    keep removed 4
    ended=$(end_lease removed 1)
    expect 0 "$BERTH" rm removed
    waits again removed
    not_before "a pool that was made again" "$ended" "$lease" again
    expect 0 "$BERTH" create beside --slots 1
    expect 0 timeout 2 "$BERTH" rm beside
}

for part in $PART; do "$part"; done
# shellcheck disable=SC2046 # all of them
kill -CONT $(cat "$dir"/holder.* 2>/dev/null) $(pgrep -P "$(cat "$dir"/holder.* 2>/dev/null | paste -sd,)" -f guardian)
finish
