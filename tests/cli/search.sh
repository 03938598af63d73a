#!/bin/bash
# berth search: the counts are those of an independent enumeration, what the theorems say is not
# contradicted, and what is found is what the checker finds. BERTH is the command under test.
subcommand=search
rows_in=found
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

dir=$(mktemp -d)
trap 'rm -rf "$dir" "$output"' EXIT

# Against every table of the size, one by one.
while read -r arguments; do
    # shellcheck disable=SC2086
    expect 0 $arguments --json
    # shellcheck disable=SC2086
    counted=$("$SRC/tests/oracle/search.py" $arguments) || complain "search.py $arguments"
    check "$arguments" 'd["version"] == 1' 'd["all"] is True' \
        "[[r['deadlock_free'], r['lockout_free'], r['bounded_waiting']] for r in rows] == $counted"
done <<'LIST'
--values 2
--values 2 --exit 1
--values 2 --remainder 2
--values 1 --trying 2 --exit 1
LIST

# Corollary 4.8: with two values somebody is locked out, memory or not, one program or two.
while read -r arguments; do
    # shellcheck disable=SC2086
    expect 0 --values 2 $arguments --json
    check "$arguments" 'all(r["lockout_free"] == 0 for r in rows)' 'rows[0]["deadlock_free"] == 0' \
        'd["cut"]["exclusion"] > 0' 'd["chosen"] < d["tables"]'
done <<'LIST'
--trying 2
--trying 2 --exit 1
--remainder 2 --exit 1
--distinct
--distinct --exit 1 --goal lockout-free
LIST

# With three, nobody has to be: what is found is read and checked as a table.
expect 0 --values 3 --exit 1 --goal lockout-free --write "$dir/found.table" --json
check three 'rows[2]["lockout_free"] > 0' 'rows[1]["lockout_free"] == 0' \
    'all(r["bounded_waiting"] == 0 for r in rows)'
grep -q '^claims exclusion deadlock-free lockout-free$' "$dir/found.table" || complain "found.table"
"$BERTH" check --table "$dir/found.table" >"$output" || complain "found.table: not what it claims"
"$BERTH" check --table "$SRC/examples/refute/three.table" >"$output" || complain "three.table"
expect 0 --values 1 --write "$dir/kept.table"
[ ! -e "$dir/kept.table" ] || complain "nothing was found, and something was written"

# For a person.
expect 0
grep -qE '^ +2 +2 +0 +0$' "$output" || complain "no row for two values"
expect 3 --values 3 --trying 3 --exit 2 --time 0.1
grep -q 'the search was not finished' "$output" || complain "not said to be incomplete"

while read -r arguments; do
    # shellcheck disable=SC2086
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "search $arguments: not one line"
done <<'LIST'
something
--values 0
--values 5
--values many
--remainder 0
--trying 11
--trying 9 --exit 9
--goal fifo
--time never
--nothing
LIST

# Ctrl-C: what was found so far, and status 3.
"$BERTH" search --values 4 --trying 3 --exit 2 >"$output" 2>&1 &
searching=$!
sleep 0.5
kill -TERM "$searching"
wait "$searching"
[ $? -eq 3 ] || complain "interrupted: not status 3"
grep -q 'so far, and the search was not finished' "$output" || complain "interrupted: nothing is known"

finish
