#!/bin/bash
# berth bench: what it prints is plausible, a pool loses no slot and is not overtaken, nothing is left
# behind, and bad usage is refused. Speed is not judged here. BERTH is the command under test.
subcommand=bench
rows_in=bench
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

# What a run could leave behind.
traces() {
    ls -d /dev/shm/berth-bench-* /tmp/berth-bench-* 2>/dev/null
    ipcs -s 2>/dev/null | awk '$1 ~ /^0x/ { print "semaphore set", $2 }'
    pgrep -f -- "bench --seed $$ "
}
before=$(traces)
nothing_left() {
    local new
    new=$(traces | grep -vxF -- "$before")
    [ -z "$new" ] || complain "$1: left behind: $new"
}

fields='["case", "subject", "processes", "slots", "ns_per_pair", "ratio", "fairness", "overtakes", "p99_us"]'

# Uncontended: everybody is measured, and sem_t is its own measure.
expect 0 --seed $$ --quick --only uncontended --json
check uncontended 'd["version"] == 1 and d["quick"] is True and d["seconds"] > 0' \
    'all(d["machine"][k] for k in ("cpu", "cores", "kernel"))' \
    "all(list(r)[:9] == $fields for r in rows)" \
    'all(r["note"] is None and r["samples"] > 0 for r in rows)' \
    'all(0 < r["ns_per_pair"] < 1e6 and r["ratio"] > 0 for r in rows)' \
    'all(r["ratio"] == 1 for r in rows if r["subject"] == "sem_t")' \
    'all(r["ns_per_pair_quartiles"][0] <= r["ns_per_pair"] <= r["ns_per_pair_quartiles"][1] for r in rows)' \
    '{r["subject"] for r in rows} | {m["subject"] for m in d["missing"]} == {"berth", "sem_t", "sysv", "robust-mutex", "flock", "pipe", "ck-ticket", "relay"}' \
    '[r["slots"] for r in rows if r["subject"] == "berth"] == [1, 4]'
nothing_left uncontended

# Contended: a pool and its nearest relative keep the order.
expect 0 --seed $$ --quick --only contended --subject berth --subject sysv -n 8 --json
check contended 'len(rows) == 12 and all(r["note"] is None for r in rows)' \
    'all(r["processes"] == 8 and r["slots"] in (1, 4) and r["section_us"] in (0, 1, 100) for r in rows)' \
    'all(r["ns_per_pair"] > 0 and r["cpu_ns_per_pair"] > 0 and 0.1 < r["fairness"] <= 1 for r in rows)' \
    'all(r["ratio"] is None for r in rows)' \
    'all(r["ratio_to_sysv"] == r["cpu_ratio_to_sysv"] == 1 for r in rows if r["subject"] == "sysv")' \
    'all(r["p50_us"] <= r["p99_us"] <= r["max_us"] for r in rows)' \
    'all(r["overtakes"] in (0, None) for r in rows if r["subject"] in ("berth", "sysv"))' \
    'all(r["overtakes_by_ticket"] == 0 for r in rows if r["subject"] == "berth" and r["slots"] == 1)' \
    'sum(r["watched"] for r in rows if r["subject"] == "berth" and r["slots"] == 1) > 0'
nothing_left contended

# Kills, recovery, and a waiter at rest.
expect 0 --seed $$ --quick --only kills --only recovery --only parked --subject berth --subject pipe --json
check kills '{r["case"] for r in rows} == {"kills", "recovery", "parked"}' \
    '[(r["slots"], r["slots_left"], r["kills"]) for r in rows if r["case"] == "kills" and r["subject"] == "berth"] == [(4, 4, 200)]' \
    'all(r["slots_left"] < 4 for r in rows if r["case"] == "kills" and r["subject"] == "pipe")' \
    '[r["samples"] for r in rows if r["case"] == "recovery" and r["subject"] == "berth"] == [100, 100]' \
    'all(0 < r["p50_us"] <= r["p99_us"] <= r["max_us"] for r in rows if r["samples"] == 100)' \
    'all(0 <= r["cpu_percent"] < 50 for r in rows if r["case"] == "parked")'
nothing_left kills

# The command, as a table and a plot; sem may be missing.
plot=$(mktemp -u).svg
expect 0 --seed $$ --quick --only command --only kills --subject berth --svg "$plot"
grep -qE '^berth run +4 ' "$output" || complain "no line for berth run"
grep -qE '^berth run .* ended with status' "$output" && complain "berth run failed"
python3 - "$plot" >>"$output" 2>&1 <<'EOT' || complain "the plot is not as it should be"
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
words = " ".join(root.itertext())
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
assert all(word in words for word in ("berth run", "4 of 4", "cores", "milliseconds")), words
EOT
rm -f "$plot"
nothing_left command

# Bad usage: one line, and nothing else.
while read -r arguments; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "bench $arguments: not one line"
done <<'LIST'
--only nothing
--only
--subject nobody
--processes 1
-n 65
--seed -1
--nothing
something
LIST
expect 125 --quick --svg /nowhere/at/all.svg
[ "$(wc -l <"$output")" -eq 1 ] || complain "a plot that cannot be written: not one line"

# Interrupted, it leaves nothing behind and ends by the signal.
for case in uncontended contended kills recovery parked command; do
    "$BERTH" bench --seed $$ --only "$case" >"$output" 2>&1 &
    driver=$!
    sleep 0.2
    kill -TERM "$driver"
    wait "$driver" 2>/dev/null
    status=$?
    [ "$status" -eq 143 ] || complain "TERM during $case: status $status"
    nothing_left "TERM during $case"
done

finish
