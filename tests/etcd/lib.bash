# What the tests against etcd share; sourced by them. BERTH is the command under test. Gives them a
# folder, $dir, and functions that start servers, which end with the script.
set -u
export ETCDCTL_API=3
unset BERTH_STORE

if ! command -v etcd >/dev/null || ! command -v etcdctl >/dev/null; then
    echo "SKIPPED: etcd or etcdctl is not installed"
    exit 77
fi

failures=0
dir=$(mktemp -d) || exit 1
output=$dir/output
: >"$output"
declare -A server # the process of each node

# Every process that is still running was started by this script, and is ended by its number.
end_all() {
    # shellcheck disable=SC2046 # a list of numbers
    kill -KILL $(jobs -p) 2>/dev/null
    [ ! -s "$dir/pids" ] || xargs kill -KILL <"$dir/pids" 2>/dev/null
    wait 2>/dev/null
    rm -rf "$dir"
}
trap end_all EXIT
trap 'exit 130' INT TERM

complain() {
    echo "FAILED: $*"
    cat "$output"
    failures=$((failures + 1))
}

finish() {
    [ "$failures" -eq 0 ] && echo "all as expected"
    exit $((failures > 0))
}

patience=20 # elections take their time
# shellcheck source=../waiting.bash
. "$(dirname "$0")/../waiting.bash"

# expect STATUS COMMAND...: its output is in $output.
expect() {
    local expected=$1 status
    shift
    "$@" >"$output" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || complain "$*: status $status, not $expected"
}

# ---- servers ----

# Ports that nobody uses, as far as one can tell, from $PORTS on; node I has $base+2I for clients and one more for
# peers.
pick_ports() {
    local i
    for _ in $(seq 50); do
        base=$((${PORTS:-20000} + RANDOM % 4990))
        for i in 0 1 2 3 4 5 6 7; do
            (: <"/dev/tcp/127.0.0.1/$((base + i))") 2>/dev/null && continue 2
        done
        return
    done
    complain "there are no free ports"
    finish
}
client_port() { echo $((base + 2 * $1)); }
scheme=http
tls=()
host=(127.0.0.1 127.0.0.1 127.0.0.1) # the address of each node
namespace=()                         # the network namespace of each node, where it has one of its own
client_address() { echo "${host[$1]}:$(client_port "$1")"; }
peer_url() { echo "http://${host[$1]}:$((base + 2 * $1 + 1))"; }

# start_node I OPTION...: a member of the cluster of $nodes, with the data that it had before.
start_node() {
    local i=$1
    shift
    local peer client
    peer=$(peer_url "$i") client=$scheme://$(client_address "$i")
    ${namespace[$i]:+ip netns exec "${namespace[$i]}"} etcd --name "n$i" --data-dir "$dir/n$i" --listen-peer-urls "$peer" \
        --initial-advertise-peer-urls "$peer" --listen-client-urls "$client" \
        --advertise-client-urls "$client" --initial-cluster "$cluster" --heartbeat-interval 50 \
        --election-timeout 500 --initial-cluster-token "$base" "${tls[@]}" "$@" >>"$dir/n$i.log" 2>&1 &
    server[$i]=$!
    disown "${server[$i]}" # `wait` is for the others
    echo "${server[$i]}" >>"$dir/pids"
}

# stop_node I: it ends in good order.
stop_node() {
    kill "${server[$1]}"
    eventually "server $1 ends" gone "${server[$1]}"
}

# start_cluster N OPTION...: N nodes; $hosts is the list of their addresses.
start_cluster() {
    local i
    nodes=$1
    shift
    pick_ports
    cluster= hosts=
    for ((i = 0; i < nodes; i++)); do
        cluster+="${cluster:+,}n$i=$(peer_url "$i")"
        hosts+="${hosts:+,}$(client_address "$i")"
    done
    for ((i = 0; i < nodes; i++)); do
        rm -rf "$dir/n$i"
        start_node "$i" "$@"
    done
    eventually "the cluster answers" healthy
}
ctl() { etcdctl --endpoints "$hosts" --command-timeout 5s "$@"; }
healthy() { ctl endpoint health >"$output" 2>&1; }
# The node that leads, or nothing.
leader() {
    local i
    for ((i = 0; i < nodes; i++)); do
        etcdctl --endpoints "$(client_address "$i")" --command-timeout 1s \
            endpoint status 2>/dev/null | awk -F', ' -v i="$i" '$5 == "true" { print i; exit }'
    done | head -n 1
}

# metric NAME: the sum of the counters of that name and labels, over all nodes.
metric() {
    local i
    for ((i = 0; i < nodes; i++)); do
        python3 -c 'import sys, urllib.request
for line in urllib.request.urlopen(sys.argv[1]).read().decode().splitlines():
    if all(part in line for part in sys.argv[2:]) and not line.startswith("#"):
        print(line.split()[-1])' "http://$(client_address "$i")/metrics" "$@"
    done | awk '{ sum += $1 } END { printf "%d\n", sum }'
}

# ---- pools ----

# hold POOL OPTION...: starts `berth run` with a command that lasts; $holder is its number, and $worker
# the command's.
hold() {
    rm -f "$dir/worker"
    # shellcheck disable=SC2016 # for the command's shell
    "$BERTH" run "$@" -- sh -c 'echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 60' "$dir/worker" &
    holder=$!
    eventually "a slot of $1" test -s "$dir/worker"
    worker=$(cat "$dir/worker")
    echo "$worker" >>"$dir/pids"
}

# history FILE SLOTS [GRANTS]: a history of the load is as it should be.
history_is_good() {
    "$SRC/tests/etcd/check-history" "$@" >"$output" 2>&1 || complain "the history $1"
    tail -n 1 "$output"
}
