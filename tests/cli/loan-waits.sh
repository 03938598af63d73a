#!/bin/bash
# What a nested run holds while it waits, and what it leaves to its command: no tree of runs gets stuck over slots,
# seats and descriptors. BERTH is the command under test.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
export BERTH dir
exec 2>"$dir/reports"

# ---- seats: more runs than the pool has seats for, and each nests ----

timeout 20 "$BERTH" create --seats 3 -j 2 few >/dev/null || complain "a pool of few seats"
: >"$dir/few"
seq 24 | timeout 60 xargs -P 24 -I{} "$BERTH" run -q few -- \
    sh -c '"$BERTH" run -q few -- "$BERTH" run -q few -- sh -c "echo {} >>\"$dir/few\""'
[ "$(sort -u "$dir/few" | wc -l)" -eq 24 ] || complain "few seats: $(wc -l <"$dir/few") of 24 jobs are done"
eventually "few is free" state_is few '2 0 0'

"$BERTH" run -j 4 many -- true
: >"$dir/many"
seq 1100 | timeout 100 xargs -P 1100 -I{} "$BERTH" run -q many -- \
    sh -c '"$BERTH" run -q many -- sh -c "echo {} >>\"$dir/many\""'
[ "$(sort -u "$dir/many" | wc -l)" -eq 1100 ] || complain "1024 seats: $(wc -l <"$dir/many") of 1100 jobs are done"
eventually "many is free" state_is many '4 0 0'

# ---- descriptors: a run that waits keeps nothing alive that it waits for ----

# The outer run of two pools is killed; its command becomes a run of one of them, while another run waits for both.
mkfifo "$dir/go"
"$BERTH" run a,b -- sh -c 'echo $$ >"$dir/heir"; read -r word <"$dir/go"; exec "$BERTH" run a -- touch "$dir/inner"' &
outer=$!
eventually "the outer run of two pools" test -s "$dir/heir"
"$BERTH" run a,b -- touch "$dir/both" &
waiter=$!
eventually "a run waits for both" state_is a '1 1 1'
kill -KILL "$outer"
wait "$outer"
echo go >"$dir/go"
eventually "the run in the orphaned command works" test -e "$dir/inner"
eventually "and then the one that waits for both" test -e "$dir/both"
wait "$waiter"
state_is a '1 0 0' && state_is b '1 0 0' || complain "two pools, afterwards: $(state a), $(state b)"

# The command of a killed run is a run itself, without the text that says what is lent: it waits in line, and keeps
# nothing of the pool that it waits for.
"$BERTH" run c -- sh -c 'echo $$ >"$dir/forgetful"; read -r word <"$dir/go"; BERTH_LOANS=c/0/0/1/1 exec "$BERTH" run c -- touch "$dir/later"' &
outer=$!
eventually "the outer run" test -s "$dir/forgetful"
kill -KILL "$outer"
wait "$outer"
state_is c '1 1 0' || complain "its command keeps the slot: $(state c)"
echo go >"$dir/go"
eventually "a run that cannot borrow keeps no slot" test -e "$dir/later"

# ---- rights: what the command inherits cannot change the pool ----

"$BERTH" run -q d -- python3 -c '
import fcntl, os, sys
pool = os.stat(os.environ["BERTH_STORE"] + "/d.berth").st_ino
found = [fd for fd in map(int, os.listdir("/proc/self/fd")) if fd > 2
         and os.path.exists(f"/proc/self/fd/{fd}") and os.stat(fd).st_ino == pool]
assert len(found) == 1, found
assert fcntl.fcntl(found[0], fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
for change in (lambda: os.ftruncate(found[0], 0), lambda: os.pwrite(found[0], b"x", 0)):
    try:
        change()
    except OSError:
        continue
    sys.exit("the command can change the pool")
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
    try:
        os.open(f"/proc/self/fd/{found[0]}", os.O_RDWR)
    except OSError:
        sys.exit(0)
    sys.exit("a command without rights can open the pool for writing")
' >"$output" 2>&1 || complain "what the command inherits: $(cat "$output")"

# ---- a pool that is truncated: a sentence, and no signal ----

"$BERTH" run -q e -- sh -c 'truncate -s 0 "$BERTH_STORE/e.berth"' >"$output" 2>&1
status=$?
[ "$status" -eq 125 ] || complain "truncated: status $status"
grep -q '^berth: run: the file of a pool was truncated while it was in use$' "$output" ||
    complain "truncated: $(cat "$output")"

finish
