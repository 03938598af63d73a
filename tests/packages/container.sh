#!/bin/bash
# What docs/INSTALL.md says of containers: a process with process ids, ipc, host name and a root of its own,
# in which there is nothing but the command, a shell and the directory of the store, shares a pool with the
# host; and when it is killed, with all that is in it, its slot comes back. BERTH is the command.
set -u
work=$(mktemp -d) || exit 1
last=
cleanup() {
    # shellcheck disable=SC2046 # numbers
    kill -9 $(jobs -p) $last 2>/dev/null
    wait 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
output=$work/output
failures=0
complain() {
    echo "FAILED: $*"
    cat "$output"
    failures=$((failures + 1))
}

# As the image has it: the command, and what it runs. A static one needs nothing; copy what others need.
mkdir -p "$work/root/bin" "$work/root/run/berth" "$work/root/proc" "$work/store"
chmod 755 "$work/store"
for program in "$BERTH" "$(command -v sh)" "$(command -v sleep)"; do
    cp "$(realpath "$program")" "$work/root/bin/$(basename "$program")"
    ldd "$program" 2>/dev/null | grep -oE '/[^ )]+' | while read -r library; do
        mkdir -p "$work/root$(dirname "$library")"
        cp -L "$library" "$work/root$library"
    done
done
unshare --mount --pid --fork true 2>/dev/null || { echo "SKIPPED: namespaces are not permitted"; exit 77; }

# A mount of the store, in a namespace of mounts that goes when this test does.
contained() {
    unshare --mount sh -c 'mount --bind "$1/store" "$1/root/run/berth" && shift && exec "$@"' sh "$work" \
        unshare --mount --pid --ipc --uts --fork --kill-child --root="$work/root" "$@"
}
contained /bin/sh -c 'true' >"$output" 2>&1 || { echo "SKIPPED: mounting is not permitted"; exit 77; }

# --- the container holds, the host waits ---
contained /bin/berth run --store /run/berth -j 1 gpu -- /bin/sh -c 'echo holds; exec /bin/sleep 600' \
    >"$work/said" 2>&1 &
container=$!
for _ in $(seq 600); do [ -s "$work/said" ] && break; sleep 0.1; done
[ "$(cat "$work/said")" = holds ] || { cp "$work/said" "$output"; complain "the container does not get a slot"; }
timeout 60 "$BERTH" run -n --store "$work/store" gpu -- true >"$output" 2>&1 &&
    complain "the host got the slot that the container holds"
"$BERTH" status --store "$work/store" gpu >"$output" 2>&1
grep -q 'sleep 600\|/bin/sh' "$output" || complain "the host does not see the container's holder"
"$BERTH" run --store "$work/store" gpu -- touch "$work/mine" &
waiter=$!
sleep 0.5
[ ! -e "$work/mine" ] || complain "the host got the slot that the container holds"

# --- the container is killed ---
# shellcheck disable=SC2046 # numbers
kill -9 "$container" $(pgrep -P "$container") 2>/dev/null
for _ in $(seq 600); do [ -e "$work/mine" ] && break; sleep 0.1; done
[ -e "$work/mine" ] && wait "$waiter" || complain "the slot of a container that was killed did not come back"

# --- the host holds, the container is refused ---
"$BERTH" run --store "$work/store" gpu -- sh -c "echo holds >$work/host; exec sleep 600" &
host=$!
for _ in $(seq 600); do [ -s "$work/host" ] && break; sleep 0.1; done
contained /bin/berth run -n --store /run/berth gpu -- /bin/sh -c true >"$output" 2>&1 &&
    complain "the container got the slot that the host holds"
last=$(pgrep -P "$host")

[ "$failures" -eq 0 ] && echo "all as expected"
exit $((failures > 0))
