#!/bin/bash
# Lanes of pools in etcd, with kills of a head; and jobs that are trees.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE=etcd://$hosts/test

started=0
in_lane() {
    local option=(--lane "$1")
    [ "$1" != - ] || option=()
    "$BERTH" run -q "${option[@]}" "$2" -- sh -c 'echo "$0" >>"$1"' "$1" "$dir/order" &
    last=$!
    started=$((started + 1))
    eventually "job $started stands" stand "$2" "$started"
}
stand() { [ "$("$BERTH" status "$1" | grep -cE '^ +(place|next) ')" -eq "$2" ]; }

# --- turns ---
hold gpu -j 1
for lane in a a a b b -; do in_lane $lane gpu; done
"$BERTH" status gpu >"$output"
grep -q '^gpu: 1 slot, 1 held, 3 waiting$' "$output" && grep -q '^  lane a: 2 waiting behind its head$' "$output" ||
    complain "status"
[ "$("$BERTH" ls -q)" = gpu ] || complain "ls shows lanes"
expect 1 "$BERTH" rm gpu
kill "$holder"
wait
[ "$(tr '\n' ' ' <"$dir/order")" = 'a b - a b a ' ] || complain "turns: $(tr '\n' ' ' <"$dir/order")"
expect 0 "$BERTH" wait -w 20 gpu

# --- the head of a lane is killed: the next one is the head ---
rm "$dir/order"
started=0
hold gpu
in_lane a gpu
victim=$last
in_lane a gpu
kill -KILL "$victim"
eventually "the next is the head" waiting gpu 1
eventually "nobody is behind it" stand gpu 1
kill "$holder"
wait
[ "$(cat "$dir/order")" = a ] || complain "after a kill: $(cat "$dir/order")"

# --- several pools, and a run inside a run ---
for i in 1 2 3 4 5 6; do
    "$BERTH" run -q -w 60 --lane x one,two -- touch "$dir/several.$i" &
done
for i in 1 2 3 4 5 6; do eventually "several $i" test -e "$dir/several.$i"; done
expect 0 "$BERTH" run -w 20 --lane a gpu -- "$BERTH" run --lane a gpu -- true
expect 0 "$BERTH" wait -w 20 gpu
expect 0 "$BERTH" rm gpu

# --- trees ---
expect 3 "$BERTH" run -q --tree=end tree -- bash -c 'setsid sleep 60 & echo $! >"$0"; exit 3' "$dir/left"
gone "$(cat "$dir/left")" || complain "--tree=end has left something"
start=$(now_ms)
expect 4 "$BERTH" run -q --tree=wait tree -- bash -c 'sleep 1 & exit 4'
[ $(($(now_ms) - start)) -ge 900 ] || complain "--tree=wait did not wait"
expect 124 "$BERTH" run -q --limit 0.5 tree -- bash -c 'setsid sleep 60 & echo $! >"$0"; sleep 60' "$dir/left"
gone "$(cat "$dir/left")" || complain "--limit has left something"
expect 0 "$BERTH" run -n tree -- true
finish
