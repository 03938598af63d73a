#!/bin/bash
# What a pool in etcd looks like in moments that are short otherwise: a slot that is free while somebody waits,
# and what is left of a wait.
# shellcheck disable=SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/order"
exec 2>"$dir/reports"

# A slot comes free, and the first in line is stopped and cannot take it: a newcomer does not get it first, nor
# does one that comes later and waits.
hold free
wait_for free first
first=$waiter
kill -STOP "$first"
for killed in $(pgrep -P "$holder" -f guardian) "$holder" "$worker"; do # nobody gives the slot on
    kill -KILL "$killed"
done
wait "$holder"
ctl del /order/use/free/s/0000 >/dev/null
ctl del /order/use/free/u/0000 >/dev/null
state_is free '1 0 1' || complain "this is not the moment that is meant: $(state free)"
expect 75 "$BERTH" run -n free -- true
[ ! -e "$dir/first" ] || complain "the first in line was not stopped"
start_waiter second free
eventually "the second waits, or serves the first" test -n "$(state free)"
sleep 0.5
[ ! -e "$dir/second" ] || complain "somebody was overtaken"
kill -CONT "$first"
eventually "the first has the slot" test -s "$dir/first"
eventually "the second has it after that" test -s "$dir/second"
[ "$(cat "$dir/first")" -le "$(cat "$dir/second")" ] || complain "the second was before the first"
wait

# A wait leaves nothing: neither an entry nor mail, while the handle is open.
hold mail
coproc HANDLE { exec "$HANDLE_PROGRAM" "$BERTH_STORE" mail; }
echo "$HANDLE_PID" >>"$dir/pids"
read -r _ <&"${HANDLE[0]}"
echo acquire >&"${HANDLE[1]}"
eventually "it waits" state_is mail '1 1 1'
kill "$holder"
read -r said _ <&"${HANDLE[0]}"
[ "$said" = ok ] || complain "the acquire: $said"
[ -n "$(ctl get --prefix --keys-only /order/use/mail/m/)" ] || complain "it got no mail, so that this says nothing"
echo release >&"${HANDLE[1]}"
read -r said _ <&"${HANDLE[0]}"
[ "$said" = ok ] || complain "the release: $said"
for folder in m w s u; do
    [ -z "$(ctl get --prefix --keys-only "/order/use/mail/$folder/")" ] || complain "something is left in $folder/"
done
exec {HANDLE[1]}>&-
wait
finish
