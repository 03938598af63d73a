#!/bin/bash
# Detached runs: berth run -d, jobs, log, kill and wait; and the lines of --log. With kills at random, of anything: no
# slot and no log is lost, and wait comes back with a status or says that there is none. BERTH is the command under
# test; DETACH_SECONDS, for how long it kills, 5.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
subcommand=run
rows_in=jobs
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
export BERTH_JOBS=$dir/jobs
berth() { "$BERTH" "$@"; }
says() { grep -qE -- "$1" "$output" || complain "does not say: $1"; }
job_is() { berth jobs | awk -v job="$1" '$1 == job { print $2 ($2 == "exit" ? " " $3 : "") }' | grep -qx "$2"; }
# detach ARGUMENT...: $job is its number.
detach() {
    job=$(berth run -q -d "$@" 2>"$output") || complain "run -d $*: status $?"
    [[ $job =~ ^[1-9][0-9]*$ ]] || complain "run -d $*: prints $job"
}

# ---- one after the other ----

berth jobs >"$output" || complain "jobs, where there are none"
[ ! -s "$output" ] || complain "jobs, where there are none, says something"
detach -j 1 gpu -- bash -c 'echo out; echo err >&2; pwd; until [ -e "$0" ]; do sleep 0.01; done; echo done; exit 3' "$dir/go"
first=$job
eventually "it runs" job_is "$first" running
detach gpu -- sh -c 'cat; tty; exit 0'
second=$job
eventually "it waits" job_is "$second" waiting
state_is gpu '1 1 1' || complain "a job is no run: $(state gpu)"
subcommand=wait
expect 75 -w 0.2 "$first"
says "^berth: wait: job $first has not ended$"
timeout 20 "$BERTH" log -f "$first" >"$dir/followed" &
follower=$!
touch "$dir/go"
expect 3 "$first"
expect 3 "$first" # again
wait $follower || complain "log -f: status $?"
printf 'out\nerr\n%s\ndone\n' "$PWD" >"$dir/expected"
diff "$dir/expected" "$dir/followed" >"$output" || complain "log -f"
berth log "$first" | diff "$dir/expected" - >"$output" || complain "log"
expect 0 "$second"
berth log "$second" >"$output"
says 'not a tty' # and no standard input
berth jobs --json >"$output"
check "jobs --json" "[j['job'] for j in rows] == [$first, $second]" "[j['status'] for j in rows] == [3, 0]" \
    'all(j["state"] == "ended" and j["submitted"] <= j["started"] <= j["ended"] for j in rows)' \
    'rows[0]["slots"] == "gpu:0" and rows[0]["pools"] == "gpu"'
[ "$(stat -c %a "$dir/jobs" "$dir/jobs/1.log" "$dir/jobs/1.job" | tr '\n' ' ')" = '700 600 600 ' ] || complain "modes"

# ---- what is wrong is said before there is a job ----

before=$(berth jobs | wc -l)
subcommand=run
expect 125 -d --existing nothing -- touch "$dir/never"
expect 2 -d gpu
berth resize gpu 2
expect 125 -d -j 1 gpu -- touch "$dir/never"
[ "$(berth jobs | wc -l)" -eq "$before" ] || complain "a job was made of a mistake"
berth resize gpu 1
detach gpu -- nonesuch
subcommand=wait
expect 127 "$job"
berth log "$job" >"$output"
says 'cannot run nonesuch'
detach gpu -- sleep 60
detach -w 0.1 gpu -- touch "$dir/never"
expect 75 "$job"
[ ! -e "$dir/never" ] || complain "ran"

# ---- kill ----

subcommand=kill
running=$((job - 1))
detach gpu -- touch "$dir/never"
eventually "it waits" job_is "$job" waiting
expect 0 "$job" # while it waits
eventually "it is over" job_is "$job" SIGTERM
state_is gpu '1 1 0' || complain "its place is left: $(state gpu)"
expect 0 "$running"
eventually "it is over" job_is "$running" SIGTERM
state_is gpu '1 0 0' || complain "its slot is left: $(state gpu)"
expect 1 "$running"
says 'has ended'
detach --tree=end gpu -- bash -c 'trap "" INT; sleep 60 & echo $! >"$0"; wait' "$dir/child"
eventually "a tree" test -s "$dir/child"
expect 0 -s KILL gpu 0 # what holds the slot: the command
eventually "it is over" job_is "$job" SIGKILL
gone "$(cat "$dir/child")" || complain "a tree is left"
expect 1 gpu 0
says 'nobody holds slot 0'
for wrong in '' 'x' 'gpu' 'gpu x' '-s NOTHING 1' 'gpu 0 1' '-s' '0' 'gpu -1'; do
    # shellcheck disable=SC2086 # several words
    expect 2 $wrong
    [ "$(wc -l <"$output")" -eq 1 ] || complain "kill $wrong: not one line"
done
expect 1 12345
expect 1 nothing 0
subcommand=log
for wrong in '' x '1 2' --nothing; do
    # shellcheck disable=SC2086 # several words
    expect 2 $wrong
done
expect 1 12345
subcommand=jobs
expect 2 gpu

# ---- its berth run is killed: the command keeps slot and log, and can still be ended ----

supervisor() { berth jobs --json | python3 -c 'import json, sys; print(next(j["pid"] for j in json.load(sys.stdin)["jobs"] if j["job"] == int(sys.argv[1])))' "$1"; }
detach gpu -- bash -c 'while :; do echo on; sleep 0.05; done'
eventually "it runs" job_is "$job" running
kill -KILL "$(supervisor "$job")"
eventually "it is an orphan" job_is "$job" orphaned
state_is gpu '1 1 0' || complain "an orphan has no slot: $(state gpu)"
lines=$(berth log "$job" | wc -l)
more() { [ "$(berth log "$job" | wc -l)" -gt "$lines" ]; }
eventually "it writes on" more
berth kill "$job" || complain "an orphan cannot be killed"
eventually "it is lost" job_is "$job" lost
subcommand=wait
expect 125 "$job"
says 'was killed, and left no status'
eventually "the slot is back" state_is gpu '1 0 0'
# While it waits, too.
hold gpu
detach gpu -- touch "$dir/never"
eventually "it waits" job_is "$job" waiting
kill -KILL "$(supervisor "$job")"
eventually "it is lost" job_is "$job" lost
expect 125 "$job"
kill "$holder"
wait "$holder" 2>/dev/null

# A pool that is called like a job is one as long as there is no such job.
berth run -q 777 -- true
expect 0 777

# ---- no more than a hundred are kept, and none that lives is forgotten ----

detach gpu -- sleep 60
alive=$job
for _ in {1..110}; do
    berth run -q -d -j 3 others -- true >/dev/null
done
only_one() { [ "$(berth jobs | grep -cE ' (running|waiting) ')" -eq 1 ]; }
eventually "all are over" only_one
detach others -- true
[ "$(berth jobs | grep -c 'exit 0')" -le 101 ] || complain "$(berth jobs | wc -l) jobs are kept"
eventually "one that lives is kept" job_is "$alive" running
berth kill "$alive"

# ---- a folder that others can write to, and one that cannot be made ----

subcommand=run
mkdir -m 777 "$dir/open"
chmod 777 "$dir/open"
BERTH_JOBS=$dir/open expect 125 -d gpu -- true
says 'not this user'
touch "$dir/file"
BERTH_JOBS=$dir/file/jobs expect 125 -d gpu -- true

# ---- --log ----

expect 4 --log "$dir/log" -j 1 logged -- sh -c 'sleep 0.2; exit 4'
hold logged
expect 75 -q --log "$dir/log" -w 0.2 logged -- true
kill "$holder"
wait "$holder" 2>/dev/null
expect 143 --log "$dir/log" --lane x logged -- sh -c 'kill -TERM $$'
for _ in {1..20}; do "$BERTH" run -q --log "$dir/log" logged -- true & done
wait
python3 - "$dir/log" <<'END' >"$output" 2>&1 || complain "--log"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
assert len(lines) == 23, len(lines)
first, late, killed = lines[:3]
assert first['status'] == 4 and 0.2 <= first['held'] < 10 and first['waited'] < 5, first
assert first['pools'][0]['pool'] == 'logged' and first['pools'][0]['slots'] == [0] and first['pools'][0]['token'] > 0, first
assert late['status'] == 75 and late['pools'] == [] and late['held'] == 0 and late['waited'] >= 0.2, late
assert killed['status'] == 143 and killed['lane'] == 'x', killed
END
expect 125 --log "$dir/none/log" logged -- touch "$dir/never"
[ -c /dev/full ] && { expect 0 --log /dev/full logged -- true; says 'cannot write to /dev/full'; }

# ---- kills at random ----

cat >"$dir/kills.py" <<'END'
"""Detached jobs on two slots; what is killed is any process of theirs. Counted by what they write, and by their logs."""
import json, os, random, signal, subprocess, sys, time

berth, folder, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
JOB = 'echo begin; flock -n -E 99 "$0/slot.$BERTH_SLOT" sleep 0.05 || echo >>"$0/twice"; echo end'


def berth_run(*words):
    return subprocess.run([berth, *words], capture_output=True, text=True, timeout=60)


jobs, killed = [], set()
end = time.time() + seconds
while time.time() < end:
    made = berth_run('run', '-q', '-d', '-j', '2', '--tree=end', 'detached', '--', 'sh', '-c', JOB, folder)
    assert made.returncode == 0 and made.stdout.strip().isdigit(), made
    jobs.append(int(made.stdout))
    if len(jobs) % 4 == 0:
        living = [job for job in json.loads(berth_run('jobs', '--json').stdout)['jobs'] if job['state'] in ('waiting', 'running')]
        for job in random.sample(living, min(2, len(living))):
            victim = random.choice([job['pid'], job['worker'] or job['pid']])
            killed.add(job['job'])
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
    time.sleep(0.02)
wrong = []
for job in jobs:
    waited = berth_run('wait', '-w', '50', str(job))
    log = berth_run('log', str(job))
    if waited.returncode == 1 and log.returncode == 1:
        continue  # one of those that are forgotten
    if job not in killed and (waited.returncode != 0 or log.stdout != 'begin\nend\n'):
        wrong.append((job, waited.returncode, log.stdout))
    if job in killed and (waited.returncode not in (0, 125, 137) or log.stdout not in ('', 'begin\n', 'begin\nend\n')):
        wrong.append((job, waited.returncode, log.stdout))
print(f'{len(jobs)} jobs, {len(killed)} killed, wrong: {wrong[:5]}, twice: {os.path.exists(folder + "/twice")}')
sys.exit(bool(wrong or not killed or os.path.exists(folder + '/twice')))
END
mkdir "$dir/kills"
python3 "$dir/kills.py" "$BERTH" "$dir/kills" "${DETACH_SECONDS:-5}" >"$output" 2>&1 || complain "kills"
cat "$output"
eventually "all slots are free" state_is detached '2 0 0'
finish
