#!/bin/bash
# Each block of docs/RECIPES.md, run as it is, with stand-ins for the programs that it is about. BERTH is
# the command under test, SRC the source.
# shellcheck disable=SC2016,SC2317 # what is in single quotes is for other shells
subcommand=run
rows_in=pools
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

mkdir -p "$dir/bin" "$dir/home/bin" "$dir/counts" "$XDG_CONFIG_HOME/berth/pools.d"
ln -s "$BERTH" "$dir/bin/berth"
export PATH=$dir/bin:$PATH HOME=$dir/home COUNTS=$dir/counts
cd "$dir" || exit 1

# block NAME: the text of the block, which has to be there.
block() {
    awk -v name="name=$1" '/^```/ { if (inside) exit; inside = $2 == name; next } inside' "$SRC/docs/RECIPES.md" >"$dir/block"
    [ -s "$dir/block" ] || complain "there is no block $1 in docs/RECIPES.md"
    echo "$1" >>"$dir/blocks"
    cat "$dir/block"
}
# stand_in NAME: a program that takes a while, and notes how many of its kind run at the same time.
stand_in() {
    cat >"$dir/bin/$1" <<'END'
#!/bin/bash
kind=$COUNTS/${0##*/}${KIND:+-$KIND}
mkdir -p "$kind"
touch "$kind/$$"
sleep "${TAKES:-0.15}"
ls "$kind" | wc -l >>"$kind.most"
rm "$kind/$$"
END
    chmod +x "$dir/bin/$1"
}
most() { sort -n "$dir/counts/$1.most" 2>/dev/null | tail -n 1; }
# in_parallel N COMMAND...: N of them at once, all of which have to succeed.
in_parallel() {
    local count=$1 i pids=()
    shift
    for ((i = 0; i < count; i++)); do "$@" >>"$output" 2>&1 & pids+=($!); done
    for i in "${pids[@]}"; do wait "$i" || complain "$*: status $?"; done
}
: >"$output"

# ---- one cap on test runs ----

block agents.conf >"$XDG_CONFIG_HOME/berth/pools.d/tests.conf"
block agents.run >agents
stand_in make
in_worktree() { local tree=$dir/tree$RANDOM && mkdir -p "$tree" && cd "$tree" && sh "$dir/agents"; }
in_parallel 6 in_worktree
[ "$(most make)" = 2 ] || complain "test runs: $(most make) at a time, not 2"

# ---- compilers ----

if command -v cmake >/dev/null; then
    mkdir project
    printf 'cmake_minimum_required(VERSION 3.21)\nproject(p C)\nadd_library(p a.c b.c c.c d.c e.c f.c)\n' >project/CMakeLists.txt
    for file in a b c d e f; do echo "int $file;" >project/$file.c; done
    block compilers.cmake >build.sh
    (cd project && sh ../build.sh) >"$output" 2>&1 || complain "the project does not build"
    state_is compilers '4 0 0' || complain "the compilers did not run in slots: $(state compilers)"
    grep -q 'berth run -j 4 compilers' project/build/CMakeFiles/p.dir/build.make || complain "no launcher"
else
    echo "left out: cmake is not installed"
    block compilers.cmake >/dev/null
fi
block compilers.wrapper >"$HOME/bin/in-a-slot"
chmod +x "$HOME/bin/in-a-slot"
block compilers.cargo >cargo.sh
stand_in rustc
printf '#!/bin/bash\nfor crate in 1 2 3 4 5 6 7 8; do "$RUSTC_WRAPPER" rustc --crate-name c$crate & done\nwait\n' >bin/cargo
chmod +x bin/cargo
sh cargo.sh >"$output" 2>&1 || complain "cargo: status $?"
[ "$(most rustc)" = 4 ] || complain "rustc: $(most rustc) at a time, not 4"
block compilers.ccache >ccache.sh
if command -v ccache >/dev/null && command -v cc >/dev/null; then
    echo 'int x;' >file.c
    CCACHE_DIR=$dir/ccache sh ccache.sh >"$output" 2>&1 && [ -s file.o ] || complain "ccache and a slot"
else
    echo "left out: ccache is not installed"
fi

# ---- four cards ----

block gpus.conf >"$XDG_CONFIG_HOME/berth/pools.d/gpu.conf"
block gpus.run >gpus.sh
"$BERTH" create --declared || complain "create --declared: status $?"
state_is gpu '8 0 0' || complain "the cards: $(state gpu)"
stand_in train.real
printf '#!/bin/sh\nKIND=$CUDA_VISIBLE_DEVICES exec train.real\n' >train
chmod +x train
in_parallel 24 sh gpus.sh
for card in 0 1 2 3; do
    [ "$(most "train.real-$card")" -le 2 ] || complain "card $card: $(most "train.real-$card") at a time"
done
[ "$(cat counts/train.real-*.most | wc -l)" -eq 24 ] || complain "not 24 jobs"
[ "$("$BERTH" run gpu:8 sh -c 'echo $BERTH_DEVICE')" = 0,1,2,3 ] || complain "all cards"
block gpus.maintenance >maintenance.sh
(TAKES=0.5 sh gpus.sh) &
eventually "a job on a card" state_is gpu '8 1 0'
sh maintenance.sh 2>"$output" || complain "drain and resize"
state_is gpu '8 0 0' || complain "after the maintenance: $(state gpu)"
wait

# ---- cron ----

at_minute() { sed -E 's/^(\S+ +){5}//' "$1"; }
stand_in rsync
block cron.tab >tab
TAKES=0.5 sh -c "$(at_minute tab)" &
eventually "the first rsync" state_is mirror '1 1 0'
sh -c "$(at_minute tab)" >"$output" 2>&1 || complain "while one runs: status $?"
[ ! -s "$output" ] || complain "cron would send mail"
wait
[ "$(wc -l <counts/rsync.most)" -eq 1 ] || complain "rsync ran $(wc -l <counts/rsync.most) times, not once"
block cron.wait >tab
TAKES=0.3 in_parallel 2 sh -c "$(at_minute tab)"
[ "$(most rsync)" = 1 ] || complain "rsync: $(most rsync) at a time"
[ "$(wc -l <counts/rsync.most)" -eq 3 ] || complain "one after the other: $(wc -l <counts/rsync.most)"

# ---- a daemon ----

block daemon.run >daemon.sh
printf '#!/bin/bash\nsetsid sleep 60 </dev/null >/dev/null 2>&1 &\necho $! $$ >>"%s/pids"\nexec sleep "${TAKES:-0}"\n' "$dir" >deploy-and-start-a-server
chmod +x deploy-and-start-a-server
sh daemon.sh || complain "the deployment: status $?"
"$BERTH" rm deploy || complain "the daemon has the pool open"
(TAKES=60 exec sh -c "exec $(cat daemon.sh)") &
eventually "a deployment" state_is deploy '1 1 0'
eventually "its daemon" test "$(wc -l <"$dir/pids")" -ge 1
kill -KILL $!
wait $! 2>/dev/null
"$BERTH" run -w 5 deploy true || complain "a daemon keeps the slot of a berth run that was killed"

# ---- one device ----

block device.cmake >device.cmake
if command -v cmake >/dev/null; then
    mkdir suite
    cat >suite/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.21)
project(suite NONE)
enable_testing()
foreach(name IN ITEMS radio_1 radio_2 radio_3 radio_4)
$(sed 's/NAME radio/NAME ${name}/; s|\$<TARGET_FILE:test_radio>|test_radio|; s/^/  /' device.cmake)
endforeach()
END
    stand_in test_radio
    { cmake -S suite -B suite/build && ctest --test-dir suite/build -j 4; } >"$output" 2>&1 || complain "ctest"
    [ "$(most test_radio)" = 1 ] || complain "the device: $(most test_radio) tests at a time"
fi
block device.conftest >conftest.py
# As pytest calls a fixture; in four workers, one of which is killed with the device in its hands.
cat >worker.py <<'END'
import os, sys, time, types
pytest = types.ModuleType('pytest')
pytest.fixture = lambda function: function
sys.modules['pytest'] = pytest
import conftest
fixture = conftest.device()
assert next(fixture) == 0
log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(log, b'+')
time.sleep(0.1)
if len(sys.argv) > 2:
    open(sys.argv[2], 'w').close()
    time.sleep(60)
os.write(log, b'-')
for _ in fixture:
    pass
END
python3 worker.py killed "$dir/in-hand" &
eventually "a worker with the device" test -e "$dir/in-hand"
kill -KILL $!
wait $! 2>/dev/null
in_parallel 4 python3 worker.py device.log
[ "$(cat device.log)" = '+-+-+-+-' ] || complain "workers on the device: $(cat device.log)"

# ---- a licence on etcd ----

block licence.conf >licence.conf
block memory.conf >"$XDG_CONFIG_HOME/berth/pools.d/machine.conf"
"$BERTH" rm gpu 2>/dev/null
cat >train <<'END'
#!/bin/sh
echo "${CUDA_VISIBLE_DEVICES}" >>trained
END
chmod +x train
"$BERTH" run -q ram:40G -- sleep 60 &
holder=$!
eventually "40G of 48G" held_more_than ram 39
block memory.run >run-memory
sh run-memory 2>>"$output" &
wanting=$!
eventually "16G do not fit" waiting ram 8
kill $holder
wait $wanting || complain "memory: status $?"
# A card with 3 GB free, and then with 30.
echo 3000 >free-memory
printf '#!/bin/sh\n[ "$1 $2" = "-i 0" ] || [ "$1 $2" = "-i 1" ] && cat %s/free-memory\n' "$dir" >bin/nvidia-smi
chmod +x bin/nvidia-smi
block memory.card >run-card
rm -f trained
sh run-card 2>>"$output" &
wanting=$!
sleep 1.2
[ ! -e trained ] || complain "a card without memory was used"
echo 30000 >free-memory
wait $wanting || complain "card: status $?"
grep -qE '^[01]$' trained || complain "card: $(cat trained)"
block memory.pressure | sed "s|/proc/pressure/memory|$dir/pressure|" >run-pressure
echo 'some avg10=42.00 avg60=1.00 avg300=0.00 total=1' >pressure
stand_in make
rm -f counts/make.most
sh run-pressure 2>>"$output" &
wanting=$!
sleep 1.2
[ ! -e counts/make.most ] || complain "started under pressure"
echo 'some avg10=2.00 avg60=1.00 avg300=0.00 total=1' >pressure
wait $wanting || complain "pressure: status $?"
[ -s counts/make.most ] || complain "pressure: not started"
block hook.run >in-turn
chmod +x in-turn
stand_in pytest
rm -f counts/pytest.most
in_parallel 5 ./in-turn pytest -x
[ "$(most pytest)" -le 2 ] || complain "hook: $(most pytest) at a time"
[ "$(./in-turn echo light)" = light ] || complain "hook: a light command"
./in-turn sh -c 'exit 7'
[ $? -eq 7 ] || complain "hook: the status"
block lanes.conf >"$XDG_CONFIG_HOME/berth/pools.d/farm.conf"
in_parallel 6 "$BERTH" run farm -- true
"$BERTH" status --json farm | grep -q '"lane"' || complain "lanes: none"
stand_in make
in_parallel 3 sh -c "$(block lanes.background)"
"$BERTH" status --json tests | grep -q '"lane": *"background"' || complain "lanes: no background"
block metrics.textfile | sed "s|/var/lib/prometheus/node-exporter|$dir/exporter|" >collect
mkdir exporter
sh collect || complain "metrics: status $?"
[ "$(ls exporter)" = berth.prom ] && [ "$(tail -n 1 exporter/berth.prom)" = '# EOF' ] || complain "metrics: $(ls exporter)"
block licence.etcd >etcd-berth.service
block licence.solve >solve@.service
if command -v systemd-analyze >/dev/null; then
    mkdir units
    # The programs need not be installed here.
    sed 's|^ExecStart=[a-z]*|ExecStart=/bin/true|' etcd-berth.service >units/etcd-berth.service
    sed 's|^ExecStart=[a-z]*|ExecStart=/bin/true|' solve@.service >units/solve@.service
    cp units/solve@.service units/solve@case7.service
    systemd-analyze verify units/etcd-berth.service units/solve@case7.service >"$output" 2>&1
    grep -E 'units/.*(Unknown|Failed|Invalid|ignoring)' "$output" && complain "a unit"
else
    echo "left out: systemd-analyze is not installed"
fi
start_of() { sed -n 's/^ExecStart=//p' "$1"; }
if command -v etcd >/dev/null && [ -x "$(dirname "$BERTH")/berth-etcd" ]; then
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    peer=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    sed "s/2379/$port/" licence.conf >"$XDG_CONFIG_HOME/berth/pools.d/solver.conf"
    command=$(start_of etcd-berth.service | sed "s/2379/$port/g")
    # Two ports of its own beside it, for others of its kind that run here.
    STATE_DIRECTORY=$dir/etcd sh -c "exec $command --listen-peer-urls http://127.0.0.1:$peer \
        --initial-advertise-peer-urls http://127.0.0.1:$peer --initial-cluster default=http://127.0.0.1:$peer" >etcd.log 2>&1 &
    echo $! >>"$dir/pids"
    patience=30 eventually "etcd" "$BERTH" run solver true 2>>etcd.log
    stand_in solve
    TAKES=1 in_parallel 12 sh -c "$(start_of solve@.service | sed 's/%i/case7/')"
    [ "$(most solve)" -le 8 ] && [ "$(wc -l <counts/solve.most)" -eq 12 ] ||
        complain "licences: $(most solve) at a time, $(wc -l <counts/solve.most) of 12 jobs"
    "$BERTH" ls | grep -q '^solver  *8 ' || complain "ls does not show the declared pool of etcd"
else
    echo "left out: etcd is not installed, or the store was not built"
fi

# Every block of the page was run.
grep -oE '^```[a-z]+ name=\S+' "$SRC/docs/RECIPES.md" | sed 's/.*name=//' | sort >all
sort "$dir/blocks" | diff all - >"$output" || complain "blocks that no test runs, or that are not there"
[ "$(grep -c '^```[a-z]' "$SRC/docs/RECIPES.md")" -eq "$(wc -l <all)" ] || complain "a block without a name"
rm -f "$XDG_CONFIG_HOME"/berth/pools.d/solver.conf

finish
