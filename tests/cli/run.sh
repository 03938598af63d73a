#!/bin/bash
# berth run: statuses, options, environment, standard input, signals, order. BERTH is the command
# under test.
# shellcheck disable=SC2016 # what is in single quotes is for the command's shell
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

says() { grep -q -- "$1" "$output" || complain "does not say: $1"; }
one_line() {
    [ "$(wc -l <"$output")" -eq 1 ] || complain "$*: not one line"
    says '^berth: '
}
prints() { [ "$(cat "$output")" = "$1" ] || complain "prints something else than: $1"; }

# ---- statuses ----

expect 0 p -- true
prints ''
expect 1 p -- false
expect 77 p -- sh -c 'exit 77'
expect 143 p -- sh -c 'kill -TERM $$'
expect 137 p -- sh -c 'kill -KILL $$'
expect 127 p -- nonesuch
one_line nonesuch
expect 127 p -- /nonesuch/at/all
expect 126 p -- /
one_line /
touch "$dir/not-executable"
expect 126 p -- "$dir/not-executable"
expect 127 p -- ''
expect 0 -n p -- true # none of these has kept the slot

# -j is the largest number of slots that the pool may have: with more, the caller's bound would not hold.
expect 0 -j 2 pair -- true
expect 125 -j 1 pair -- touch "$dir/never"
one_line
says '2 slots.*\b1\b'
says 'berth resize pair 1'
[ ! -e "$dir/never" ] || complain "ran with more slots than are wanted"
expect 0 -j 3 pair -- true
one_line
says '2 slots.*\b3\b'
says 'berth resize pair 3'
expect 0 -j 2 pair -- true
prints ''
expect 0 -j 2 p -- true
says '1 slot,'
# A name that must not be made by a typo.
expect 125 --existing piar -- true
one_line
says 'did you mean pair'
expect 0 --existing pair -- true
[ "$("$BERTH" ls -q | tr '\n' ' ')" = 'p pair ' ] || complain "--existing has made a pool"
# Times to wait.
for time in 0.5 5m 1h30m 2d 500ms 1.5h 0s 1m0.5s; do expect 0 -w $time p -- true; done

while read -r arguments; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 2 $arguments
    one_line "$arguments"
done <<'LIST'

p
p --
-- p
-c true
-c true p -- true
-j 0 p true
-j 1025 p true
-j many p true
-n -w 1 p true
-q -v p true
-w -1 p true
-w soon p true
-w 5x p true
-w 5m3 p true
-w m p true
-w 1h-5m p true
-w 1e9d p true
-w
-E 256 p true
-E -1 p true
-m 0 p true
-m 1777 p true
-m 89 p true
--env NAME p true
--env =x p true
--env N{slot}=x p true
--env N={nothing} p true
--env N={slot p true
--store relative p true
--nothing p true
.hidden true
a/b true
LIST
expect 0 --help # the command's overview names the exit statuses
says 'Exit status'

# ---- where options and the command may stand ----

expect 0 p printf %s, -n -v --nb # without --, and the command's options are its own
prints '-n,-v,--nb,'
expect 0 p -n -- echo -c x
prints '-c x'
# One "--" after the pool is skipped; the others are the command's own, and no word of it is a pool.
expect 0 p printf %s, a -- b
prints 'a,--,b,'
expect 0 p -- printf %s, -- b
prints '--,b,' # printf takes the first for itself
expect 127 p -- -- true
expect 127 p other -- true
one_line
says 'one word names the pools'
[ "$("$BERTH" ls -q | tr '\n' ' ')" = 'p pair ' ] || complain "words became pools: $("$BERTH" ls -q)"
expect 0 p ls --help # the command's
! grep -q 'berth' "$output" || complain "--help of the command is taken"
expect 0 p -h
says 'Exit status'
expect 2 --nonblok p true
says 'did you mean --nonblock'
expect 2 -w
says 'needs an argument'
expect 0 --slots=2 pair -v --close --wait 1 echo ready
says '^ready$'

expect 0 -c 'echo $((6 * 7)) "$0"' p
says '^42 '
expect 0 p -c 'exit 0'
expect 5 p --command 'exit 5'
SHELL=/bin/echo expect 0 p -c 'a b'
prints '-c a b'
env -u SHELL "$BERTH" run p -c 'echo $0' >"$output" 2>&1 || complain "-c without SHELL: status $?"
prints /bin/sh

# ---- the environment ----

expect 0 -j 2 pair -- sh -c 'echo $BERTH_POOL $((BERTH_SLOT < 2)) $BERTH_SLOTS $((BERTH_TOKEN > 0))'
prints 'pair 1 2 1'
expect 0 pair -- sh -c 'echo $BERTH_SLOTS' # without -j: what there is
prints 2
first=$("$BERTH" run p -- sh -c 'echo $BERTH_TOKEN')
second=$("$BERTH" run p -- sh -c 'echo $BERTH_TOKEN')
[ "$second" -gt "$first" ] || complain "tokens do not grow: $first, $second"

expect 0 -j 2 --env 'A=x{slot}/{slots}' --env 'B={{"pool": "{pool}"}' --env C= --env 'D={token}' pair \
    -- sh -c 'echo "$([ "$A" = "x$BERTH_SLOT/2" ]; echo $?) $B [$C] $((D == BERTH_TOKEN))"'
prints '0 {"pool": "pair"} [] 1'
mkdir "$dir/bin0"
printf '#!/bin/sh\necho found\n' >"$dir/bin0/only-here"
chmod +x "$dir/bin0/only-here"
expect 0 --env "PATH=$dir/bin{slot}:$PATH" p only-here # as with env(1)
prints found

# Two slots, two numbers.
for _ in 1 2; do "$BERTH" run -j 2 pair -- sh -c 'echo $BERTH_SLOT; sleep 0.3' & done >"$dir/slots"
wait
[ "$(sort "$dir/slots" | tr '\n' ' ')" = '0 1 ' ] || complain "slots: $(cat "$dir/slots")"

# ---- permissions ----

expect 0 -m 0640 shared -- true
[ "$(stat -c %a "$BERTH_STORE"/shared*)" = 640 ] || complain "-m 0640: $(ls -l "$BERTH_STORE"/shared*)"
expect 0 -m 640 shared -- true
expect 0 shared -- true # as its maker wanted it
expect 125 -m 0600 shared -- true # others may read it, and that is not wanted
one_line
expect 0 p -- true
[ "$(stat -c %a "$BERTH_STORE"/p.*)" = 600 ] || complain "not private: $(ls -l "$BERTH_STORE"/p.*)"

# ---- standard streams ----

[ "$(echo hello | "$BERTH" run p -- cat)" = hello ] || complain "standard input does not pass"
"$BERTH" run p -- test ! -e /proc/self/fd/0 <&- || complain "standard input is open"
"$BERTH" run p -- test ! -e /proc/self/fd/1 >&- || complain "standard output is open"
# What berth says does not land in the pool.
"$BERTH" run -v p -- true <&- >&- 2>&-
"$BERTH" run -v p -- nonesuch <&- >&- 2>&-
[ $? -eq 127 ] || complain "without standard streams: status $?"
expect 0 p -- true

# What stays open in the command: one file, and with -o none.
files() { "$BERTH" run "$@" -- sh -c 'set -- /proc/$$/fd/*; echo $#'; }
kept=$(files p)
closed=$(files -o p)
[ "$kept" -eq $((closed + 1)) ] || complain "$kept files, with -o $closed"

# A script without #! and very many arguments.
echo 'echo $#' >"$dir/script"
chmod +x "$dir/script"
# shellcheck disable=SC2046
"$BERTH" run p -- "$dir/script" $(seq 20000) >"$output" 2>&1
prints 20000

# ---- not waiting, or not for long ----

hold p
busy=$holder
start=$(now_ms)
expect 75 -n p -- true
one_line
expect 75 -w 0 p -- true
expect 9 -n -E 9 p -- true
prints ''
expect 0 -n -E 0 -v p -- touch "$dir/never"
one_line
[ $(($(now_ms) - start)) -lt 5000 ] || complain "-n waits"
start=$(now_ms)
expect 75 -w 0.3 p -- touch "$dir/never"
one_line
took=$(($(now_ms) - start))
[[ $took -ge 300 && $took -lt 5000 ]] || complain "-w 0.3 took $took ms"
[ ! -e "$dir/never" ] || complain "ran without a slot"

"$BERTH" run -v -w 20 p -- true 2>"$dir/err" &
eventually "a waiter" state_is p '1 1 1'
sleep 0.2
kill "$busy"
wait $!
cp "$dir/err" "$output"
[ "$(sed '/^berth: waiting for /d; s/after [1-9]*[0-9]\.[0-9] s/after TIME/' "$output")" = "berth: pool p: 0 ahead, waiting
berth: pool p: slot 0 after TIME" ] || complain "-v says something else"

# ---- signals ----

# The command counts what it gets until it has been quiet for a while. (Commands in the background
# of a script ignore INT and QUIT; env undoes that.)
cat >"$dir/counts" <<'END'
import signal, sys, time
got = []
for number in set(range(1, signal.SIGRTMAX + 1)) - {9, 17, 19, 20, 21, 22, 32, 33}:
    signal.signal(number, lambda number, frame: got.append(number))
open(sys.argv[1], 'w').close()
time.sleep(0.01)
deadline = time.time() + 10
while not got and time.time() < deadline:
    time.sleep(0.02)
time.sleep(0.3)
print(*[int(number) for number in got])
sys.exit(len(got) + 40)
END
for signal in TERM INT HUP QUIT USR1 USR2 ALRM PIPE ABRT SEGV CONT WINCH URG XCPU PWR RTMIN+2; do
    rm -f "$dir/ready"
    env --default-signal "$BERTH" run p -- python3 "$dir/counts" "$dir/ready" >"$dir/got" &
    eventually "$signal: the command" test -e "$dir/ready"
    kill -"$signal" $!
    wait $!
    status=$?
    [[ $status -eq 41 && $(cat "$dir/got") == "$(kill -l "$signal")" ]] ||
        complain "$signal: status $status, got $(cat "$dir/got")"
done

# Ended by a signal: berth run dies of the same one, without a core of its own, when the slot is back.
cat >"$dir/ends" <<'END'
import resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for number in (1, 2, 3, 6, 9, 10, 11, 13, 14, 15, 31, 34, 64):
    run = subprocess.run([sys.argv[1], 'run', '-q', 'ends', '--', 'sh', '-c', f'ulimit -c 0; kill -{number} $$'])
    again = subprocess.run([sys.argv[1], 'run', '-n', 'ends', '--', 'true'])
    if run.returncode != -number or again.returncode != 0:
        print(number, run.returncode, again.returncode)
END
mkdir "$dir/cores"
(cd "$dir/cores" && env --default-signal python3 "$dir/ends" "$BERTH") >"$output" 2>&1
prints ''
[ -z "$(ls "$dir/cores")" ] || complain "left behind: $(ls "$dir/cores")"

# Ended by a forwarded signal: 128+N, and the slot is back.
env --default-signal "$BERTH" run p -- sleep 60 &
eventually "the sleeper" state_is p '1 1 0'
eventually "its process" pgrep -P $! >/dev/null
kill -INT $!
wait $!
status=$?
[ "$status" -eq 130 ] || complain "INT to a sleeper: status $status"
expect 0 -n p -- true

# From the terminal, the command has it already: nothing is forwarded, and berth run waits for the
# command. Two signals that come close together may be one to the command, so this is tried often.
cat >"$dir/terminal" <<'END'
import os, pty, signal, sys, time
if len(sys.argv) == 1:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    print('ready', flush=True)
    codes = []
    while info := signal.sigtimedwait([signal.SIGINT], 0.5 if codes else 10):
        codes.append(info.si_code)
    sys.exit(0 if codes and all(code > 0 for code in codes) else 1) # sent by the kernel, not by kill
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], 'run', 'p', '--', sys.executable, sys.argv[0]])
os.read(terminal, 100)
for i in range(300):
    os.write(terminal, b'\x03')
    time.sleep(0.002)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
python3 "$dir/terminal" "$BERTH" || complain "Ctrl-C at a terminal: $?"

# What the command sends does not come back to it, whether it was sent to berth run or to the whole
# group. (Otherwise a trap that signals its group would be called for ever.)
cat >"$dir/trap" <<'END'
count=0
trap 'count=$((count + 1)); [ $count -gt 5 ] || kill -TERM 0' TERM
kill -TERM $PPID
sleep 0.2
[ $count -eq 0 ] || exit 1
kill -TERM 0
for i in 1 2 3; do sleep 0.1; done
echo $count
END
# The script's own signals make six; the seventh would be an answer.
setsid -w "$BERTH" run p -- bash "$dir/trap" >"$output" 2>&1
prints 6

# The command stays in the group, and its mask and dispositions are ours.
group='import os; print(os.getpgrp())'
[ "$("$BERTH" run p -- python3 -c "$group")" = "$(python3 -c "$group")" ] ||
    complain "another process group"
signals() { env "$@" grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; }
for disposition in --default-signal --ignore-signal=CHLD '--ignore-signal=HUP --block-signal=USR1' \
    '--block-signal=TERM --ignore-signal=INT'; do
    # shellcheck disable=SC2086 # several words
    [ "$(signals $disposition)" = "$(signals $disposition "$BERTH" run p --)" ] ||
        complain "$disposition: the command starts with other signals"
done
expect 7 p -- sh -c 'exit 7'
env --ignore-signal=CHLD "$BERTH" run p -- sh -c 'exit 7'
[ $? -eq 7 ] || complain "SIGCHLD ignored: the status is lost"

# nohup: ignored stays ignored, and is not forwarded.
(cd "$dir" && nohup "$BERTH" run p -- env --default-signal=HUP sleep 0.5 >/dev/null 2>&1) &
eventually "nohup" state_is p '1 1 0'
sleep 0.1
pkill -HUP -P $! -x berth
wait $!
status=$?
[ "$status" -eq 0 ] || complain "nohup: status $status"

# While it waits, a signal ends it as it ends any program, and the next in line moves up.
hold p
python3 - "$BERTH" <<'END' >"$dir/waited" 2>&1 &
import signal, subprocess, sys
ends = []
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    waiting = subprocess.Popen(['env', '--default-signal', sys.argv[1], 'run', 'p', '--', 'true'],
                               preexec_fn=lambda: __import__('resource').setrlimit(4, (0, 0)))
    while ' 1 waiting' not in subprocess.run([sys.argv[1], 'status', 'p'], capture_output=True,
                                             text=True).stdout:
        pass
    waiting.send_signal(number)
    ends.append(waiting.wait() == -number)
print(ends)
END
wait $!
[ "$(cat "$dir/waited")" = '[True, True, True, True]' ] ||
    complain "while waiting: $(cat "$dir/waited")"
eventually "nobody waits" state_is p '1 1 0'
kill "$holder"
wait "$holder"

# ---- order ----

hold queue
for i in 0 1 2 3 4 5 6 7 8 9; do
    "$BERTH" run queue -- sh -c "echo $i >>'$dir/order'" &
    eventually "waiter $i" state_is queue "1 1 $((i + 1))"
done
kill "$holder"
eventually "all had their turn" state_is queue '1 0 0'
wait
[ "$(tr -d '\n' <"$dir/order")" = 0123456789 ] || complain "order: $(tr '\n' ' ' <"$dir/order")"

# ---- the pool's file is deleted under a command ----

"$BERTH" run deleted sleep 3 2>"$dir/said" &
eventually "it holds a slot" state_is deleted '1 1 0'
rm "$BERTH_STORE/deleted.berth"
eventually "it is said" grep -q 'the file of the pool deleted has been deleted' "$dir/said"
wait $! || complain "a command whose pool's file is deleted goes on"

finish
