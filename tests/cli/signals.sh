#!/bin/bash
# berth run at a terminal, as a shell's job: Ctrl-C, Ctrl-Z, fg; signals in the moment between blocking and
# exec; as the first process of a container. BERTH is the command under test.
# shellcheck disable=SC2016 # what is in single quotes is for the command's shell
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

# A session of its own with an interactive shell in it: `terminal LINES...` sends lines and control
# characters, each after the text before the tab has shown, and prints what was shown.
cat >"$dir/terminal" <<'END'
import os, pty, re, select, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(PS1='ready$ ', HISTFILE='/dev/null', TERM='dumb')
    os.execvp('bash', ['bash', '--norc', '--noprofile', '-i'])
seen = ''
def read_until(pattern, patience=15):
    global seen
    deadline = time.time() + patience
    while not re.search(pattern, seen):
        if time.time() > deadline or not select.select([terminal], [], [], deadline - time.time())[0]:
            print(f'not seen: {pattern}\n{seen}')
            os.kill(pid, signal.SIGKILL)
            sys.exit(1)
        try:
            seen += os.read(terminal, 4096).decode(errors='replace').replace('\r', '')
        except OSError:
            print(f'ended before: {pattern}\n{seen}')
            sys.exit(1)
    seen = re.split(pattern, seen, maxsplit=1)[-1]
for step in sys.argv[1:]:
    pattern, _, text = step.partition('\t')
    read_until(pattern)
    time.sleep(0.05)
    os.write(terminal, text.encode().decode('unicode_escape').encode())
os.write(terminal, b'')
time.sleep(0.1)
os.kill(pid, signal.SIGHUP)
os.close(terminal)
os.waitpid(pid, 0)
END
terminal() {
    python3 "$dir/terminal" "$@" >"$output" 2>&1 || complain "at the terminal"
}

# ---- Ctrl-C ends a loop, as it does without berth ----

rounds=$(python3 - "$BERTH" "$dir" <<'END'
import os, pty, select, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(PS1='ready$ ', HISTFILE='/dev/null', TERM='dumb')
    os.execvp('bash', ['bash', '--norc', '--noprofile', '-i'])
def read(seconds):
    seen, end = '', time.time() + seconds
    while select.select([terminal], [], [], max(0, end - time.time()))[0]:
        seen += os.read(terminal, 4096).decode(errors='replace')
    return seen
read(0.5)
os.write(terminal, f"for i in 1 2 3 4; do '{sys.argv[1]}' run p -- sh -c 'touch {sys.argv[2]}/started; exec sleep 20'; echo round; done\n".encode())
deadline = time.time() + 10
while not os.path.exists(f'{sys.argv[2]}/started') and time.time() < deadline:
    time.sleep(0.02)
read(0.3)
os.write(terminal, b'\x03')
print(read(1.0).count('round'))
END
)
[ "$rounds" = 0 ] || complain "Ctrl-C: the loop went on for $rounds rounds"

# ---- Ctrl-Z and fg ----

terminal 'ready\$ '$'\t'"'$BERTH' run p -- sh -c 'echo be''gun; sleep 0.7; echo e''nded'\\n" \
    'begun'$'\t'"\\x1a" 'Stopped.*\n.*ready\$ '$'\t'"'$BERTH' status p; echo se''en\\n" \
    '1 held[^$]*seen'$'\t'"fg\\n" 'ended\n.*ready\$ '$'\t'"echo status \$?\\n" 'status 0'$'\t'
cat >"$dir/stubborn" <<'END'
import signal, time
signal.signal(signal.SIGTSTP, lambda *_: None)
print('begun', flush=True)
time.sleep(0.7)
print('ended')
END
# A command that takes no notice is not stopped, and neither is berth run.
terminal 'ready\$ '$'\t'"'$BERTH' run p -- python3 '$dir/stubborn'\\n" \
    'begun'$'\t'"\\x1a" 'ended\n'$'\t'
# In the background, a command that reads from the terminal stops, and the shell sees it.
terminal 'ready\$ '$'\t'"set -b; '$BERTH' run p -- sh -c 'read line; echo got \$line' &\\n" \
    'Stopped.*\n'$'\t'"fg\\n" 'read line'$'\t'"something\\n" 'got something'$'\t'
# TSTP by kill: the command is stopped, then berth run; CONT by kill: both go on. As a job of its own: the
# kernel drops TSTP in a process group that has no shell to make it go on, as this script's may be.
set -m
"$BERTH" run p -- sh -c 'echo $$ >"$0"; sleep 1; sleep 1; touch "$1"' "$dir/pid" "$dir/went-on" &
run=$!
set +m
eventually "the command" test -s "$dir/pid"
worker=$(cat "$dir/pid")
stopped() { case $(ps -o stat= -p "$1") in T*) ;; *) return 1 ;; esac }
kill -TSTP $run
eventually "the command is stopped" stopped "$worker"
eventually "so is berth run" stopped "$run"
kill -CONT $run
wait $run || complain "after TSTP and CONT: status $?"
[ -e "$dir/went-on" ] || complain "the command did not go on"
# Only the command is stopped, in the background: berth run goes on, and sees its end.
"$BERTH" run p -- sleep 60 &
run=$!
eventually "the sleeper" find_worker $run
kill -STOP "$worker"
eventually "the sleeper is stopped" stopped "$worker"
sleep 0.2
! stopped "$run" || complain "berth run stopped along with nobody to make it go on"
kill -KILL "$worker"
wait $run
[ $? -eq 137 ] || complain "a stopped command was killed: status $?"

# ---- a line while it waits ----

hold p
terminal 'ready\$ '$'\t'"'$BERTH' run p -- echo h''ad it\\n" \
    'waiting for p: 0 ahead, 1 held, slot 0 for [0-9]+ s by pid [0-9]+ .sleep 60.'$'\t' 'slot 0 for [0-9]+ s'$'\t'"\\x1a" \
    'Stopped.*\n.*ready\$ '$'\t'"fg\\n" 'waiting for p: 0 ahead'$'\t'"\\x03" 'ready\$ '$'\t'"kill $holder; '$BERTH' run p -- echo h''ad it\\n" \
    'had it\n'$'\t'
wait "$holder"
# ---- no moment in which a signal is lost ----

# From a terminal: a session leader that is berth run itself, with Ctrl-C at every time after its start.
# The command would take a second; Ctrl-C ends berth run in all cases, and early.
cat >"$dir/moments" <<'END'
import os, pty, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL) # of those who have not become berth yet
berth, key, rounds = sys.argv[1], sys.argv[2].encode().decode('unicode_escape').encode(), int(sys.argv[3])
start = time.time()
os.system(f'{berth} run p -- true')
usual = time.time() - start
lost = 0
for i in range(rounds):
    pid, terminal = pty.fork()
    if pid == 0:
        os.write(1, b'x') # it has its terminal
        os.execv(berth, [berth, 'run', 'p', '--', 'sleep', '3'])
    os.read(terminal, 1)
    time.sleep(usual * 1.5 * i / rounds)
    os.write(terminal, key)
    begun = time.time()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if time.time() - begun > 2 or status != -2:
        lost += 1
    os.close(terminal)
print(lost)
END
lost=$(python3 "$dir/moments" "$BERTH" '\x03' "${ROUNDS:-100}")
[ "$lost" = 0 ] || complain "Ctrl-C was lost $lost times"

# Ctrl-Z at every time after the start, from a shell that waits for its job: the job stops or ends, and the
# shell has its terminal back. (A stop between clone and exec would hold up berth run too.)
cat >"$dir/wedge" <<'END'
import os, pty, signal, sys, time
berth, rounds = sys.argv[1], int(sys.argv[2])
wedged = 0
for i in range(rounds):
    pid, terminal = pty.fork()
    if pid == 0: # in the shell's place: a job of its own in the foreground
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(0, os.getpgrp())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.write(1, b'x')
            os.execv(berth, [berth, 'run', 'p', '--', 'sleep', '0.3'])
        status = os.waitpid(job, os.WUNTRACED)[1]
        if os.WIFSTOPPED(status):
            os.killpg(job, signal.SIGCONT)
            status = os.waitpid(job, 0)[1]
        os._exit(0 if status == 0 else 1)
    os.read(terminal, 1)
    time.sleep(0.006 * i / rounds)
    os.write(terminal, b'\x1a')
    deadline = time.time() + 5
    while (ended := os.waitpid(pid, os.WNOHANG))[0] == 0 and time.time() < deadline:
        time.sleep(0.01)
    if ended[0] == 0 or ended[1] != 0:
        wedged += 1
        os.close(terminal)
        os.kill(pid, signal.SIGKILL)
        continue
    os.close(terminal)
print(wedged)
END
wedged=$(python3 "$dir/wedge" "$BERTH" "$((${ROUNDS:-100} / 5))")
[ "$wedged" = 0 ] || complain "Ctrl-Z wedged the terminal $wedged times"

# By kill, to berth run alone: TERM ends it, before the command or with it, and no command stays behind.
cat >"$dir/kills" <<'END'
import os, signal, subprocess, sys, time
berth, rounds = sys.argv[1], int(sys.argv[2])
wrong = 0
for i in range(rounds):
    run = subprocess.Popen([berth, 'run', 'p', '--', 'sleep', '5'])
    time.sleep(0.006 * i / rounds)
    run.send_signal(signal.SIGTERM)
    begun = time.time()
    if run.wait() != -signal.SIGTERM or time.time() - begun > 3:
        wrong += 1
print(wrong, subprocess.run([berth, 'run', '-n', 'p', '--', 'true']).returncode)
END
[ "$(python3 "$dir/kills" "$BERTH" "${ROUNDS:-100}")" = '0 0' ] || complain "TERM in the first moments"

# ---- the first process of a container ----

if unshare --user --map-root-user --pid --fork --mount-proc true 2>/dev/null; then
    inside=(unshare --user --map-root-user --pid --fork --mount-proc --kill-child "$BERTH")
    expect_inside() {
        local expected=$1
        shift
        "${inside[@]}" run "$@" >"$output" 2>&1
        local status=$?
        [ $status -eq "$expected" ] || complain "first process, run $*: status $status, not $expected"
    }
    expect_inside 3 p -- sh -c 'exit 3'
    expect_inside 143 p -- sh -c 'kill -TERM $$'
    # Orphans are reaped: none is a zombie after a while.
    expect_inside 0 p -- sh -c '(sleep 0.1 &); sleep 0.6; ! ps -e -o stat= | grep -q Z'
    # While it waits, TERM ends it. (Numbers inside are others: the waiter is our child's child.)
    hold p
    "${inside[@]}" run p -- true &
    outer=$!
    eventually "a waiter inside" state_is p '1 1 1'
    pkill -TERM -P $outer
    wait $outer
    status=$?
    [ $status -eq 143 ] || complain "TERM while the first process waits: status $status"
    kill "$holder"
    wait "$holder"
    # While the command runs, TERM is forwarded to it.
    "${inside[@]}" run p -- sh -c 'trap "exit 9" TERM; touch "$0"; while :; do sleep 0.1; done' "$dir/in" &
    outer=$!
    eventually "the command inside" test -e "$dir/in"
    pkill -TERM -P $outer
    wait $outer
    status=$?
    [ $status -eq 9 ] || complain "TERM to the first process: status $status"
else
    echo "left out: no namespaces here, so no first process of a container"
fi

finish
