# What the tests of pools share, whatever the store: waiting for what has to come, and for slots. They
# have `complain`, a folder $dir, and BERTH, the command under test.
now_ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# eventually WHAT COMMAND...: COMMAND succeeds within $patience seconds, or 10, or there is a complaint.
eventually() {
    local what=$1 end=$(($(now_ms) + ${patience:-10} * 1000))
    shift
    until "$@"; do
        if [ "$(now_ms)" -gt "$end" ]; then
            complain "not in ${patience:-10} seconds: $what"
            return 1
        fi
        sleep 0.01
    done
}

# state POOL: "SLOTS HELD WAITING".
state() {
    "$BERTH" status "$1" 2>/dev/null |
        sed -nE '1s/^.*: ([0-9]+) slots?, ([0-9]+) held, ([0-9]+) waiting$/\1 \2 \3/p'
}
state_is() { [ "$(state "$1")" = "$2" ]; }

# start_waiter NAME POOL...: starts a command that leaves a file with the time at which it had its slots;
# $waiter is its number.
start_waiter() {
    local name=$1
    shift
    # shellcheck disable=SC2016 # for the command's shell
    "$BERTH" run "$@" -- bash -c 'echo $((${EPOCHREALTIME/[.,]/} / 1000)) >"$0"' "$dir/$name" &
    waiter=$!
}

# wait_for POOL NAME: the same, and it waits.
wait_for() {
    local before
    before=$(state "$1" | cut -d ' ' -f 3)
    start_waiter "$2" "$1"
    eventually "$2 waits" waiting "$1" $((${before:-0} + 1))
}
waiting() { [ "$(state "$1" | cut -d ' ' -f 3)" = "$2" ]; }

# within WHAT START LIMIT NAME: the waiter NAME had its slot at most LIMIT ms after START.
within() {
    eventually "$4 has a slot" test -s "$dir/$4" || return
    local took=$(($(cat "$dir/$4") - $2))
    echo "$1: $took ms"
    [ "$took" -le "$3" ] || complain "$1: $took ms, not $3"
}

# gone PID...: none of them is there, zombies aside.
gone() {
    local pid
    for pid; do
        case $(ps -o stat= -p "$pid") in
        '' | Z*) ;;
        *) return 1 ;;
        esac
    done
}
