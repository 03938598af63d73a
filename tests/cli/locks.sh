#!/bin/bash
# berth bench --locks: every lock is measured, those without mutual exclusion are reported and no others, and bad
# usage is refused. Speed is not judged here. BERTH is the command under test.
subcommand=bench
rows_in=locks
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

expect 0 --locks --quick --json
check all 'd["version"] == 1 and d["quick"] is True and d["seconds"] > 0' \
    '{r["threads"] for r in rows} >= {1, 2, 4} or {r["threads"] for r in rows} >= {1, 2, 8}' \
    'all(r["samples"] == 3 and r["entries"] > 0 and not r["stuck"] for r in rows)' \
    'all(r["ns_per_pair"] > 0 and 0 < r["fairness"] <= 1.0001 and 0 <= r["least"] <= 1 for r in rows)' \
    'all(r["ratio"] == 1 for r in rows if r["lock"] == "pthread_mutex")' \
    'all(r["fairness"] == 1 and r["least"] == 1 and r["violations"] == 0 for r in rows if r["threads"] == 1)' \
    '{r["lock"] for r in rows if r["violations"] > 0} <= {"hyman", "rp-linear"}' \
    '{"dekker", "dijkstra", "knuth", "mcs", "clh", "ticket-lock", "peterson"} <= {r["lock"] for r in rows}' \
    'not {"pool", "l-assignment", "drinking", "snapshot"} & {r["lock"] for r in rows}' \
    'all(r["threads"] <= 2 for r in rows if r["lock"] in ("dekker", "hyman"))'

expect 0 --quick --lock mcs --lock ticket-lock -n 3 --json
check some '[(r["lock"], r["threads"]) for r in rows] == [("pthread_mutex", 3), ("ticket-lock", 3), ("mcs", 3)]'

expect 0 --quick --lock clh -n 1
grep -qE '^clh +[0-9.]+ ' "$output" || complain "no line for clh"

while read -r arguments; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "bench $arguments: not one line"
done <<'LIST'
--lock nobody
--lock pool
--lock mcs/swap
--locks -n 65
--locks -n 0
--locks --only contended
--locks --subject berth
--locks --svg plot.svg
-n 1
LIST

finish
