#!/bin/bash
# berth refute: each theorem refutes a protocol with too few values, the checker agrees with the
# schedule, and a protocol with enough values stops the construction. Tables are read strictly, and
# checked like protocols. BERTH is the command under test, SRC the source.
subcommand=refute
rows_in=theorems
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

tables=$SRC/examples/refute
dir=$(mktemp -d)
trap 'rm -rf "$dir" "$output"' EXIT

# Every theorem against a protocol that has too few values: arguments, then the property that fails.
while IFS='|' read -r theorem arguments property; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 1 $arguments --theorem "$theorem" --json
    check "$theorem: $arguments" 'd["version"] == 1' 'len(rows) == 1' \
        "rows[0]['theorem'] == '$theorem'" 'rows[0]["outcome"] == "refuted"' \
        "rows[0]['property'] == rows[0]['witness']['property'] == '$property'" \
        'rows[0]["replayed"] == "shown"' 'len(rows[0]["witness"]["steps"]) > 0'
done <<LIST
4.4|--table $tables/one.table|exclusion
4.5|burns-a/merged -n 3|bounded-waiting
4.9|burns-a/merged -n 5|bounded-waiting
4.9|burns-bit -n 2|bounded-waiting
4.9|--table $tables/ticket.table|bounded-waiting
4.10|burns-bit -n 2|lockout-free
4.10|burns-a/merged -n 4|lockout-free
4.10|--table $tables/ticket.table|exclusion
4.12|burns-bit -n 3|lockout-free
4.12|--table $tables/bit.table -n 9|lockout-free
5.1|--table $tables/count.table|bounded-waiting
5.2|--table $tables/colored-one.table|l-full
5.2|burns-bit -n 4|l-full
5.2|flbb-colored/few-colors -n 5 -l 2|l-full
5.3|--table $tables/count.table|bounded-waiting-enabling
5.3|--table $tables/bank.table|kl-deadlock-free
LIST

# And against one that has enough.
while IFS='|' read -r theorem arguments; do
    # shellcheck disable=SC2086
    expect 0 $arguments --theorem "$theorem" --json
    check "$theorem: $arguments" 'rows[0]["outcome"] == "stopped"' 'rows[0]["property"] is None' \
        'rows[0]["witness"] is None' 'rows[0]["how"] != ""'
done <<LIST
4.4|burns-bit -n 3
4.5|burns-a -n 5
4.9|burns-a -n 5
4.9|burns-b -n 4
4.10|burns-c -n 5
4.10|--table $tables/three.table
4.12|burns-c -n 5
5.1|--table $tables/bank.table
5.2|--table $tables/colored.table
5.2|flbb-queue -n 5 -l 2
5.3|--table $tables/colored.table
5.3|flbb-queue -n 5 -l 2
LIST

# Where all N + 1 values are different, they are shown.
expect 0 burns-a -n 4 --theorem 4.9 --json
check points 'rows[0]["how"] == "all N + 1 values V(q0) to V(q4) are different"' \
    '[p["name"] for p in rows[0]["points"]] == ["q0", "q1", "q2", "q3", "q4"]' \
    '[p["value"] for p in rows[0]["points"]] == ["FREE", "S0", "S1", "S2", "S3"]' \
    'rows[0]["bound"] == 5'

# Only what is claimed, unless all are wanted.
expect 0 burns-c -n 4 --json
check claimed '[r["theorem"] for r in rows] == ["4.4", "4.10", "4.12"]'
expect 1 burns-c -n 4 --all --json
check all '[r["theorem"] for r in rows] == ["4.4", "4.5", "4.9", "4.10", "4.12", "5.1", "5.2", "5.3"]'
expect 0 --table "$tables/count.table"
grep -q '^no theorem is about what it claims' "$output" || complain "count.table: no word about it"

# For a person: the case, the schedule, and what the checker says of it.
expect 1 burns-a/merged -n 3 --theorem 4.9
for line in '^  V(q0) = FREE, V(q1) = S0, V(q2) = S1, V(q3) = S1$' \
    '^  refuted: case 1: V(q2) = V(q3) = S1$' '^bounded-waiting fails: while P2 waits' \
    '^  replayed by the checker: bounded-waiting fails on this schedule$'; do
    grep -q -- "$line" "$output" || complain "no line like $line"
done

# The schedule is one: a plain reading of the table does the same steps.
expect 1 --table "$tables/bit.table" -n 3 --theorem 4.12 --json
python3 - "$tables/bit.table" "$output" >"$dir/replay" 2>&1 <<'END' || complain "$(cat "$dir/replay")"
import json, sys
delta = {}
for line in open(sys.argv[1]):
    words = line.split("#")[0].split()
    if "->" in words:
        delta[words[0], words[1]] = words[3], words[4]
witness = json.load(open(sys.argv[2]))["theorems"][0]["witness"]
v, at, trace = "0", ["R0"] * 3, []
for step in witness["steps"]:
    p = step["process"]
    trace.append((v, tuple(at), p))
    v, at[p] = delta.get((at[p], v)) or delta[at[p], "*"]
    assert (v, at[p]) == (step["value"], step["locals"]), (v, at, step)
cycle = trace[witness["stem"]:]
assert (v, tuple(at)) == cycle[0][:2], "no cycle"
stuck = [p for p in range(3) if all(state[p] == "T0" for _, state, _ in cycle)]
moving = {p for _, _, p in cycle}
assert stuck and set(stuck) <= moving, "nobody is locked out"
assert all(p in moving or cycle[0][1][p] == "R0" for p in range(3)), "not admissible"
END

# Generated tables: those that are shipped are up to date; others, of other sizes.
while read -r name arguments; do
    # shellcheck disable=SC2086
    "$tables/tables.py" $arguments >"$dir/$name"
    cmp "$dir/$name" "$tables/$name" || complain "$name is stale: tables.py $arguments"
done <<'LIST'
ticket.table ticket 3 1 2
count.table count 4 2
bank.table bank 3 2 3
colored.table colored 4 1 2
colored-one.table colored 4 1 1
LIST
while read -r status arguments; do
    # shellcheck disable=SC2086
    "$tables/tables.py" $arguments >"$dir/t.table"
    expect "$status" --table "$dir/t.table" --json
    check "$arguments" 'len(rows) > 0' \
        'all(r["outcome"] != "refuted" or r["replayed"] == "shown" for r in rows)'
done <<'LIST'
0 ticket 4 1 4
1 ticket 5 1 3
0 queue 3 2
0 queue 4 1
0 colored 5 1 2
1 colored 5 1 1
LIST

# berth check takes the same tables.
subcommand=check
rows_in=claims
for name in bit three count bank colored; do
    expect 0 --table "$tables/$name.table" --json
    check "$name" 'd["verdict"] == "as-claimed"' 'len(rows) > 0'
done
for name in one ticket colored-one; do
    expect 1 --table "$tables/$name.table" --json
    check "$name" 'd["verdict"] == "refuted"'
done
expect 0 --table "$tables/bit.table" -n 5 --json
check bit 'd["states"] == 111 and d["transitions"] == 555'
sed '/^claims/d' "$tables/bit.table" >"$dir/plain.table"
expect 0 --table "$dir/plain.table" --json
check plain 'all(r["claimed"] is None for r in rows)' \
    '{r["property"]: r["holds"] for r in rows}["lockout-free"] is False' \
    '{r["property"]: r["holds"] for r in rows}["exclusion"] is True'

# Bad usage: one line, and nothing else.
subcommand=refute
printf 'berth-table 1\nprocesses 2\nvalues 0\nremainder R\nprogram\nR 0 -> 0 R\n' >"$dir/bad.table"
expect 2 --table "$dir/bad.table"
[ "$(cat "$output")" = "berth: $dir/bad.table:6: a step may not lead from R (remainder) to R (remainder)" ] ||
    complain "bad.table: another message"
mkdir "$dir/folder"
while read -r arguments; do
    # shellcheck disable=SC2086
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "refute $arguments: not one line"
done <<LIST

nobody
burns-a burns-b
burns-a --table $tables/bit.table
burns-a -n 0
burns-a -n 13
burns-a -l 2
burns-a --theorem 4.6
burns-a --nothing
burns-a --memory much
rp-two
rp-n
pool
--table $dir/nothing.table
--table $dir/folder
--table /dev/null
LIST

# Too little memory is reported.
expect 3 burns-bit -n 12 --theorem 4.12 --memory 64K

finish
