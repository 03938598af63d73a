#!/bin/bash
# berth jobserver: one path for all builds, with an account for each client. BERTH is the command under
# test; clients are a newer make and ninja.
# shellcheck disable=SC2317 # called through `eventually`
subcommand=jobserver
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
# shellcheck source=../jobserver/lib.bash
. "$(dirname "$0")/../jobserver/lib.bash"

if [ ! -x "$(dirname "$BERTH")/berth-jobserver" ]; then
    expect 125 cc
    grep -q 'left out of a build without libfuse3' "$output" || complain "no word about libfuse3"
    echo "SKIPPED: berth jobserver was not built: libfuse3 is not here"
    [ "$failures" -eq 0 ] && exit 77
    exit 1
fi
expect 2
expect 2 a b
expect 2 -j 0 a
expect 1 no-such-pool
grep -q 'jobserver: .*no-such-pool' "$output" || complain "no word about the pool"
if ! (: <>/dev/fuse) 2>/dev/null; then
    "$BERTH" run -j 2 cc -- true
    expect 125 cc --mount "$dir/mount"
    echo "SKIPPED: /dev/fuse cannot be opened here"
    [ "$failures" -eq 0 ] && exit 77
    exit 1
fi
newer make || exit 77
make=$newer_at/make ninja=$newer_at/ninja

# start POOL SLOTS: a server, $server, mounted at $mount; MAKEFLAGS lead there.
start() {
    mount=$dir/mount.$1
    "$BERTH" jobserver "$1" -j "$2" --mount "$mount" >"$dir/flags" 2>"$dir/said" &
    server=$!
    echo "$server" >>"$dir/pids"
    if ! eventually "it serves $1: $(cat "$dir/said")" grep -q MAKEFLAGS "$dir/flags"; then
        echo "SKIPPED: nothing can be mounted here: $(cat "$dir/said")"
        exit 77
    fi
    eval "export $(cat "$dir/flags")"
    [ "$MAKEFLAGS" = " -j$2 --jobserver-auth=fifo:$mount/tokens" ] || complain "it says $MAKEFLAGS"
}
ended() { ! kill -0 "$1" 2>/dev/null; }
unmounted() { ! grep -q " $1 " /proc/mounts; }

pids=()
start cc 3

# A second one has no place there.
expect 125 cc --mount "$mount"
grep -q 'mounted at .* already' "$output" || complain "a second server: no sentence"
expect 125 cc --mount "$dir/a b"
grep -q 'goes into MAKEFLAGS' "$output" || complain "a blank in the path: no sentence"

# One build, two, and a tree; never more than there are slots, the first job of each counted.
new_yard 3 3
makefile "$yard/one" 12 10
build "$yard/one" "$make"
count_is "one build" 12
[ "$(most)" -eq 3 ] || complain "one build: $(most) jobs at once, of 3"
nothing_held cc 3

for client in "$make" "$ninja"; do
    new_yard 3
    for part in a b c; do
        makefile "$yard/$part" 20 30
        (cd "$yard/$part" && exec timeout -k 5 120 "$client") >"$dir/side.$part" 2>&1 &
        pids[${#pids[@]}]=$!
    done
    wait "${pids[@]}"
    pids=()
    count_is "three builds with $client" 60
    for part in a b c; do
        [ "$(head -n 30 "$yard/log" | grep -c "^$part ")" -ge 4 ] ||
            complain "$part did little of the first half: $(head -n 30 "$yard/log" | cut -c 1 | tr -d '\n')"
    done
    nothing_held cc 3
done

new_yard 3 2
for part in a b c; do makefile "$yard/tree/$part" 5 10; done
printf 'all: a b c\na b c:\n\t@$(MAKE) --no-print-directory -C $@\n.PHONY: a b c\n' >"$yard/tree/Makefile"
build "$yard/tree" "$make"
count_is "a tree" 15
parallel "a tree"
nothing_held cc 3

# Below a run of the pool, the first job has its slot already.
new_yard 1
makefile "$yard/below" 3 10
"$BERTH" run -j 1 narrow -- true
(
    kill_server() { kill "$server" && wait "$server"; }
    start narrow 1
    build "$yard/below" "$BERTH" run narrow -- "$make"
    kill_server
    exit "$failures"
) || failures=$((failures + 1))
count_is "below a run" 3
nothing_held narrow 1

# A program that only looks at the name has no slot for long.
ls -l "$mount" >"$output"
eventually "looking costs nothing" state_is cc '3 0 0'

# One that waits for its first slot can be interrupted, and leaves nothing.
"$BERTH" run cc:3 -- sleep 60 &
holder=$!
eventually "all slots are held" state_is cc '3 3 0'
new_yard 3
makefile "$yard/waits" 1 10
(cd "$yard/waits" && exec "$make") >"$dir/waits" 2>&1 &
waits=$!
eventually "it waits for its first slot" state_is cc '3 3 1'
kill -TERM $waits
eventually "TERM ends it" ended $waits
eventually "and it waits no more" state_is cc '3 3 0'
[ ! -e "$yard/begun" ] || complain "it worked without a slot"
kill "$holder"
wait "$holder"
nothing_held cc 3

# A client that is killed: what it had comes back at once, though the server lives and others work.
new_yard 99
makefile "$yard/killed" 3 3000
(cd "$yard/killed" && exec "$make") >"$dir/killed" 2>&1 &
killed=$!
eventually "it has three slots" state_is cc '3 3 0'
start_at=$(now_ms)
kill -KILL $killed
wait $killed
patience=5 eventually "the slots of a killed client are back" state_is cc '3 0 0'
echo "a killed client: slots back after $(($(now_ms) - start_at)) ms"

# The server, asked to end: the mount is gone.
kill -TERM "$server"
wait "$server"
status=$?
[ "$status" -eq 0 ] || complain "TERM: status $status"
unmounted "$mount" || complain "it is still mounted"
[ ! -e "$mount" ] || complain "its folder is still there"

# The server, killed or asked to end: all slots are back, and the build that is under way ends well.
for signal in TERM KILL; do
    start second 3
    new_yard 99
    makefile "$yard/orphan" 30 30
    (cd "$yard/orphan" && exec timeout -k 5 60 "$make") >"$dir/orphan" 2>&1 &
    orphan=$!
    eventually "it works" test -s "$yard/log"
    eventually "it has all slots" state_is second '3 3 0'
    kill -$signal "$server"
    wait "$server"
    eventually "the slots of a server after $signal are back" state_is second '3 0 0'
    wait $orphan
    status=$?
    [ "$status" -eq 0 ] || complain "$signal: the build ended with $status: $(cat "$dir/orphan")"
    [ "$(jobs_done orphan)" -eq 30 ] || complain "$signal: the build did $(jobs_done orphan) jobs of 30"
    eventually "it is unmounted" unmounted "$mount"
done

# And another one takes its place.
start second 3
new_yard 3
makefile "$yard/again" 6 10
build "$yard/again" "$make"
count_is "after a killed server" 6
kill -TERM "$server"
wait "$server"

finish
