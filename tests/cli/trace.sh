#!/bin/bash
# berth trace, and berth check --witness FILE.html: the same run as text, as JSON and as a page; the
# schedule of a witness makes the witness again; a file appears whole or not at all. BERTH is the
# command under test.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
# shellcheck disable=SC2034 # lib.bash uses them
subcommand=trace rows_in=steps
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"
dir=$(mktemp -d)
trap 'rm -rf "$dir"; rm -f "$output"' EXIT

# data FILE EXPRESSION...: Python expressions over d, the data in a page.
data() {
    local wrong
    wrong=$(python3 - "$@" <<'END' 2>&1
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
d = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
for expression in sys.argv[2:]:
    if not eval(expression):
        print("not so:", expression)
END
    )
    [ -z "$wrong" ] || complain "$1: $wrong"
}

# One after the other, and the same each time.
expect 0 peterson -n 2 --steps 6
[ "$(sed -n 3p "$output")" = "     3  P0 last       last[0] := 0; j=1 q=1" ] || complain "another third step"
[ "$(wc -l <"$output")" -eq 6 ] || complain "not 6 steps"
expect 0 peterson -n 2 --steps 6 "$dir/run.txt"
[ ! -s "$output" ] || complain "prints something as well as writing the file"
"$BERTH" trace peterson -n 2 --steps 6 | cmp -s - "$dir/run.txt" || complain "the file is not the text"

# At random: a seed is a run.
for seed in 1 2 18446744073709551615; do
    "$BERTH" trace rp-n -n 3 --random $seed --steps 300 "$dir/a.json" || complain "seed $seed"
    "$BERTH" trace rp-n -n 3 --random $seed --steps 300 "$dir/b.json"
    cmp -s "$dir/a.json" "$dir/b.json" || complain "seed $seed: two runs"
done
"$BERTH" trace rp-n -n 3 --random 2 --steps 300 "$dir/b.json"
cmp -s "$dir/a.json" "$dir/b.json" && complain "two seeds, one run"
cp "$dir/b.json" "$output"
check "at random" 'd["version"] == 1' 'd["protocol"] == "rp-n"' 'd["n"] == 3' 'd["fault"] == "death"' \
    'len(rows) == 300' '{s["process"] for s in rows} == {0, 1, 2}' \
    'any(s["label"] == "dies" for s in rows)' 'len(d["schedule"].split()) == 300' \
    'all(s["label"] == "dies" for s, w in zip(rows, d["schedule"].split()) if w.endswith("!"))'

# A schedule is made as it is written, and that of a witness makes the witness again.
"$BERTH" check rp-n/printed -n 2 --witness "$dir/w.json" >/dev/null
schedule=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["witnesses"][0]["schedule"])' "$dir/w.json")
expect 0 rp-n/printed -n 2 --schedule "$schedule" "$dir/again.json"
cp "$dir/again.json" "$output"
check "the witness again" "rows == json.load(open('$dir/w.json'))['witnesses'][0]['steps']" \
    '[s["region"] for s in rows].count("critical") == 2'
expect 0 pool -n 2 --schedule '0, 1 1!' "$dir/kill.json"
cp "$dir/kill.json" "$output"
check "a kill" 'd["schedule"] == "0 1 1!"' 'rows[2]["region"] == "dead"' 'rows[2]["label"] == "is killed"'

# A page: the same steps, the sources, and nothing from elsewhere.
expect 0 rp-n/printed -n 2 --schedule "$schedule" "$dir/run.html"
data "$dir/run.html" 'len(d["runs"]) == 1' "len(d['runs'][0]['steps']) == $(wc -w <<<"$schedule")" \
    'sorted(d["files"]) == ["src/protocol/rivest-pratt/n.c", "src/protocol/rivest-pratt/race.inc"]' \
    "d['files']['src/protocol/rivest-pratt/race.inc'] == open('$SRC/src/protocol/rivest-pratt/race.inc').read()" \
    'all(d["strings"][d["places"][s[1]][1]] in d["files"] for s in d["runs"][0]["steps"])' \
    'd["enabling"] is True' 'd["runs"][0]["steps"][-1][8] == 1' 'd["runs"][0]["steps"][-2][8] == 0' \
    'not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)' 'text.count("</script>") == 2'
"$BERTH" trace rp-n/printed -n 2 --schedule "$schedule" "$dir/twice.html"
cmp -s "$dir/run.html" "$dir/twice.html" || complain "two pages of one run"
expect 0 pool -n 3 -l 2 --random 7 --steps 2000 "$dir/long.html"
[ "$(stat -c %s "$dir/long.html")" -lt 300000 ] || complain "2,000 steps take $(stat -c %s "$dir/long.html") bytes"
data "$dir/long.html" 'len(d["runs"][0]["steps"]) == 2000' 'd["enabling"] is False' 'd["unknown"] != ""'

# The witnesses of a check, those that refute something first.
"$BERTH" check burns-c/printed -n 5 --witness "$dir/lock.html" >/dev/null
data "$dir/lock.html" 'd["runs"][0]["property"] == "lockout-free"' 'd["runs"][0]["claimed"] is True' \
    'd["runs"][0]["cycle"] is True' '0 < d["runs"][0]["stem"] < len(d["runs"][0]["steps"])'
"$BERTH" check burns-bit -n 2 --only exclusion --witness "$dir/none.html" >/dev/null ||
    complain "burns-bit: status $?"
data "$dir/none.html" 'd["runs"] == []'

# Every protocol has a page. All of them are looked at by one Python, since to start one takes long.
mkdir "$dir/each"
for protocol in $("$BERTH" protocols --json |
    python3 -c 'import json, sys; [print(p["protocol"]) for p in json.load(sys.stdin)["protocols"]]'); do
    case $protocol in # by default, so few operations in all
    snapshot* | timestamps-bounded*) limit="--limit 1000" ;;
    *) limit= ;;
    esac
    # shellcheck disable=SC2086
    expect 0 "$protocol" --random 1 --steps 50 $limit "$dir/each/${protocol//\//,}.html"
done
python3 - "$dir"/each/*.html >"$output" 2>&1 <<'END' || complain "the pages of all protocols"
import json, os, re, sys
wrong = 0
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    d = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
    steps = d["runs"][0]["steps"]
    if not (d["protocol"] == os.path.basename(path)[:-5].replace(",", "/") and len(steps) == 50 and
            d["file"] in d["files"] and all(s[0] < d["n"] * 3 for s in steps)):
        print(path)
        wrong += 1
sys.exit(wrong > 0 or len(sys.argv) < 100)
END

# Bad usage, and files that cannot be written.
for words in "" "nonesuch" "rp-two -n 3" "rp-two --steps 0" "rp-two --steps 99999" "rp-two --random x" \
    "rp-two --schedule 2" "rp-two --schedule 0x" "rp-two --schedule 0?" "rp-two --fault none --schedule 0!" \
    "rp-two --schedule 0! x.txt" "rp-two --schedule 0 --random 1" "rp-two --schedule 0 --steps 2" \
    "rp-two a.txt b.txt" "rp-two $dir/none/x.html" "rp-two $dir" "rp-two --none" "rp-two --steps"; do
    # shellcheck disable=SC2086
    expect 2 $words
    [ "$(wc -l <"$output")" -eq 1 ] || complain "trace $words: not one line"
done
mkdir "$dir/full"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=16k none "$dir/full" 2>/dev/null; then
    expect 125 rp-two --random 1 --steps 2000 "$dir/full/x.html"
    [ -z "$(ls -A "$dir/full")" ] || complain "half a file was left: $(ls "$dir/full")"
    umount "$dir/full"
fi
[ -z "$(find "$dir" -name '*.html.*')" ] || complain "temporary files were left"

expect 0 --help
grep -q -- '--schedule TEXT' "$output" || complain "no help"
finish
