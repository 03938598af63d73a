#!/bin/bash
# Lanes: their order, what status, top, wait and rm do with them, several pools, runs inside runs, and kills at
# random, counted from outside. BERTH is the command under test; LANE_SECONDS, for how long it kills, 6.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
subcommand=run
rows_in=pools
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
says() { grep -qE -- "$1" "$output" || complain "does not say: $1"; }

# in_lane LANE POOL: starts a job of a lane (-: none), which writes the lane's name; and waits until it stands.
order=$dir/order
started=0
in_lane() {
    local option=(--lane "$1")
    [ "$1" != - ] || option=()
    "$BERTH" run -q "${option[@]}" "$2" -- sh -c 'echo "$0" >>"$1"' "${1%%:*}" "$order" &
    started=$((started + 1))
    eventually "job $started stands" stand "$2" "$started"
}
# Those that wait in the pool's line and in its lanes.
stand() { [ "$("$BERTH" status "$1" | grep -cE '^ +(place|next) ')" -eq "$2" ]; }
ended_in() {
    kill "$holder"
    wait
    started=0
    [ "$(tr '\n' ' ' <"$order")" = "$1 " ] || complain "$2: $(tr '\n' ' ' <"$order"), not $1"
    rm -f "$order"
}

# ---- turns ----

hold gpu
for _ in {1..6}; do in_lane a gpu; done
for _ in {1..3}; do in_lane b gpu; done
in_lane c gpu
in_lane - gpu
in_lane a gpu
"$BERTH" status gpu >"$output"
says '^gpu: 1 slot, 1 held, 4 waiting$'
says '^  lane a: 6 waiting behind its head$'
says '^  lane b: 2 waiting behind its head$'
grep -q 'lane c' "$output" && complain "shows a lane in which nobody waits"
says '^    next 6 +[0-9]+ '
cp "$output" "$dir/status"
if [ -x "$(dirname "$BERTH")/berth-top" ]; then
    "$BERTH" top --once -d 0.1 gpu | sed -E '1s/;.*//; s/[0-9]+\.[0-9] s/TIME/' >"$dir/top"
    sed -E 's/[0-9]+\.[0-9] s/TIME/' "$dir/status" | diff - "$dir/top" >"$output" || complain "top shows something else"
fi
"$BERTH" status --json gpu >"$output"
check "lanes" '[l["lane"] for l in rows[0]["lanes"]] == ["a", "b", "c"]' \
    '[len(l["waiters"]) for l in rows[0]["lanes"]] == [6, 2, 0]' \
    'all(len(l["heads"]) == 1 and l["width"] == 1 for l in rows[0]["lanes"])' \
    'rows[0]["lanes"][0]["heads"][0]["pid"] == rows[0]["waiters"][0]["pid"]'
"$BERTH" status --openmetrics gpu | grep -q '^berth_lane_waiting{pool="gpu",store=".*",lane="a"} 6$' || complain "metrics"
[ "$("$BERTH" ls -q)" = gpu ] || complain "ls shows lanes: $("$BERTH" ls -q)"
"$BERTH" rm gpu >"$output" 2>&1 && complain "a pool with lanes in use was removed"
"$BERTH" wait -w 0.2 gpu >"$output" 2>&1 && complain "wait does not wait"
ended_in 'a b c - a b a b a a a a' "turns"
"$BERTH" wait -w 10 gpu || complain "wait"
"$BERTH" rm gpu || complain "rm"
[ -z "$(ls "$BERTH_STORE")" ] || complain "rm has left $(ls "$BERTH_STORE")"

# A lane of width 2 has two turns for one.
hold wide
for _ in {1..4}; do in_lane a:2 wide; done
for _ in {1..4}; do in_lane b wide; done
ended_in 'a a b a a b b b' "width 2"

# A background lane: those without one pass all but its head.
hold back
for _ in {1..3}; do in_lane background back; done
for _ in {1..3}; do in_lane - back; done
ended_in 'background - - - background background' "background"

# ---- limits on time, and what is said ----

hold p
in_lane a p
expect 75 -n --lane a p -- true
says '^berth: run: others of the lane are ahead \(1 ahead in lane a, 1 held, slot 0 for '
start=$(now_ms)
expect 75 -w 1.3 --lane a p -- true
[ $(($(now_ms) - start)) -lt 10000 ] || complain "-w in a lane"
says '^berth: waiting for p: 1 ahead in lane a, 1 held, slot 0 for [0-9]+ s by pid '
expect 75 -n --lane b p -- true # the head of its lane, and no slot is free
says '^berth: run: pool p has no free slot'
expect 9 -E 9 -w 1.3 --lane a p -- true
[ ! -s "$output" ] || complain "-E: says something"
ended_in a "p"
expect 0 -n --lane a p -- true
expect 0 --lane a p -- sh -c 'exit 0'
for wrong in --lane '--lane a@b' '--lane a:0' '--lane a:b' '--lane a:2000' "--lane $(printf 'x%.0s' {1..70})"; do
    # shellcheck disable=SC2086 # several words
    expect 2 $wrong p -- true
    [ "$(wc -l <"$output")" -eq 1 ] || complain "$wrong: not one line"
done
long=$(printf 'y%.0s' {1..60})
expect 2 --lane "$long" p123 -- true
says 'too long together'
expect 2 p@a -- true # not a name
"$BERTH" status p@a >"$output" 2>&1
[ $? -eq 2 ] || complain "status of a lane"

# ---- runs inside runs: no lane of a pool whose slot is lent to them ----

expect 0 -w 20 --lane a p -- "$BERTH" run --lane a p -- "$BERTH" run --lane b p -- true
hold p
"$BERTH" run -q --lane a p -- true & # the head, while the holder's command starts a run
eventually "a head" state_is p '1 1 1'
kill "$holder"
wait
"$BERTH" run -q --lane a p -- sh -c 'until [ -e "$0" ]; do sleep 0.01; done; exec "$1" run -w 20 --lane a p -- true' "$dir/go" "$BERTH" &
run=$!
eventually "it holds the slot" state_is p '1 1 0'
"$BERTH" run -q --lane a p -- true &
eventually "a head waits" state_is p '1 1 1'
touch "$dir/go"
wait $run || complain "a run inside a run waits for a head: status $?"
wait

# ---- several pools: all heads, then all slots ----

"$BERTH" run -q -j 1 one -- true
"$BERTH" run -q -j 2 two -- true
for i in {1..12}; do
    case $((i % 4)) in
    0) pools=one,two lane=x ;;
    1) pools=two,one lane=x ;;
    2) pools=two:2,one lane=y ;;
    3) pools=one lane=x ;;
    esac
    "$BERTH" run -q -w 60 --lane $lane $pools -- sh -c 'sleep 0.05' &
done
failed=0
for job in $(jobs -p); do wait "$job" || failed=$((failed + 1)); done
[ $failed -eq 0 ] || complain "$failed of 12 runs of several pools failed"

# ---- declared: a lane for each user ----

mkdir -p "$XDG_CONFIG_HOME/berth/pools.d"
printf '[shared]\nlanes = user\nwidth = 2\n[wrong]\nlanes = all\n' >"$XDG_CONFIG_HOME/berth/pools.d/lab.conf"
expect 0 shared -- true
[ -e "$BERTH_STORE/shared@$(id -un).berth" ] || complain "no lane of this user: $(ls "$BERTH_STORE")"
"$BERTH" status --json shared >"$output"
check "the width" 'rows[0]["lanes"][0]["width"] == 2'
expect 125 wrong -- true
says 'lanes is user or none'
rm -r "$XDG_CONFIG_HOME/berth"

# A user who cannot make files in the pool's store has the lane in the default one.
if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$dir"
    mkdir -m 755 "$dir/shared"
    mkdir -m 700 "$dir/home"
    chown 64123 "$dir/home"
    "$BERTH" create --store "$dir/shared" -m 0666 -j 1 cards || complain "create"
    as() { setpriv --reuid=64123 --regid=64123 --clear-groups env -u BERTH_STORE HOME="$dir/home" "$BERTH" "$@"; }
    BERTH_STORE=$dir/shared hold cards
    as run -q --store "$dir/shared" --lane mine cards true &
    eventually "the head" grep -q ' 1 waiting' <(sleep 0.5; "$BERTH" status --store "$dir/shared" cards)
    as run -q --store "$dir/shared" --lane mine cards true &
    eventually "the next" sh -c '"$@" | grep -q "lane mine: 1 waiting"' - setpriv --reuid=64123 --regid=64123 \
        --clear-groups env -u BERTH_STORE HOME="$dir/home" "$BERTH" status --store "$dir/shared" cards
    ls "$dir/home/.local/state/berth" | grep -q '^cards@mine@[0-9a-f]*\.berth$' || complain "no lane in the home"
    kill "$holder"
    wait
fi

# ---- kills ----

cat >"$dir/kills.py" <<'END'
"""Jobs of two lanes and of none on two slots, with kills of berth run and of commands. What runs is counted by locks
that the commands have: at most one command has a slot's. In the end, all that was not killed has run."""
import os, random, signal, subprocess, sys, time

berth, folder, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
SLOTS = 2
JOB = 'flock -n -E 99 "$0/slot.$BERTH_SLOT" sh -c "sleep 0.0$1; echo >>$0/done"; [ $? != 99 ] || echo >>"$0/twice"'
running, kills, started, ended, failed = [], 0, 0, 0, []


def reap():
    global ended
    for one in list(running):
        status = one.poll()
        if status is not None:
            running.remove(one)
            ended += 1
            if status not in (0, -9, 137):
                failed.append(status)


def start():
    global started
    started += 1
    lane = random.choice([['--lane', 'a'], ['--lane', 'b:2'], []])
    running.append(subprocess.Popen([berth, 'run', '-q', '-j', str(SLOTS)] + lane + ['kills', '--', 'sh', '-c', JOB, folder,
                                    str(random.randint(1, 5))], start_new_session=True))


end = time.time() + seconds
while time.time() < end:
    reap()
    while len(running) < 24:
        start()
    if running and random.random() < 0.5:
        victim = random.choice(running)
        try: # berth run alone, or the job with all that it has started
            (os.kill if random.random() < 0.5 else os.killpg)(victim.pid, signal.SIGKILL)
            kills += 1
        except ProcessLookupError:
            pass
    time.sleep(0.005)
last = time.time() + 60
while running and time.time() < last:
    reap()
    time.sleep(0.01)
print(f'{started} jobs, {kills} kills, {len(running)} stuck, failed: {failed[:5]}, '
      f'twice: {os.path.exists(folder + "/twice")}')
for one in running:
    os.killpg(one.pid, signal.SIGKILL)
sys.exit(bool(running or failed or kills == 0 or os.path.exists(folder + '/twice')))
END
mkdir "$dir/kills"
python3 "$dir/kills.py" "$BERTH" "$dir/kills" "${LANE_SECONDS:-6}" >"$output" 2>&1 || complain "kills"
cat "$output"
eventually "all slots are free" state_is kills '2 0 0'
expect 0 -n --lane a kills:2 -- true
expect 0 -n --lane b kills:2 -- true
"$BERTH" rm kills || complain "rm after kills"
finish
