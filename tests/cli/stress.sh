#!/bin/bash
# berth stress: correct protocols hold on threads and on processes, broken ones are seen to be, kills
# happen, and nothing is left behind. BERTH is the command under test.
subcommand=stress
rows_in=runs
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

# Correct protocols, in both modes.
while read -r protocol arguments; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 0 "$protocol" $arguments --seconds 0.3 --json
    check "$protocol" \
        'd["version"] == 1 and d["holds"] is True' \
        '[r["mode"] for r in rows] == ["threads", "processes"]' \
        'all(r["entries"] > 0 and r["violations"] == 0 and r["stuck"] == 0 for r in rows)' \
        'all(r["lost_increments"] in (0, None) for r in rows)' \
        'rows[0]["lost_increments"] == 0 and rows[0]["kills"] == 0' \
        'all(r["seconds"] >= 0.3 for r in rows)' \
        'all(r["overtaken_max"] >= r["overtaken_mean"] >= 0 for r in rows)'
done <<'LIST'
rp-two
rp-n -n 3
burns-a -n 4
burns-b
burns-c
peterson -n 4
bakery -n 4
burns-bit
LIST

# A broken one is caught by both counts.
expect 1 burns-bit/no-test --seconds 0.2 --json
check no-test 'd["protocol"] == "burns-bit/no-test" and d["holds"] is False' \
    'all(r["violations"] > 0 and r["lost_increments"] > 0 for r in rows)'
expect 1 burns-bit/no-test --seconds 0.1
grep -qx fails "$output" || complain "no-test: the last line is not there"

# Kills: the default for what is made to die, and not otherwise.
expect 0 rp-two --processes --seconds 0.3 --seed 7 --json
check death 'd["fault"] == "death" and d["seed"] == 7 and len(rows) == 1' \
    'rows[0]["kills"] > 0 and rows[0]["lost_increments"] is None'
expect 0 rp-two --processes --fault none --seconds 0.1 --json
check no-death 'd["fault"] == "none" and rows[0]["kills"] == 0' 'rows[0]["lost_increments"] == 0'
expect 0 rp-two --threads --seconds 0.1 --json
check threads 'd["fault"] == "none" and [r["mode"] for r in rows] == ["threads"]'

# Sleep: some are stopped for ever, and the others go on; all protocols go on after a stop of a moment.
while read -r asleep protocol arguments; do
    # shellcheck disable=SC2086
    expect 0 "$protocol" $arguments --fault sleep --processes --seconds 0.5 --json
    check "$protocol asleep" "d['fault'] == 'sleep' and d['k'] == $asleep + 1" \
        "len(rows) == 1 and rows[0]['asleep'] == $asleep and rows[0]['naps'] > 0" \
        'rows[0]["least_progress"] > 0 and rows[0]["violations"] == 0 and rows[0]["stuck"] == 0'
done <<'LIST'
1 flbb-colored -n 4 -l 2
2 flbb-colored -n 5 -l 3 -k 3
1 flbb-queue -n 4 -l 2
1 flbb-count -n 4 -l 2
0 flbb-colored -n 3
0 flbb-bank/a -n 3 -l 2 -k 1
0 flbb-bank/fifo -n 3
0 burns-b
0 bakery
LIST
expect 0 flbb-colored -n 4 -l 2 --seconds 0.3
grep -q '^  stopped          1 for ever' "$output" || complain "sleep is not the default"

# One that is not made for it: one asleep in the queue stops everybody.
expect 1 flbb-bank/b -n 4 -l 2 --fault sleep --processes --seconds 0.5 --json
check bank 'd["holds"] is False' 'rows[0]["asleep"] == 1 and rows[0]["least_progress"] == 0' \
    'rows[0]["stuck"] == 3 and rows[0]["violations"] == 0'

# So many entries, and a few for those that were on their way in.
expect 0 bakery -n 3 --entries 5000 --json
check entries 'all(5000 <= r["entries"] <= 5002 for r in rows)' \
    'all(r["overtaken_analysed"] == r["entries"] for r in rows)'

# Bad usage.
while read -r arguments; do
    # shellcheck disable=SC2086
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "stress $arguments: not one line"
done <<'LIST'

nobody
rp-two/nobody
rp-two rp-n
rp-two -n 3
rp-two -l 2
burns-bit -n 65
rp-two --seconds 0
rp-two --seconds 1 --entries 1
rp-two --entries many
rp-two --seed -1
rp-two --threads --processes
rp-two --threads --fault death
rp-two --fault kill
rp-two --threads --fault sleep
rp-two --fault sleep -k 2
rp-two -k 1
flbb-queue -n 3 -l 2 -k 3
flbb-queue -n 3 -l 2 --fault sleep --entries 10
burns-a --fault death
rp-two --nothing
LIST

# Interrupted or killed, it leaves no process behind. The seed tells ours from others'.
for signal in TERM KILL; do
    for mode in --threads --processes; do
        "$BERTH" stress rp-two "$mode" --seconds 30 --seed "$$" >"$output" 2>&1 &
        driver=$!
        sleep 0.5
        kill -"$signal" "$driver"
        wait "$driver" 2>/dev/null
        status=$?
        [ "$status" -eq $((128 + $(kill -l "$signal"))) ] ||
            complain "$signal $mode: status $status"
        # What was counted is not lost with the rest of the run.
        [ "$signal" != TERM ] || grep -qE '^  entries +[0-9]+ in' "$output" ||
            complain "$signal $mode: nothing is known"
        [ "$signal" != TERM ] || grep -q '^holds so far: interrupted$' "$output" ||
            complain "$signal $mode: it does not say that it was interrupted"
        sleep 0.1
        pgrep -f -- "stress rp-two $mode --seconds 30 --seed $$\$" >"$output" &&
            complain "$signal $mode: left behind"
    done
done

finish
