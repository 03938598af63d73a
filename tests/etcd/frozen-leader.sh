#!/bin/bash
# Clients that come while the leader is stopped get their slots from the others: opening a pool is as patient as
# acquiring, as long as some server answers. A server that accepts connections and says nothing is left for the next
# one after a quarter of a second; and where no other is there, opening ends with its time-out.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 3 --heartbeat-interval 100 --election-timeout 1000
export BERTH_STORE="etcd://$hosts/frozen"
expect 0 "$BERTH" run -j 32 x -- true

for round in $(seq "${ROUNDS:-2}"); do
    first=$(leader)
    kill -STOP "${server[$first]}"
    runs=()
    for i in $(seq 12); do
        "$BERTH" run x -- true 2>"$dir/said.$i" &
        runs+=($!)
        sleep 0.08
    done
    for i in $(seq 12); do
        wait "${runs[$((i - 1))]}" || complain "run $i of round $round: status $?, $(cat "$dir/said.$i")"
    done
    kill -CONT "${server[$first]}"
    eventually "the cluster answers" healthy
done

# --- one that is stopped beside two good ones: not even half a second, whichever is first ---
for ((other = 0; other < nodes; other++)); do [ "$other" -eq "$(leader)" ] || break; done
kill -STOP "${server[$other]}"
slowest=0
for _ in $(seq 12); do
    start=$(now_ms)
    expect 0 "$BERTH" run x -- true
    took=$(($(now_ms) - start))
    [ "$took" -le "$slowest" ] || slowest=$took
done
echo "beside one that is stopped: $slowest ms at most"
[ "$slowest" -le 1500 ] || complain "a server that is stopped holds a client up for $slowest ms"

# --- no quorum: as long as a server answers, for longer than the time-out; no server: its time-out ---
kill -STOP "${server[$(((other + 1) % 3))]}"
start=$(now_ms)
"$BERTH" run --store "etcd://$hosts/frozen?timeout=2" x -- true 2>"$output" &
run=$!
sleep 4
gone "$run" && complain "it gave up after $(($(now_ms) - start)) ms"
kill -CONT "${server[$(((other + 1) % 3))]}"
wait "$run" || complain "there is a quorum again: status $?"
for ((i = 0; i < nodes; i++)); do kill -STOP "${server[$i]}"; done
start=$(now_ms)
expect 125 "$BERTH" run --store "etcd://$hosts/frozen?timeout=2" x -- true
took=$(($(now_ms) - start))
echo "no server: $took ms, $(cat "$output")"
[ "$took" -le 4000 ] || complain "no server answers: it takes $took ms"
for ((i = 0; i < nodes; i++)); do kill -CONT "${server[$i]}"; done
finish
