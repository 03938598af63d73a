#!/bin/bash
# berth space: every count lies between its bounds, the sizes asked for are the sizes shown, and bad
# usage is refused. BERTH is the command under test.
subcommand=space
rows_in=space
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

# All of them, as far as they are small.
expect 0 --json
check all 'd["version"] == 1' \
    'all(list(r) == ["protocol", "n", "l", "k", "bounded", "values", "upper", "lower", "source"] for r in rows)' \
    'all(r["values"] is not None for r in rows)' \
    'all(r["upper"] is None or r["values"] <= r["upper"] for r in rows)' \
    'all(r["lower"] is None or r["values"] >= r["lower"] for r in rows)' \
    'all("/" not in r["protocol"] for r in rows)' \
    'len({(r["protocol"], r["n"], r["l"]) for r in rows}) == len(rows)'
sizes=$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["space"]))' "$output")
for protocol in $("$BERTH" protocols --json |
    python3 -c 'import json, sys; print(*[p["protocol"] for p in json.load(sys.stdin)["protocols"]])'); do
    case $protocol in
    */* | pool) ;; # the pool's words count for ever
    *) check "$protocol" "any(r['protocol'] == '$protocol' for r in rows)" ;;
    esac
done

# The table has the same rows, under a heading.
expect 0
[ "$(sed '/^$/,$d' "$output" | wc -l)" -eq $((sizes + 1)) ] || complain "not $sizes rows"
[ "$(head -n 1 "$output" | tr -s ' ')" = "protocol n l k values upper lower" ] ||
    complain "another heading"
grep -qE '^burns-a +2 +1 +1 +7 +8 +3  fewer than the upper bound$' "$output" ||
    complain "burns-a, n = 2: no note"

# What the papers say: Theorem 3.1, 3.2 and Theorem 4.9 of Burns et al. 1982.
expect 0 burns-bit --json
check burns-bit 'all(r["values"] == 2 for r in rows)'
expect 0 burns-b -n 2-6 --json
check burns-b '[r["n"] for r in rows] == [2, 3, 4, 5, 6]' \
    'all(r["values"] == r["upper"] == r["n"] + 3 for r in rows)' \
    'all(r["lower"] == r["n"] + 1 for r in rows)'

# Without a bound there is null; what is cut off says so.
expect 0 bakery -n 2 --json
check bakery 'len(rows) == 1 and rows[0]["n"] == 2 and rows[0]["bounded"] is True' \
    'rows[0]["upper"] is None and rows[0]["lower"] is None and rows[0]["source"] is None'

# A size that some protocols are not made for leaves those out.
expect 0 -n 3 --json
check three 'all(r["n"] == 3 for r in rows)' 'all(r["protocol"] != "rp-two" for r in rows)'

# Bad usage: one line, and nothing else.
while read -r arguments; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 2 $arguments
    [ "$(wc -l <"$output")" -eq 1 ] || complain "space $arguments: not one line"
done <<'LIST'
nobody
rp-two/nobody
rp-two burns-a
rp-two -n 3
burns-a -n 16
-n
-n 0
-n many
-n 3-2
-n 2-
-n 2-3-4
-n 1000
--nothing
LIST

finish
