#!/bin/bash
# Jobs that are trees, with kills at random: of berth run, of the command, of what it started. Counted from
# outside, by what runs: no two trees ever have the same slot, and in the end all slots are free. With --tree=leave
# the same count has to find two, or it counts nothing. BERTH is the command under test; SECONDS_OF_KILLS, for how
# long, 6.
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
cat >"$dir/kills.py" <<'END'
import os, random, select, signal, subprocess, sys, time

berth, tree, seconds, seed = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
random.seed(seed)
STORE = os.environ['BERTH_STORE']
SLOTS = 2
# A job: a child that works, one that has left the session, and a grandchild; each with slot and job in its environment.
JOB = ('sleep 0.15 & setsid sh -c "sleep 0.3 & sleep 0.2" & trap "" TERM; '
       'case $JOB in *[02468]) exit 0 ;; *) sleep 0.1 ;; esac')


def environment(pid):
    try:
        with open(f'/proc/{pid}/environ', 'rb') as file:
            return dict(pair.split(b'=', 1) for pair in file.read().split(b'\0') if b'=' in pair)
    except OSError:
        return {}


def workers():
    """The processes that work in a slot: (pid, slot, job)."""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        found = environment(pid)
        if found.get(b'BERTH_STORE') == STORE.encode() and b'JOB' in found and b'BERTH_SLOT' in found:
            yield int(pid), found[b'BERTH_SLOT'], found[b'JOB']


def alive(descriptor):
    return not select.select([descriptor], [], [], 0)[0]


def twice():
    """Two jobs that have the same slot at one moment: a descriptor of each is opened, and then both are looked at."""
    seen = []
    for pid, slot, job in workers():
        try:
            descriptor = os.pidfd_open(pid)
        except OSError:
            continue
        if environment(pid).get(b'JOB') == job:
            seen.append((descriptor, slot, job, pid))
        else:
            os.close(descriptor)
    living = [one for one in seen if alive(one[0])]
    by_slot = {}
    for _, slot, job, pid in living:
        by_slot.setdefault(slot, {}).setdefault(job, pid)
    for one in seen:
        os.close(one[0])
    return [(slot, jobs) for slot, jobs in by_slot.items() if len(jobs) > 1]


running, number, kills, broken = [], 0, 0, []
end = time.time() + seconds
while time.time() < end:
    while len(running) < 5:
        number += 1
        running.append(subprocess.Popen([berth, 'run', '-q', '-j', str(SLOTS), tree, '--grace', '0.05', 'trees', '--',
                                         'sh', '-c', JOB], env=dict(os.environ, JOB=str(number)),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    broken += twice()
    if random.random() < 0.3:
        victims = [pid for pid, _, _ in workers()] + [one.pid for one in running]
        victim = random.choice(victims)
        if victim in [one.pid for one in running] or environment(victim).get(b'BERTH_STORE') == STORE.encode():
            try:
                os.kill(victim, random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
                kills += 1
            except ProcessLookupError:
                pass
    running = [one for one in running if one.poll() is None]
    time.sleep(random.uniform(0, 0.02))
for one in running:
    one.wait()
broken += twice()
print(f'{tree}: {number} jobs, {kills} kills, {len(broken)} times two jobs in one slot {broken[:2]}')
sys.exit(min(len(broken), 100))
END
# kills MODE: how often two jobs had one slot.
kills() {
    python3 "$dir/kills.py" "$BERTH" "--tree=$1" "${SECONDS_OF_KILLS:-6}" "${SEED:-$RANDOM}" >"$output" 2>&1
    found=$?
    cat "$output"
}
for mode in end wait; do
    kills $mode
    grep -q ', 0 times' "$output" || complain "--tree=$mode: $found"
    eventually "all slots are free" state_is trees '2 0 0'
    expect 0 -n trees:2 -- true
done
kills leave
grep -qE ' [1-9][0-9]* times' "$output" || complain "the count finds nothing where the slot is given back early"
finish
