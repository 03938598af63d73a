#!/bin/bash
# The network is partitioned: three etcd servers and two hosts with clients, each in a network namespace of its
# own, on a bridge. A host that is cut off gets no error: packets go to an address that nobody has. Under load,
# with the leader cut off, alone and together with half of the clients; with a follower cut off; with all three
# apart; with clients cut off from one server after the other. Never is a slot held twice, the order is kept, no
# acquire fails, and when the net is whole again all go on. ROUNDS=10 for the long form; ONLY='all three apart' for
# one of them. Needs no privileges where users may have namespaces; skipped where there are none.
# shellcheck disable=SC2317
if [ "${1-}" != inside ]; then
    for way in -nm -Urnm; do # as root; as a user who becomes root in there
        if unshare "$way" true 2>/dev/null && command -v ip >/dev/null; then
            exec unshare "$way" "$0" inside
        fi
    done
    echo "SKIPPED: no network namespaces here"
    exit 77
fi
. "$(dirname "$0")/lib.bash"

# ---- the net ----

declare -A address=([s0]=10.0.0.1 [s1]=10.0.0.2 [s2]=10.0.0.3 [c0]=10.0.0.4 [c1]=10.0.0.5)

make_net() {
    local name
    mount -t tmpfs none /run && mkdir /run/netns || return
    ip link set lo up && ip link add bridge type bridge && ip addr add 10.0.0.254/24 dev bridge &&
        ip link set bridge up || return
    for name in "${!address[@]}"; do
        ip netns add "$name" && ip link add "$name" type veth peer name net netns "$name" &&
            ip link set "$name" master bridge up && ip -n "$name" link set lo up &&
            ip -n "$name" addr add "${address[$name]}/24" dev net && ip -n "$name" link set net up || return
    done
}

# sever A B, heal A B: in both directions.
sever() {
    ip -n "$1" neigh replace "${address[$2]}" lladdr 02:00:00:00:00:01 dev net nud permanent
    ip -n "$2" neigh replace "${address[$1]}" lladdr 02:00:00:00:00:01 dev net nud permanent
    cuts+=("$1 $2")
}
heal() {
    ip -n "$1" neigh del "${address[$2]}" dev net
    ip -n "$2" neigh del "${address[$1]}" dev net
}
cuts=()
heal_all() {
    local pair
    # shellcheck disable=SC2086 # two names
    for pair in "${cuts[@]}"; do heal $pair; done
    cuts=()
}

# ---- the load ----

# load NAME HOLD_US: three clients in the namespace NAME, until it is ended; what it does is in $dir/NAME.
load() {
    ip netns exec "$1" "$LOAD" "$store" net 2 3 1000000 "$2" "$dir/$1" >"$dir/$1.loaded" 2>"$dir/$1.errors" &
    loads[$1]=$!
    eventually "$what: $1 is open" grep -q open "$dir/$1.loaded"
}
grants() { cat "$dir/$1" 2>/dev/null | wc -l; }
has_more() { [ "$(grants "$1")" -ge "$2" ]; } # NAME GRANTS

# apart WHAT TTL HOLD_US COMMAND...: COMMAND cuts, and may wait; then everything is healed. HOLD_US are
# c0's; those of c1 hold for 4 ms.
apart() {
    local name status
    what=$1
    [ "${ONLY:-$what}" = "$what" ] || return
    store="etcd://$hosts/net?ttl=$2"
    declare -gA loads=()
    load c0 "$3"
    load c1 4000
    sleep 0.5
    shift 3
    "$@"
    heal_all
    for name in c0 c1; do
        eventually "$what: grants of $name after healing" has_more "$name" $(($(grants "$name") + 1))
    done
    kill "${loads[@]}"
    for name in c0 c1; do
        wait "${loads[$name]}"
        status=$?
        cat "$dir/$name.errors" >>"$output"
        [ "$status" -eq 0 ] || complain "$what: the load of $name ended with status $status"
    done
    cat "$dir/c0" "$dir/c1" >"$dir/history"
    printf '%s: ' "$what"
    history_is_good "$dir/history" 2
    eventually "all three are healthy" healthy
}

# ---- who is cut off ----

find_leader() {
    head=$(leader)
    [ -n "$head" ] || complain "$what: there is no leader"
    head=${head:-0} one=$(((head + 1) % 3)) two=$(((head + 2) % 3))
}
# advances NAME: it goes on while the net is apart.
advances() { eventually "$what: $1 goes on" has_more "$1" $(($(grants "$1") + 1)); }

leader_alone() {
    find_leader
    sever "s$head" "s$one"
    sever "s$head" "s$two"
    advances c0
    advances c1
    sleep 1
}
loses() { [ "$(awk '$8 == 1' "$dir/$1" | wc -l)" -gt 0 ]; }
# c0 is with the leader, where nothing can be agreed on; its leases of 2 s run out while it works.
leader_and_clients() {
    find_leader
    advances c0
    sleep 0.3 # c0 has just begun to hold again
    sever "s$head" "s$one"
    sever "s$head" "s$two"
    sever c0 "s$one"
    sever c0 "s$two"
    sever c1 "s$head"
    eventually "$what: c0 loses what it has" loses c0
    advances c1
    sleep 1
}
follower_alone() {
    find_leader
    sever "s$head" "s$one"
    sever "s$two" "s$one"
    advances c0
    advances c1
    sleep 1
}
all_apart() {
    sever s0 s1
    sever s1 s2
    sever s0 s2
    sleep 2
}
# Whichever c0 is connected to, it goes to another one; c1 is not concerned.
client_and_server() {
    local i
    for i in 0 1 2; do
        sever c0 "s$i"
        sleep 1
        advances c0
        heal_all
    done
}

if ! make_net 2>"$dir/net"; then
    echo "SKIPPED: cannot make a net here: $(tail -n 1 "$dir/net")"
    exit 77
fi
host=("${address[s0]}" "${address[s1]}" "${address[s2]}")
namespace=(s0 s1 s2)
start_cluster 3
for ((round = 0; round < ${ROUNDS:-1}; round++)); do
    apart "the leader alone" 10 4000 leader_alone
    apart "the leader with half of the clients" 2 3000000 leader_and_clients
    apart "a follower alone" 10 4000 follower_alone
    apart "all three apart" 10 4000 all_apart
    apart "clients without one server" 10 4000 client_and_server
done
finish
