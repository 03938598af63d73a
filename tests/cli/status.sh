#!/bin/bash
# berth status: who holds and who waits, as text and as JSON. BERTH is the command under test.
subcommand=status
rows_in=pools
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

# No pools at all.
expect 0
[ ! -s "$output" ] || complain "no pools, and yet"
expect 0 --json
check empty 'd == {"version": 1, "pools": []}'
expect 0 --json --store "$BERTH_STORE"
check empty 'rows == []'

# No such pool.
for json in '' --json; do
    # shellcheck disable=SC2086 # one option or none
    expect 1 nobody $json
    [ "$(wc -l <"$output")" -eq 1 ] || complain "nobody: not one line"
    grep -q '^berth: status: .*nobody' "$output" || complain "nobody: says something else"
done

stopped_is() {
    "$BERTH" status gpu --json | python3 -c 'import json, sys
holders = json.load(sys.stdin)["pools"][0]["holders"]
sys.exit([u["stopped"] for u in holders if u["pid"] == int(sys.argv[1])] != [sys.argv[2] == "True"])' "$1" "$2"
}

# A pool that nobody uses.
"$BERTH" run -j 3 idle -- true
expect 0 idle
[ "$(cat "$output")" = 'idle: 3 slots, 0 held, 0 waiting' ] || complain "idle"
expect 0 idle --json
check idle 'len(rows) == 1' \
    'list(rows[0]) == ["pool", "store", "slots", "holders", "waiters", "builds", "lanes"]' \
    "rows[0]['pool'] == 'idle' and rows[0]['store'] == '$BERTH_STORE'" \
    'rows[0]["slots"] == 3 and rows[0]["holders"] == [] and rows[0]["waiters"] == []'

# Two that hold, two that wait.
start=$(date -u +%Y-%m-%dT%H:%M:%S)
"$BERTH" run -j 2 gpu -- true
hold gpu
first=$holder first_worker=$worker
hold gpu
for i in 1 2; do
    "$BERTH" run gpu -- echo "waiter $i" >/dev/null &
    eval "waiter$i=$!"
    eventually "waiter $i" state_is gpu "2 2 $i"
done
expect 0 gpu --json
end=$(date -u -d '+1 second' +%Y-%m-%dT%H:%M:%S)
check gpu 'd["version"] == 1 and len(rows) == 1 and rows[0]["slots"] == 2' \
    '[list(u) for u in rows[0]["holders"]] == 2 * [["slot", "token", "pid", "host", "command", "since", "user", "stopped", "loans"]]' \
    '[list(u) for u in rows[0]["waiters"]] == 2 * [["place", "pid", "host", "command", "since", "user", "stopped"]]' \
    '[u["slot"] for u in rows[0]["holders"]] == [0, 1]' \
    "sorted(u['pid'] for u in rows[0]['holders']) == sorted([$first_worker, $worker])" \
    'all(u["command"] == "sleep 60" for u in rows[0]["holders"])' \
    'len({u["token"] for u in rows[0]["holders"]}) == 2' \
    '[u["place"] for u in rows[0]["waiters"]] == [1, 2]' \
    '[u["command"] for u in rows[0]["waiters"]] == ["echo waiter 1", "echo waiter 2"]' \
    "[u['pid'] for u in rows[0]['waiters']] == [${waiter1:-0}, ${waiter2:-0}]" \
    "all(u['user'] == '$(id -un)' and u['stopped'] is False for u in rows[0]['holders'] + rows[0]['waiters'])" \
    "all(u['host'] == '$(uname -n)' for u in rows[0]['holders'] + rows[0]['waiters'])" \
    '__import__("re").fullmatch(r"[-\d]{10}T[:\d]{8}\.\d{3}Z", rows[0]["holders"][0]["since"])' \
    "all('$start' <= u['since'] <= '$end' for u in rows[0]['holders'] + rows[0]['waiters'])"
expect 0 gpu
sed -E 's/[0-9]+\.[0-9] s/TIME/; s/ +/ /g' "$output" >"$dir/table"
diff - "$dir/table" <<END || complain "another table"
gpu: 2 slots, 2 held, 2 waiting
 pid user for command
 slot 0 $(held_by gpu 0) $(id -un) TIME sleep 60
 slot 1 $(held_by gpu 1) $(id -un) TIME sleep 60
 place 1 $waiter1 $(id -un) TIME echo waiter 1
 place 2 $waiter2 $(id -un) TIME echo waiter 2
END
[ "$(awk 'NR > 1 { print index($0, NR == 2 ? "command" : NR < 5 ? "sleep" : "echo") }' "$output" |
    sort -u | wc -l)" -eq 1 ] || complain "the columns are not aligned"

# One that is stopped is shown to be.
kill -STOP "$worker"
eventually "the stopped one" stopped_is "$worker" True
expect 0 gpu
grep -qE " $worker .*\(stopped\) sleep 60$" "$output" || complain "the table does not show who is stopped"
kill -CONT "$worker"
eventually "it goes on" stopped_is "$worker" False

# Without a name: all of them, in the order of the alphabet.
expect 0 --json
check all '[r["pool"] for r in rows] == ["gpu", "idle"]'
expect 0
[ "$(sed -nE 's/^([a-z]+): .*/\1/p' "$output" | tr '\n' ' ')" = 'gpu idle ' ] || complain "not both"

# The dead are not shown.
kill -KILL "$first" "$first_worker" "$waiter1"
wait "$first" "$waiter1" 2>/dev/null
eventually "the dead are gone" gone "$first_worker"
eventually "the other waiter has its turn" state_is gpu '2 1 0'
kill "$holder"
wait "$holder"
state_is gpu '2 0 0' || complain "nobody is left, but: $(state gpu)"

# A process that has waited holds since it got its slot, not since it came.
hold patience
"$BERTH" run patience -- sleep 60 &
eventually "one with patience" state_is patience '1 1 1'
sleep 0.5
since=$(date -u -d '-100 milliseconds' +%Y-%m-%dT%H:%M:%S.%3N)
kill "$holder"
eventually "the slot of patience" state_is patience '1 1 0'
expect 0 patience --json
check patience "rows[0]['holders'][0]['pid'] != $worker" \
    "rows[0]['holders'][0]['since'] >= '$since'"
eventually "its process" pgrep -P $! >/dev/null
kill $!
wait $!

# What a process calls itself cannot play tricks on the reader.
strange=$'exec sleep 60 # \e[31m \xff\xfe \xed\xa0\x80 \u00e9\ttab\nline'
"$BERTH" run strange -c "$strange" &
eventually "the strange one" state_is strange '1 1 0'
eventually "its process" pgrep -P $! >/dev/null
expect 0 strange
grep -qP '[^\x20-\x7e\x80-\xff]' "$output" && complain "control characters in the table"
[ "$(wc -l <"$output")" -eq 3 ] || complain "a line too many"
grep -q 'exec sleep 60 # [ ?]\[31m ?? ??? é tab line$' "$output" || complain "the strange command"
expect 0 strange --json
check strange 'rows[0]["holders"][0]["command"].split()[:3] == ["exec", "sleep", "60"]' \
    'rows[0]["holders"][0]["command"].split()[-5:] == ["??", "???", "\u00e9", "tab", "line"]'
kill $!
wait $!
# A long one is cut, and not in the middle of a character.
"$BERTH" run long -c "exec sleep 60 # $(printf 'é%.0s' {1..100})" &
eventually "the long one" state_is long '1 1 0'
expect 0 long --json
check long 'rows[0]["holders"][0]["command"].startswith("exec sleep 60 # éé")' \
    'len(rows[0]["holders"][0]["command"].encode()) in (94, 95)' \
    '"?" not in rows[0]["holders"][0]["command"]'
kill $!
wait $!

# What is damaged, or of another version, is named, and spoils nothing for the others.
cp "$BERTH_STORE/idle.berth" "$BERTH_STORE/later.berth"
printf '\x7f' | dd of="$BERTH_STORE/later.berth" bs=1 seek=8 conv=notrunc status=none
for command in status ls; do
    "$BERTH" $command >"$output" 2>&1 || complain "$command: spoilt by a file of another version"
    grep -q '^berth: .*version 127.*berth rm --force later' "$output" || complain "$command: does not name it"
    grep -q '^idle\b' "$output" || complain "$command: the others are not shown"
    "$BERTH" $command --json >"$output" 2>/dev/null || complain "$command --json: spoilt"
    check "$command" '[r["pool"] for r in rows if r["pool"] == "idle"]' \
        '[r["pool"] for r in d["damaged"]] == ["later"]'
done
"$BERTH" status later >"$output" 2>&1
[ $? -eq 125 ] || complain "asked for by name: not said"
"$BERTH" rm later 2>"$output"
[ $? -eq 125 ] && grep -q -- '--force' "$output" || complain "rm without --force"
"$BERTH" rm --force later || complain "rm --force"
[ ! -e "$BERTH_STORE/later.berth" ] || complain "rm --force has left it"
head -c 100 /dev/urandom >"$BERTH_STORE/noise.berth"
"$BERTH" run noise -- true 2>"$output"
grep -q 'berth rm --force' "$output" || complain "run does not say how to get rid of it"
"$BERTH" rm --force noise || complain "rm --force of noise"

# Bad usage.
while read -r arguments; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "status $arguments: not one line"
done <<'LIST'
gpu idle
--nothing
--store
.hidden
a/b
LIST

finish
