#!/bin/bash
# Which process keeps the tokens: a job, a make below, the first make, and berth run are killed, one after the
# other. All slots come back, and no build hangs. BERTH is the command under test.
# shellcheck disable=SC2317 # called through `eventually`
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
# shellcheck source=../jobserver/lib.bash
. "$(dirname "$0")/../jobserver/lib.bash"

# The shell's own reports of who was killed.
exec 2>"$dir/reports"

# start_build POOL MAKE: jobs, and a make below with jobs, by berth run, $run; $top is its make.
start_build() {
    makefile "$yard/build/sub" 12 150 sub
    makefile "$yard/build" 12 150 top
    printf 'all: below\nbelow:\n\t@+$(MAKE) --no-print-directory -C sub\n.PHONY: below\n' \
        >>"$yard/build/Makefile"
    (cd "$yard/build" && exec "$BERTH" run --jobserver -j 3 "$1" -- "$2" -k -j) >"$dir/build.out" 2>&1 &
    run=$!
    eventually "the build is under way" both_work
    top=$(pgrep -P "$run")
    echo "$top" >>"$dir/pids"
}
both_work() { grep -q ^sub "$yard/log" 2>/dev/null && grep -q ^top "$yard/log"; }
# child_of PID WORDS: a process somewhere below it that has these words in its command.
child_of() {
    local pid children command
    children=$(<"/proc/$1/task/$1/children")
    for pid in $children; do
        command=
        while read -r -d '' word; do command+="$word "; done <"/proc/$pid/cmdline"
        if [[ $command == *"$2"* ]]; then
            found=$pid
            return
        fi
        child_of "$pid" "$2"
    done
}
kill_child() {
    found=
    child_of "$run" "$1"
    [ -n "$found" ] && kill -KILL "$found"
}
no_jobs() { flock -n "$yard/place.0" true && flock -n "$yard/place.1" true && flock -n "$yard/place.2" true; }

for make in make "$newer_at/make"; do
    [ "$make" = make ] || newer make || continue
    pool=kills-$(basename "$(dirname "$make")")

    # A job: make goes on with the others (-k), and says that it failed.
    new_yard 3
    start_build "$pool" "$make"
    eventually "a job is killed" kill_child "$WORK"
    wait "$run"
    status=$?
    [ "$status" -eq 2 ] || complain "$make, a job was killed: status $status"
    count_is "$make, a job was killed" 23
    nothing_held "$pool" 3

    # A make below: what it had taken is back when all is over.
    new_yard 99
    start_build "$pool" "$make"
    eventually "$make: the make below is killed" kill_child ' -C sub'
    wait "$run"
    status=$?
    [ "$status" -eq 2 ] || complain "$make, a make below was killed: status $status"
    nothing_held "$pool" 3
    [ "$(jobs_done top)" -eq 12 ] || complain "$make, a make below was killed: $(jobs_done top) jobs"

    # The first make: berth run says so. The make below and the jobs that are left work on in the slots
    # that they have, so that another build beside them makes no more than 3; then all slots are back.
    new_yard 3
    start_build "$pool" "$make"
    kill -KILL "$top"
    wait "$run"
    status=$?
    [ "$status" -eq 137 ] || complain "$make was killed: status $status"
    makefile "$yard/after" 12 50
    build "$yard/after" "$BERTH" run --jobserver "$pool" -- "$make" -j
    [ "$(jobs_done after)" -eq 12 ] || complain "$make was killed, and another build: $(jobs_done after) jobs"
    nothing_held "$pool" 3
    [ ! -e "$yard/over" ] || complain "$make was killed: more than 3 at once: $(sort -u "$yard/over")"
    eventually "its jobs end" no_jobs

    # The server: the build goes on with what it has, never with more, and gives it back in the end.
    new_yard 3
    start_build "$pool" "$make"
    kill -KILL "$run"
    wait "$run"
    eventually "the build ends" gone "$top"
    count_is "$make, the server was killed" 24
    nothing_held "$pool" 3

    # The server and the make: nobody holds anything.
    new_yard 99
    start_build "$pool" "$make"
    found=
    child_of "$run" ' -C sub'
    kill -KILL "$run" "$top" $found
    wait "$run"
    eventually "the jobs that were left end" no_jobs
    nothing_held "$pool" 3
done

# The next one sweeps what a killed server has left: folders of FIFOs that nobody has locked.
"$BERTH" run --jobserver=fifo "$pool" -- true
for folder in "${TMPDIR:-/tmp}"/berth-jobs.*; do
    [ -O "$folder" ] && flock -n "$folder" true && complain "a folder was left behind: $folder"
done

finish
