#!/bin/bash
# A command is never started on a lease that is over. `berth run` is stopped while it waits; during that it is
# given the slot, its lease ends, and another client gets the slot. When it goes on, it stands in line again, and
# runs its command when the slot is its own. ROUNDS=8 for the long form.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/dead?ttl=2"
exec 2>"$dir/reports"

# Writes down when it was started, and when it ended.
cat >"$dir/visit" <<'END_OF_VISIT'
now() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
echo "$1 start $(now)" >>"$2"
sleep "$3"
echo "$1 end $(now)" >>"$2"
END_OF_VISIT
visit() { # POOL NAME SECONDS: runs it in the background
    "$BERTH" run "$1" -- bash "$dir/visit" "$2" "$dir/visits" "$3" 2>>"$dir/said" &
}
has_started() { grep -q "^$1 start" "$dir/visits"; }

for ((round = 0; round < ${ROUNDS:-2}; round++)); do
    : >"$dir/visits"
    : >"$dir/said"
    hold "pool$round"
    visit "pool$round" stopped 0.2
    stopped=$!
    eventually "it waits" waiting "pool$round" 1
    kill -STOP "$stopped"
    kill "$holder" # it is the stopped one's turn
    wait "$holder"
    visit "pool$round" next 1
    next=$!
    eventually "the next one has the slot" has_started next
    kill -CONT "$stopped"
    wait "$next" || complain "the next one: status $?"
    wait "$stopped"
    status=$?
    [ "$status" -eq 0 ] || complain "stopped while it waited: status $status: $(cat "$dir/said")"
    [ "$(cut -d ' ' -f 1,2 "$dir/visits" | tr '\n' ,)" = 'next start,next end,stopped start,stopped end,' ] ||
        complain "it was started on a lease that was over: $(cat "$dir/visits")"
done
finish
