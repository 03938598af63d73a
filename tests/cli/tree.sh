#!/bin/bash
# The job as its whole tree: --tree, --limit and --grace, and `tree =` in a declaration. What a command has left
# is ended or waited for before the slot is given back, however the command ended; with berth run killed, the
# slot stays taken while the tree lives. BERTH is the command under test.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for the command's shell
subcommand=run
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"
exec 2>"$dir/reports"
says() { grep -qE -- "$1" "$output" || complain "does not say: $1"; }
silent() { [ ! -s "$output" ] || complain "$1: says something"; }
# A command that leaves processes behind: one in its group, one in a session of its own, with a child, and none
# of them with the descriptors of berth run. Their numbers are in $dir/left.
cat >"$dir/leaves" <<'END'
#!/bin/bash
closed() { for fd in /proc/self/fd/*; do fd=${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done; }
(closed; exec sleep "${1:-60}") &
echo $! >"$0.$$"
(closed; exec setsid bash -c 'exec 2>/dev/null; sleep "$1" & echo $! >>"$0"; wait' "$0.$$" "${1:-60}") &
until [ "$(wc -l <"$0.$$")" -eq 2 ]; do sleep 0.01; done
mv "$0.$$" "${0%/*}/left"
END
chmod +x "$dir/leaves"
left() { cat "$dir/left"; }
all_gone() { for pid in $(left); do gone "$pid" || return 1; done; }
end_left() { kill -KILL $(left); }

# ---- the three modes ----

expect 3 --tree=end p -- bash -c '"$0"; exit 3' "$dir/leaves"
silent "--tree=end"
all_gone || complain "--tree=end has left something"
expect 0 -n p -- true
start=$(now_ms)
expect 4 --tree=wait p -- bash -c '"$0" 1; exit 4' "$dir/leaves"
silent "--tree=wait"
all_gone || complain "--tree=wait did not wait"
[ $(($(now_ms) - start)) -ge 900 ] || complain "--tree=wait took $(($(now_ms) - start)) ms"
for option in '' --tree=leave; do
    # shellcheck disable=SC2086 # a word or none
    expect 0 $option p -- "$dir/leaves"
    silent "leave"
    all_gone && complain "leave: ended something"
    end_left
done

# While it waits, the slot is held, and shown as this run's.
"$BERTH" run --tree=wait p -- bash -c '"$0" 2' "$dir/leaves" &
run=$!
eventually "the command has ended" test -s "$dir/left"
sleep 0.1
state_is p '1 1 0' || complain "waiting for the tree: $(state p)"
wait $run || complain "--tree=wait: status $?"

# ---- however the command ends ----

for how in 'kill -KILL $worker' 'kill -TERM $run' 'kill -INT $run' 'kill -KILL $worker; kill -TERM $run'; do
    rm -f "$dir/left"
    env --default-signal "$BERTH" run --tree=end p -- bash -c '"$0"; exec sleep 60' "$dir/leaves" &
    run=$!
    eventually "$how: the tree" test -s "$dir/left"
    worker=$(pgrep -P $run)
    eval "$how"
    wait $run
    [ $? -gt 128 ] || complain "$how: no signal ended it"
    all_gone || complain "$how: something is left"
    state_is p '1 0 0' || complain "$how: $(state p)"
done

# berth run is killed: the tree keeps the slot, while it has the descriptor.
rm -f "$dir/pids2"
"$BERTH" run --tree=end p -- bash -c 'sleep 60 & echo $! $$ >"$0"; wait' "$dir/pids2" &
run=$!
eventually "the tree" test -s "$dir/pids2"
read -r child worker <"$dir/pids2"
kill -KILL $run
wait $run
state_is p '1 1 0' || complain "berth run is dead: $(state p)"
kill -KILL "$worker"
eventually "the command is dead" gone "$worker"
expect 75 -n p -- true
kill -KILL "$child"
eventually "the tree is dead" state_is p '1 0 0'

# ---- what does not want to end ----

stubborn='(trap "" TERM; while :; do sleep 0.1; done) & echo $! >"$0"; exit 7'
start=$(now_ms)
expect 7 --tree=end --grace 0.5 p -- bash -c "$stubborn" "$dir/left"
took=$(($(now_ms) - start))
all_gone || complain "it lives after KILL"
[[ $took -ge 450 && $took -lt 5000 ]] || complain "a grace of 0.5 s took $took ms"
expect 7 --tree=end --grace 0 p -- bash -c "$stubborn" "$dir/left"
all_gone || complain "--grace 0"
# A stopped process is ended, too.
expect 7 --tree=end p -- bash -c 'sleep 60 & echo $! >"$0"; kill -STOP $!; exit 7' "$dir/left"
all_gone || complain "a stopped process is left"
# A signal while it waits ends what it waits for; another one does so at once.
rm "$dir/left"
env --default-signal "$BERTH" run --tree=wait --grace 60 p -- bash -c "$stubborn" "$dir/left" &
run=$!
eventually "it waits" test -s "$dir/left"
sleep 0.2
kill -TERM $run
sleep 0.2
all_gone && complain "TERM has killed what ignores it"
kill -TERM $run
wait $run
status=$?
[ $status -eq 7 ] || complain "two signals while it waits: status $status"
all_gone || complain "two signals while it waits"

# ---- the limit ----

start=$(now_ms)
expect 124 --limit 0.3 p -- bash -c '"$0"; sleep 60' "$dir/leaves"
says '^berth: run: the time limit is over'
[ $(($(now_ms) - start)) -lt 5000 ] || complain "--limit took $(($(now_ms) - start)) ms"
all_gone || complain "--limit has left something"
expect 124 --limit 300ms --grace 0.3 p -- bash -c 'trap "" TERM; while :; do sleep 0.1; done'
expect 124 --limit 0.3 p -- bash -c 'trap "exit 0" TERM; sleep 60 & wait'
expect 5 --limit 60 p -- sh -c 'exit 5'
expect 124 --tree=wait --limit 0.5 p -- "$dir/leaves"
all_gone || complain "--limit with --tree=wait"
expect 0 --limit 0.5 p -- "$dir/leaves" # in time, and the others are left
all_gone && complain "--limit ends what it need not"
end_left

# ---- what is not the command's ----

(
    sleep 60 &
    echo $! >"$dir/mine"
    exec "$BERTH" run --tree=end p -- "$dir/leaves"
)
gone "$(cat "$dir/mine")" && complain "ends a process of the shell that became berth run"
kill "$(cat "$dir/mine")"
all_gone || complain "beside a process of the shell"

# ---- declared ----

mkdir -p "$XDG_CONFIG_HOME/berth/pools.d"
printf '[ends]\ntree = end\n[waits]\ntree = wait\n[other]\ntree = some\n' >"$XDG_CONFIG_HOME/berth/pools.d/lab.conf"
expect 0 -q ends -- "$dir/leaves"
all_gone || complain "tree = end"
expect 0 -q waits,ends -- "$dir/leaves" # the strictest
all_gone || complain "tree = wait, and tree = end"
expect 0 --tree=leave ends -- "$dir/leaves"
all_gone && complain "--tree=leave does not win"
end_left
expect 125 other -- touch "$dir/never"
says 'lab.conf, line 6'
[ ! -e "$dir/never" ] || complain "ran"

# ---- with the tokens of a jobserver, and inside another run ----

if command -v make >/dev/null; then
    printf 'all: a b c\na b c:\n\t@sleep 60 & echo $$! >>%s; sleep 0.1\n' "$dir/left" >"$dir/Makefile"
    rm -f "$dir/left"
    expect 0 --tree=end -q --jobserver -j 2 cc -- make -C "$dir"
    all_gone || complain "a build has left something"
    state_is cc '2 0 0' || complain "after the build: $(state cc)"
fi
expect 0 --tree=wait p -- "$BERTH" run --tree=end p -- "$dir/leaves"
all_gone || complain "inside another run"

for wrong in --tree --tree=some '--limit 0' '--limit soon' '--grace x' --limit; do
    # shellcheck disable=SC2086 # several words
    expect 2 $wrong p -- true
    [ "$(wc -l <"$output")" -eq 1 ] || complain "$wrong: not one line"
done
finish
