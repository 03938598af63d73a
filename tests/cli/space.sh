#!/bin/bash
# berth space: every count lies between its bounds, the sizes asked for are the sizes shown, and bad
# usage is refused. BERTH is the command under test. LONG=1 looks at all protocols at all sizes that are
# small; without it, at all of them with two processes, and at some more closely.
subcommand=space
rows_in=space
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

# All of them.
all='-n 2' large=snapshot
[ -z "${LONG-}" ] || all='' large=''
# shellcheck disable=SC2086 # the arguments are several words
expect 0 $all --json
check all 'd["version"] == 1' \
    'all(list(r) == ["protocol", "n", "l", "k", "bounded", "values", "upper", "lower", "source"] for r in rows)' \
    'all(r["values"] is not None for r in rows)' \
    'all(r["upper"] is None or r["values"] <= r["upper"] for r in rows)' \
    'all(r["lower"] is None or r["values"] >= r["lower"] for r in rows)' \
    'len({(r["protocol"], r["n"], r["l"]) for r in rows}) == len(rows)'
sizes=$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["space"]))' "$output")
# Every protocol, without variants; except those with unbounded counters (the pool, a registry of tokens, protocols on rankers,
# timestamps as numbers), and fife, which counts with its timestamps. Of snapshot one asks by size: it has more
# states than are few.
protocols=$("$BERTH" protocols --json | python3 -c 'import json, sys
names = [p["protocol"] for p in json.load(sys.stdin)["protocols"] if not p["variant"] and ("ranker" not in p) and
         p["protocol"] not in ("pool", "door", "jayanti-joshi", "ranker-a", "ranker-c", "ranker-s", "timestamps-unbounded", "fife") and
         (p["protocol"] != "snapshot" or sys.argv[1])]
print(sorted(set(names)))' "$large")
check protocols "sorted({r['protocol'] for r in rows}) == $protocols"

# The table has the same rows, under a heading.
# shellcheck disable=SC2086
expect 0 $all
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

# Theorems 4.1, 4.2, 5.1 and 5.2 of Fischer et al. 1979, and a grid of n, l and k.
expect 0 flbb-bank/b -n 3-6 -l 1-2 --json
check bank '[(r["n"], r["l"]) for r in rows] == [(n, l) for n in range(3, 7) for l in (1, 2)]' \
    'all(r["upper"] == (r["l"] + 1) * (r["n"] + 3) for r in rows)' \
    'all(r["lower"] == (r["n"] + 1 if r["l"] == 1 else r["l"] * (r["n"] - r["l"])) for r in rows)'
expect 0 flbb-colored -n 3-5 -l 1-2 -k 1-3 --json
check colored 'len(rows) == 3 * (2 + 2 + 2) and {r["k"] for r in rows} == {1, 2, 3}' \
    '{(r["n"], r["l"]): r["values"] for r in rows} == {(3, 1): 24, (3, 2): 93, (4, 1): 40, (4, 2): 162,
      (5, 1): 60, (5, 2): 252}' \
    'all(r["upper"] == {1: 1, 2: 3, 3: 10}[r["l"]] * (r["l"] + 1) ** 2 * r["n"] ** 2 for r in rows)' \
    'all(r["lower"] >= r["l"] * (r["n"] - r["l"] - 1) * (r["n"] - r["l"] - 2) // 2 for r in rows)'
expect 0 flbb-queue -l 4 -n 5-6 --json
check queue '[(r["n"], r["values"]) for r in rows] == [(5, 326), (6, 1957)]'

# Without a bound there is null; what is cut off says so.
expect 0 bakery -n 2 --json
check bakery 'len(rows) == 1 and rows[0]["n"] == 2 and rows[0]["bounded"] is True' \
    'rows[0]["upper"] is None and rows[0]["lower"] is None and rows[0]["source"] is None'

# A size that some protocols are not made for leaves those out.
expect 0 -n 1 --json
check one '{r["protocol"] for r in rows} == {"burns-bit", "burns-a", "burns-b", "burns-c"}' \
    'all(r["n"] == r["l"] == 1 for r in rows)'

# The plot has what the table has: a dot for each size, and at the right of each panel the numbers of
# the largest one. Where l makes no difference there is one panel for all.
plots=$(mktemp -d)
trap 'rm -rf "$output" "$plots"' EXIT
for arguments in "$all" 'burns-c' 'burns-b -n 4' 'peterson -n 2-3' 'burns-bit -n 15-16'; do
    # shellcheck disable=SC2086 # the arguments are several words
    expect 0 $arguments --json --svg "$plots/space.svg"
    wrong=$(python3 - "$plots/space.svg" "$output" 2>&1 <<'END'
import json, re, sys
import xml.etree.ElementTree as tree

space = '{http://www.w3.org/2000/svg}'
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == space + 'svg', root.tag
height, width = float(root.get('height')), float(root.get('width'))
texts = [(float(t.get('x')), float(t.get('y')), ''.join(t.itertext())) for t in root.iter(space + 'text')]
assert all(0 <= x <= width and 0 <= y <= height for x, y, _ in texts)
words = [text for _, _, text in texts]
assert any(re.search(r'berth \d+\.\d+\.\d+', text) for text in words), words

panels = {}  # the rows of each, by n
for row in json.load(open(sys.argv[2]))['space']:
    numbers = [row[name] for name in ('values', 'upper', 'lower')]
    same = panels.setdefault(row['protocol'], {}).setdefault(row['n'], [])
    if numbers not in same:
        same.append(numbers)
# What differs by l has panels of its own, which are not looked at here.
plain = {name: rows for name, rows in panels.items() if all(len(same) == 1 for same in rows.values())}
assert plain
for name, rows in plain.items():
    titles = [(x, y) for x, y, text in texts if re.fullmatch(re.escape(name) + '(, l = .*)?', text)]
    assert len(titles) == 1, (name, titles)
    left, top = titles[0]
    inside = [text for x, y, text in texts if left <= x < left + 310 and top < y < top + 240]
    for what, number in zip(('reached', 'upper', 'lower'), rows[max(rows)][0]):
        there = [text for text in inside if re.fullmatch(what + r' \d+', text)]
        assert there == ([] if number is None else [f'{what} {number}']), (name, what, number, inside)
    dots = [c for c in root.iter(space + 'circle')
            if left <= float(c.get('cx')) < left + 310 and top < float(c.get('cy')) < top + 240]
    assert len(dots) == len(rows), (name, len(dots), len(rows))
    # More values are higher up.
    heights = [float(c.get('cy')) for c in sorted(dots, key=lambda c: float(c.get('cx')))]
    values = [rows[n][0][0] for n in sorted(rows)]
    for i in range(1, len(values)):
        assert (values[i] > values[i - 1]) == (heights[i] < heights[i - 1]), (name, values, heights)
END
    )
    [ -z "$wrong" ] || complain "the plot of space $arguments: $wrong"
done
expect 125 --svg "$plots/nowhere/space.svg"
[ "$(wc -l <"$output")" -eq 1 ] || complain "a plot that cannot be written: not one line"
expect 125 --svg "$plots"
expect 2 nobody --svg "$plots/nobody.svg"
"$BERTH" space rp-n -n 6 --svg "$plots/interrupted.svg" >/dev/null 2>&1 &
sleep 0.2
kill $!
wait $! 2>/dev/null
[ "$(ls "$plots")" = space.svg ] || complain "other plots: $(ls "$plots")"

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
--svg
-l 0
-k 3-1
-k 1-2 --svg /dev/null
-k
--nothing
LIST

finish
