#!/bin/bash
# tools/results --html, for a few protocols: the page says what berth check says, all of its links lead
# somewhere, those to a witness to the property that they stand beside; a second run gives the same
# bytes, and --check says where a page is not that any more. That the whole pages in docs are up to date is for cli/results. BERTH and SRC are set by ctest.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
only="--only peterson,rp-n,burns-bit,burns-c,flbb-bank/a --most 10000"
# shellcheck disable=SC2086 # the words are the point
results() { "$SRC/tools/results" --html --out "$dir/one" "$@" $only; }
results || { echo "tools/results: status $?"; exit 1; }
cp -r "$dir/one" "$dir/two"
results --check || { echo "two runs, two results"; exit 1; }
diff -r "$dir/one" "$dir/two" || { echo "--check has written something"; exit 1; }
sed -i '0,/deadlock-free/s//deadlock-freed/' "$dir/one/results.html"
sed -i 's/"value"/"valve"/; s/breaks/brakes/' "$dir/one/witnesses.html"
if results --check >"$dir/said" 2>&1; then
    echo "stale pages are not noticed"
    exit 1
fi
for page in results witnesses; do
    grep -q "$page.html is stale" "$dir/said" || { echo "$page.html is not said to be stale"; exit 1; }
done
cp "$dir/two/"* "$dir/one/"
[ -z "$(find "$dir/one" -name '.*' -mindepth 1)" ] || { echo "something was left"; exit 1; }
for words in "--reads --check" "--out x" "--only rp-n" "--measure slowly" "--none"; do
    # shellcheck disable=SC2086
    "$SRC/tools/results" $words >/dev/null 2>&1
    [ $? -eq 2 ] || { echo "tools/results $words is not refused"; exit 1; }
done
# The page shows what was measured, and the other load on the machine.
mkdir "$dir/bench"
echo '{"version": 1, "machine": {"cpu": "Z", "cores": 2, "kernel": "Linux 6.1", "load": 3.5}, "quick": true,
"bench": [{"case": "contended", "subject": "<berth>", "ns_per_pair": 12.5}]}' >"$dir/bench/bench.json"
echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >"$dir/bench/bench.svg"
"$SRC/tools/results" --html --out "$dir/bench" --only burns-bit || exit 1
for words in '&lt;berth&gt;' 'Z, 2 cores, Linux 6.1' 'a load of 3.5' 'src="data:image/svg'; do
    grep -qF "$words" "$dir/bench/results.html" || { echo "the page does not have $words"; exit 1; }
done

exec python3 - "$dir/one" <<'END'
import base64, hashlib, html.parser, json, os, re, subprocess, sys

folder, berth, wrong = sys.argv[1], os.environ["BERTH"], []
text = open(os.path.join(folder, "results.html"), encoding="utf-8").read()


class Page(html.parser.HTMLParser):
    """Links, ids, and the tables: rows of cells, each with its text and link."""
    def __init__(self):
        super().__init__()
        self.links, self.ids, self.tables, self.heading, self.inside = [], set(), [], "", None

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            self.ids.add(found["id"])
        if tag == "h3":
            self.heading, self.inside = "", "h3"
        if tag == "table":
            self.tables.append((self.heading, []))
        if tag == "tr":
            self.tables[-1][1].append([])
        if tag in ("td", "th"):
            self.tables[-1][1][-1].append(["", None])
            self.inside = "cell"
        if tag == "a":
            self.links.append(found["href"])
            if self.inside == "cell":
                self.tables[-1][1][-1][-1][1] = found["href"]

    def handle_endtag(self, tag):
        if tag in ("h3", "td", "th"):
            self.inside = None

    def handle_data(self, data):
        if self.inside == "h3":
            self.heading += data
        elif self.inside == "cell":
            self.tables[-1][1][-1][-1][0] += data


page = Page()
page.feed(text)
if re.search(r"https?://", text):
    wrong.append("something is loaded from elsewhere")
# One script, which the policy of the page knows by its hash.
scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, re.S)
digest = base64.b64encode(hashlib.sha256("".join(scripts).encode()).digest()).decode()
if len(scripts) != 1 or f"script-src 'sha256-{digest}'" not in text:
    wrong.append(f"{len(scripts)} scripts, or one that is not allowed")


witnesses = open(os.path.join(folder, "witnesses.html"), encoding="utf-8").read()
book = json.loads(re.search(r'id="data">(.*?)</script>', witnesses, re.S)[1])
used = set()
for link in page.links:
    if link.startswith("#") and link[1:] not in page.ids:
        wrong.append(f"nothing is at {link}")
    elif not link.startswith("#"):
        match = re.fullmatch(r"witnesses\.html#of=([a-z0-9-]+)&run=(\d+)", link)
        if not match or not 1 <= int(match[2]) <= len(book["book"].get(match[1], {"runs": []})["runs"]):
            wrong.append(f"{link} leads nowhere")
        else:
            used.add(match[1])
if used != set(book["book"]) or not used:
    wrong.append(f"links to {used}, and there are {set(book['book'])}")
for name, data in book["book"].items():
    if not data["files"] or not all(path in book["files"] for path in data["files"]):
        wrong.append(f"{name}: a source is missing")

seen = 0
for heading, rows in page.tables:
    name = heading.split(":")[0]
    if not heading or rows[0][0][0] != "property":
        continue
    for column in range(3, len(rows[0])):
        size = rows[0][column][0].split()
        words = [berth, "check", name, "--whole", "--threads", "1", "--json"]
        for word in size:
            if word[1:2] == "=":
                words += [f"-{word[0]}", word[2:]]
        if size[-1] in ("death", "sleep", "kill"):
            words += ["--fault", size[-1]]
        found = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=False).stdout)
        for row in rows[1:]:
            what, (shown, link) = row[0][0], row[column]
            line = next((line for line in found["claims"] if line["property"] == what), None)
            if line is None:
                if what != "verdict" and shown not in ("-", f"{found[what]:,}"):
                    wrong.append(f"{name} {size}: {what} {shown}, not {found[what]}")
                if what == "verdict" and shown != found["verdict"]:
                    wrong.append(f"{name} {size}: {shown}, not {found['verdict']}")
                continue
            seen += 1
            if not shown.startswith({True: "holds", False: "fails", None: "not decided"}[line["holds"]]):
                wrong.append(f"{name} {size} {what}: {shown}")
            if line["witness_steps"] is not None and f"{line['witness_steps']:,} step" not in shown:
                wrong.append(f"{name} {size} {what}: {shown}, not {line['witness_steps']} steps")
            if link:
                of, run = re.fullmatch(r"witnesses\.html#of=(.*)&run=(.*)", link).groups()
                target = book["book"][of]["runs"][int(run) - 1]
                if target["claimed"] != line["claimed"]:
                    wrong.append(f"{link}: claimed {target['claimed']}, not {line['claimed']}")
                if target["property"] != what or len(target["steps"]) != line["witness_steps"]:
                    wrong.append(f"{link} is about {target['property']}, not {what}")
if seen < 30:
    wrong.append(f"only {seen} answers were looked at")
print("\n".join(wrong) or f"{seen} answers, {len(used)} with witnesses: all as expected")
sys.exit(bool(wrong))
END
