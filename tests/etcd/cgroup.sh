#!/bin/bash
# Where a cgroup can be made, nothing of a command outlives its slot: neither what has lost its parents and
# cleared its environment, nor what was started by a shell that is gone. Skipped where none can be made; then
# lease.sh and nothing-left.sh say what is done without.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
. "$(dirname "$0")/lib.bash"

for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
    [ ! -e "$root/cgroup.controllers" ] || break
done
own=$(sed -n 's/^0:://p' /proc/self/cgroup)
own=$root${own%/}
if ! mkdir "$own/berth-test-$$" 2>/dev/null; then
    echo "SKIPPED: no cgroup can be made in $own"
    exit 77
fi
[ -e "$own/berth-test-$$/cgroup.kill" ]
killable=$?
rmdir "$own/berth-test-$$"
if [ "$killable" -ne 0 ]; then
    echo "SKIPPED: this kernel cannot kill a cgroup"
    exit 77
fi

start_cluster 1
export BERTH_STORE="etcd://$hosts/cgroup?ttl=4" BERTH dir
exec 2>"$dir/reports"

groups() { find "$own" -maxdepth 3 -type d -name "berth-run-*" | wc -l; }
before=$(groups)
none_left() { [ "$(groups)" -le "$before" ]; }

# fled POOL: a run whose command is a shell that starts a process without parents and without an environment;
# $holder is the run, $worker its shell, $fled that process.
fled() {
    rm -f "$dir"/{fled,worker}
    # shellcheck disable=SC2086
    "$BERTH" run "$1" -- bash -c '(env -i setsid sh -c "echo \$\$ >$dir/fled; exec sleep 60" </dev/null >/dev/null 2>&1 &)
        echo $$ >"$dir/worker"; '"${2:-exec sleep 60}" &
    holder=$!
    eventually "a process that has fled" test -s "$dir/fled"
    eventually "a worker" test -s "$dir/worker"
    read -r fled <"$dir/fled"
    read -r worker <"$dir/worker"
    printf '%s\n' "$fled" "$worker" >>"$dir/pids"
}

# The command is in a group of its own from its first instruction on, and the group goes with it.
"$BERTH" run plain -- cat /proc/self/cgroup >"$output"
grep -q "^0::.*/berth-run-[0-9]*\.[0-9]*$" "$output" || complain "the command is in no group"
none_left || complain "a group is left: $(groups)"
expect 3 "$BERTH" run plain -- sh -c 'exit 3'
expect 127 "$BERTH" run plain -- /no/such/command
expect 126 "$BERTH" run plain -- /etc/passwd
expect 75 "$BERTH" run plain -- "$BERTH" run -n --store "$BERTH_STORE" plain -- env -u BERTH_LOANS "$BERTH" run -n plain -- true
none_left || complain "a group is left: $(groups)"

# A daemon that outlives its command keeps nothing, and is not killed; nor does it keep the group.
fled daemon 'exit 0'
wait "$holder"
gone "$fled" && complain "a daemon was killed"
none_left || complain "a daemon keeps the group"
expect 0 "$BERTH" run -n daemon -- true
kill "$fled"

# berth run is killed.
fled killed
wait_for killed heir
start=$(now_ms)
kill -KILL "$holder"
within "berth run was killed" "$start" 3000 heir
gone "$worker" "$fled" || complain "somebody outlived berth run"
wait
eventually "no group is left" none_left

# The lease is lost; berth run ends the command.
fled lost
kill -STOP "${server[0]}"
eventually "what has fled ends" gone "$fled" "$worker"
wait "$holder"
status=$?
kill -CONT "${server[0]}"
[ "$status" -eq 121 ] || complain "the lease was lost: status $status"
eventually "the store answers" healthy
eventually "no group is left" none_left

# The lease is lost while berth run is stopped: its guardian ends the command.
fled stopped
kill -STOP "$holder" "${server[0]}"
eventually "what has fled ends" gone "$fled" "$worker"
kill -CONT "$holder" "${server[0]}"
wait "$holder"
status=$?
[ "$status" -eq 121 ] || complain "the lease was lost while berth run was stopped: status $status"
eventually "the store answers" healthy
eventually "no group is left" none_left

# A run of another pool inside: it is killed with the outer one, and its slot comes back as soon.
rm -f "$dir/worker"
"$BERTH" run outer -- "$BERTH" run inner -- sh -c 'echo $$ >"$dir/worker"; exec sleep 60' &
holder=$!
eventually "a nested worker" test -s "$dir/worker"
read -r worker <"$dir/worker"
echo "$worker" >>"$dir/pids"
wait_for inner next
start=$(now_ms)
kill -KILL "$holder"
within "the run around it was killed" "$start" 3000 next
gone "$worker" || complain "the nested command outlived the outer run"
wait
eventually "no group is left" none_left

# Both are killed, and nobody removes the group: the next run does.
hold both
kill -KILL "$(pgrep -P "$holder" berth-guardian)" "$holder"
wait "$holder"
eventually "the command is gone" gone "$worker"
expect 0 "$BERTH" run plain -- true
eventually "no group is left" none_left

# BERTH_CGROUP=no: none is made.
BERTH_CGROUP=no "$BERTH" run plain -- cat /proc/self/cgroup >"$output"
grep -q "berth-run-" "$output" && complain "a group was made though none was wanted"

# berth run is killed while it waits for a slot.
hold busy
wait_for busy victim
kill -KILL "$waiter"
eventually "the waiter is gone" state_is busy '1 1 0'
kill "$holder"
wait
eventually "no group is left" none_left

finish
