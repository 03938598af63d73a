#!/bin/bash
# A slot whose lease has ended, and the client that had it: it frees the slot as soon as its command is dead, so that
# nobody waits for the time of grace; a loss that is noticed only when the slot is given back is status 121; and keys
# of slots that a smaller pool has no more do not stay.
# shellcheck disable=SC2016,SC2317
. "$(dirname "$0")/lib.bash"
start_cluster 1
export BERTH_STORE="etcd://$hosts/lost?ttl=20"
lease_of() { # SLOT
    printf '%x' "$(ctl get "/lost/use/x/s/$1" -w json | sed 's/.*"lease":\([0-9]*\).*/\1/')"
}

# --- the slot goes on at once, to one that waits, and to one that comes ---
hold x 2>"$dir/said"
"$BERTH" run x -- sh -c 'echo >"$0"' "$dir/next" &
next=$!
eventually "one waits" waiting x 1
start=$(now_ms)
ctl lease revoke "$(lease_of 0000)" >/dev/null
wait "$holder"
status=$?
[ "$status" -eq 121 ] || complain "the holder: status $status"
gone "$worker" || complain "the command works on"
wait "$next" || complain "the next: status $?"
took=$(($(now_ms) - start))
echo "the next has had the slot after $took ms: $(cat "$dir/said")"
[ "$took" -le 5000 ] || complain "the next waits for $took ms"
expect 0 "$BERTH" run -n x -- true

# --- the loss is noticed when the slot is given back: its key is deleted as the command ends ---
expect 121 "$BERTH" run x -- sh -c 'etcdctl --endpoints "$1" del /lost/use/x/s/0000 >"$0"' "$dir/deleted" "$hosts"
grep -q 'was lost' "$output" || complain "it does not say that the slot was lost"
expect 0 "$BERTH" run -n x -- true

# --- why and when: the last renewal, the server, what it said; and the host of a holder ---
hold x 2>"$dir/said"
"$BERTH" status x | grep -q "slot 0 .*$(hostname): " && complain "its own host is shown: $("$BERTH" status x)"
if unshare --uts true 2>/dev/null; then # as another host sees it
    unshare --uts sh -c 'hostname elsewhere && exec "$0" status x' "$BERTH" >"$output" 2>&1
    grep -q "slot 0 .*$(hostname): sh" "$output" || complain "the host is not shown: $(cat "$output")"
fi
kill "$worker"
wait "$holder"
hold z --store "etcd://$hosts/lost?ttl=2" 2>"$dir/said"
kill -STOP "${server[0]}"
wait "$holder"
status=$?
kill -CONT "${server[0]}"
[ "$status" -eq 121 ] || complain "without a server: status $status"
cat "$dir/said"
grep -qE "last renewed at 20[0-9-]*T[0-9:]*Z, [0-9.]+ s ago; $(client_address 0): " "$dir/said" || complain "it does not say why"
eventually "the server answers" healthy

# --- a pool is made smaller, and a lease ends in a slot that it has no more ---
export BERTH_STORE="etcd://$hosts/lost?ttl=2"
expect 0 "$BERTH" run -j 2 y -- true
hold y
first=$holder first_worker=$worker
hold y
expect 0 "$BERTH" resize y 1
for killed in $(pgrep -P "$holder" -f guardian) "$holder" "$worker"; do
    kill -KILL "$killed"
done
kill "$first_worker"
wait "$first"
beyond() { ctl get --keys-only /lost/use/y/u/0001; }
[ -n "$(beyond)" ] || complain "the key of the slot that is no more is not there"
"$BERTH" run y -- sleep 8 &
long=$!
swept() { [ -z "$(beyond)" ]; }
eventually "the key has gone" swept
wait "$long" || complain "the one that swept: status $?"
finish
