"""results.html: what tools/results finds, to be looked at; with the witnesses in one page beside it.

results.html has nothing from elsewhere, and one script, for the search; without it all is there to be
read. witnesses.html is the page of `berth check
--witness FILE.html`, as a book: the data of all of them, with each source once.
"""
import base64
import hashlib
import html
import json
import os
import re

STYLE = """\
:root { color-scheme: light dark; font-size: clamp(15px, 0.35vw + 11px, 22px);
  --paper: light-dark(#f6f5f1, #14171c); --card: light-dark(#fff, #1d2128);
  --ink: light-dark(#1c1f24, #e8eaee); --dim: light-dark(#535a67, #a3abb8);
  --line: light-dark(#d9d7d0, #353b46); --accent: light-dark(#0b5fb0, #7cb8ff);
  --good: light-dark(#1a6b3c, #7fd6a2); --bad: light-dark(#b3172b, #ff9ea2);
  --good-soft: light-dark(#e6f3ea, #1b3326); --bad-soft: light-dark(#fde8e8, #3a1e23);
  --known-soft: light-dark(#fbf1db, #352b17); --known: light-dark(#7a5200, #f0c36a); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 100rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 0.3rem; } h2 { font-size: 1.2rem; margin: 0; } h3 { font-size: 1rem; margin: 1rem 0 0.3rem; }
p { margin: 0.3rem 0; max-width: 60rem; }
a { color: var(--accent); }
code { font-family: "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.88em; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.9rem 1.1rem; margin: 0.9rem 0; }
.dim { color: var(--dim); }
.entry { display: grid; grid-template-columns: 15rem minmax(14rem, 2fr) 5rem minmax(0, 3fr); gap: 0.2rem 1rem;
  padding: 0.35rem 0; border-top: 1px solid var(--line); font-size: 0.92rem; align-items: baseline; }
.entry.variant > :first-child { padding-left: 1.2rem; }
.entry > * { overflow-wrap: anywhere; }
.chips { display: flex; flex-wrap: wrap; gap: 0.25rem 0.4rem; }
.chips span { padding: 0 0.4rem; border-radius: 0.4rem; white-space: nowrap; border: 1px solid transparent; }
.chips .open { border-color: var(--line); }
th:first-child { position: sticky; left: 0; background: var(--card); }
h3:target, dt:target { scroll-margin-top: 4rem; outline: 0.15rem solid var(--accent); outline-offset: 0.2rem; border-radius: 0.2rem; }
img { display: block; min-width: 50rem; width: 100%; max-width: 75rem; border: 1px solid var(--line); border-radius: 0.4rem; }
summary { cursor: pointer; padding: 0.4rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.22rem 0.7rem; border: 1px solid var(--line); text-align: left; white-space: nowrap; }
th { font-weight: 600; } thead th { color: var(--dim); font-weight: 500; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.source { white-space: normal; min-width: 9rem; max-width: 22rem; color: var(--dim); }
.holds { background: var(--good-soft); } .holds::before { content: "\\2713  "; color: var(--good); font-weight: 700; }
.fails { background: var(--bad-soft); } .fails::before { content: "\\2717  "; color: var(--bad); font-weight: 700; }
.known { background: var(--known-soft); } .known::before { content: "\\2717  "; color: var(--known); font-weight: 700; }
.open::before { content: "?  "; font-weight: 700; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; font-size: 0.92rem; }
dl > div { display: contents; }
[hidden] { display: none !important; }
.search { position: sticky; top: 0; z-index: 2; background: var(--paper); padding: 0.5rem 0; display: flex; flex-wrap: wrap; gap: 0.3rem 0.8rem; align-items: center; }
.search input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--dim); border-radius: 0.4rem;
  padding: 0.35rem 0.7rem; min-height: 2.2rem; flex: 0 1 30rem; min-width: 0; }
:focus-visible { outline: 0.15rem solid var(--accent); outline-offset: 0.1rem; }
dt { font-weight: 600; } dd { margin: 0; }
@media (max-width: 40rem) { .source, .checks th:nth-child(3) { display: none; } .entry { grid-template-columns: 1fr; gap: 0.1rem; } .entry.variant { padding-left: 1rem; } .entry.variant > :first-child { padding-left: 0; } .dim:empty { display: none; } th, td { padding: 0.22rem 0.4rem; } dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.4rem; } body { padding: 0.6rem; } }
@media print { .search { display: none; } :root { color-scheme: light; font-size: 10px; } section { border: 0; padding: 0; } body { background: #fff; max-width: none; print-color-adjust: exact; }
  tr, .entry, h3 { break-inside: avoid; } h2, h3 { break-after: avoid; } .wide { overflow: visible; } th:first-child { position: static; } img { min-width: 0; } }
"""

SEARCH = """\
<div class="search" id="searchbox" role="search" hidden><input type="search" id="search" placeholder="Search: a name, a property, an author"
aria-label="Search in what was found" aria-keyshortcuts="/" autocomplete="off"><span class="dim" id="found" role="status"></span></div>
"""


def text(value):
    return html.escape(str(value))


def cell(value, kind="td", style=""):
    return f"<{kind}{f' class={chr(34)}{style}{chr(34)}' if style else ''}>{value}</{kind}>"


def table(head, rows, style=""):
    """Cells are HTML already."""
    return (f'<div class="wide {style}"><table><thead><tr>' + "".join(cell(h, "th") for h in head) +
            "</tr></thead><tbody>" + "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows) +
            "</tbody></table></div>\n")


def anchor(name):
    return name.replace("/", "-")


def paper(citation):
    """Its authors and the year; ours is marked as ours, whatever it is based on."""
    if citation.startswith("ours"):
        return "Our own"
    return re.match(r"(?:after )?(.*?\d{4})", citation)[1]


def words_of(protocol):
    """What it is found by, in addition to what is shown of it."""
    return text(f"{protocol['title']} {protocol['citation']}")


def is_broken(protocol):
    return protocol["about"].startswith("broken")


def sentence(words):
    """With a full stop; and a capital, unless it begins with a name such as n."""
    return re.sub(r"^[a-z](?=[a-z])", lambda letter: letter[0].upper(), words) + "."


# ---- the page of `berth check --witness FILE.html` ----

def _parts(page):
    return re.fullmatch(r'(.*id="data">)(.*?)(</script>.*)', page, re.S).groups()


def data_of(page):
    return json.loads(_parts(page)[1])


def shell_of(page):
    """What comes before the data and after it, for a book."""
    before, _, after = _parts(page)
    return re.sub("<title>.*?</title>", "<title>witnesses - berth</title>", before), after


def pages_in(book):
    """The data of each page that a book was made of."""
    if not book:
        return []
    data = data_of(book)
    return [{**page, "files": {name: data["files"][name] for name in page["files"]}}
            for page in data["book"].values()]


def digest(data):
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()


class Report:
    def __init__(self, results, given):
        self.results = results
        self.given = given
        self.book = {"version": 1, "home": "results.html", "files": {}, "book": {}}
        listed = results.berth("protocols")
        self.meanings = {entry["property"]: entry["meaning"] for entry in listed["properties"]}
        self.protocols = [protocol for protocol in listed["protocols"] if self.wanted(protocol)]
        self.found = {protocol["protocol"]: self.check(protocol) for protocol in self.protocols}

    # ---- what is there ----

    def sizes(self, protocol):
        sizes = [size for size in self.results.sizes_of(protocol)
                 if self.given.most is None or size.get("states", 0) <= self.given.most]
        return sizes or self.results.sizes_of(protocol)[:1]

    def wanted(self, protocol):
        names = self.given.only.split(",") if self.given.only else None
        return names is None or any(f"{protocol['protocol']}/".startswith(f"{name}/") for name in names)

    def check(self, protocol):
        """All sizes, each with a name in the book, or None; there, at the first size at which it fails,
        is each property that does."""
        found, shown = [], set()
        for number, size in enumerate(self.sizes(protocol)):
            result = self.results.check(protocol, size)
            fails = {line["property"] for line in result["claims"]
                     if line["holds"] is False and line["witness_steps"] is not None}
            name = f"{anchor(protocol['protocol'])}-{number + 1}" if fails - shown else None
            if name is not None:
                self.add_to_book(name, self.results.page_of(protocol, size))
            found.append((result, name))
            shown |= fails
        return found

    def add_to_book(self, name, data):
        self.book["files"].update(data["files"])
        self.book["book"][name] = {**data, "files": list(data["files"])}

    # ---- one property ----

    def link(self, result, name, line, words):
        """The words, as a link to the run that shows that a property fails, if the book has it."""
        if name is None or line["witness_steps"] is None:
            return words
        # On the page those that refute a claim come first.
        order = [other["property"] for claimed in (True, False) for other in result["claims"]
                 if other["holds"] is False and other["witness_steps"] is not None
                 and (other["claimed"] is True) == claimed]
        return f'<a href="witnesses.html#of={text(name)}&amp;run={order.index(line["property"]) + 1}">{words}</a>'

    @staticmethod
    def style(line):
        return "open" if line["holds"] is None else "holds" if line["holds"] else "fails" if line["claimed"] else "known"

    # ---- the catalogue ----

    def chip(self, found, name):
        """A property over all sizes: it holds at each, or fails at some."""
        lines = [(result, page, line) for result, page in found for line in result["claims"] if line["property"] == name]
        failing = [entry for entry in lines if entry[2]["holds"] is False]
        undecided = [entry for entry in lines if entry[2]["holds"] is None]
        result, page, line = (failing or undecided or lines)[0]
        words = text(name)
        if failing:
            words = self.link(result, page, line, f"{words}, n={result['n']}")
        return f'<span class="{self.style(line)}" title="{text(self.meanings.get(name) or "")}">{words}</span>'

    def entry(self, protocol):
        name, found = protocol["protocol"], self.found[protocol["protocol"]]
        sizes = [result["n"] for result, _ in found]
        size = f"n={min(sizes)}&ndash;{max(sizes)}" if min(sizes) < max(sizes) else f"n={sizes[0]}"
        chips = "".join(self.chip(found, line["property"]) for line in found[0][0]["claims"])
        what = protocol["about"] if protocol["variant"] else f"{protocol['title']}: {protocol['about']}"
        return (f'<div class="entry{" variant" if protocol["variant"] else ""} item" data-words="{words_of(protocol)}"><a href="#{text(anchor(name))}">'
                f"<code>{text(name)}</code></a><span>{text(sentence(what))}</span>"
                f'<span class="dim">{size}</span><div class="chips">{chips}</div></div>\n')

    def catalogue(self):
        papers = {}
        of = ""
        for protocol in self.protocols:
            of = of if protocol["variant"] and of else paper(protocol["citation"])
            papers.setdefault(of, []).append(self.entry(protocol))
        return ('<section id="catalogue"><h2>The algorithms</h2>'
                "<p>What each claims, over all sizes that were looked at. n is the number of processes.</p>" +
                "".join(f'<div class="group"><h3>{text(name)}</h3>\n{"".join(entries)}</div>' for name, entries in papers.items()) + "</section>\n")

    def surprises(self):
        """Where a claim fails and nobody broke anything on purpose."""
        entries = []
        for protocol in self.protocols:
            for result, page in [] if is_broken(protocol) else self.found[protocol["protocol"]]:
                for line in result["claims"]:
                    if page is None or not line["claimed"] or line["holds"] is not False:
                        continue
                    words = f"{text(line['property'])} fails at {text(self.results.column(protocol, result))}"
                    if line["witness_steps"] is not None:
                        words += f", in {self.results.plural(line['witness_steps'], 'step')}"
                    entries.append(f'<li class="item" data-words="{words_of(protocol)}"><a href="#{text(anchor(protocol["protocol"]))}"><code>{text(protocol["protocol"])}'
                                   f'</code></a>, {text(protocol["about"])}: {self.link(result, page, line, words)}. '
                                   f'The claim: {text(line["source"] or "")}.</li>\n')
        if not entries:
            return ""
        return ('<section id="wrong"><h2>Claims that do not hold</h2><p>Of algorithms as they are printed, and of changes to them '
                "that one may well believe to be harmless; not of variants that are broken on purpose. Each with the shortest run "
                f"that shows it.</p><ul>{''.join(entries)}</ul></section>\n")

    # ---- one protocol or variant, size by size ----

    def variant(self, protocol):
        found = self.found[protocol["protocol"]]
        stated = {claim["property"]: claim for claim in protocol["claims"]}
        rows = []
        for number, line in enumerate(found[0][0]["claims"]):
            name = f'<a href="#{text(line["property"])}">{text(line["property"])}</a>'
            answers = [(result, page, result["claims"][number]) for result, page in found]
            rows.append([cell(name, "th"), cell(text(self.results.claim(line, stated.get(line["property"], {})))),
                         cell(text(line["source"] or ""), style="source")] +
                        [cell(self.link(result, page, answer, text(self.results.answer(answer))) if answer["holds"] is False
                              else text(self.results.answer(answer)), style=self.style(answer))
                         for result, page, answer in answers])
        for name in "states", "transitions":
            rows.append([cell(name, "th"), cell(""), cell("", style="source")] +
                        [cell(text(self.results.count(result, name)), style="number") for result, _ in found])
        rows.append([cell("verdict", "th"), cell(""), cell("", style="source")] +
                    [cell(text(result["verdict"]), style="number") for result, _ in found])
        head = ["property", "claim", "source"] + [text(self.results.column(protocol, result)) for result, _ in found]
        return (f'<div class="variants item" data-words="{words_of(protocol)}"><h3 id="{text(anchor(protocol["protocol"]))}">'
                f'<code>{text(protocol["protocol"])}</code>: {text(protocol["about"])}</h3>\n' + table(head, rows, "checks") +
                "</div>\n")

    def details(self):
        body = ""
        for protocol in self.protocols:
            if not protocol["variant"] or not body:
                body += (("</section>\n" if body else "") + f'<section><h2>{text(sentence(protocol["title"])[:-1])}</h2>'
                         f'<p class="dim">{text(protocol["citation"])}</p>\n')
            body += self.variant(protocol)
        return body + ("</section>\n" if body else "")

    # ---- the other parts ----

    @staticmethod
    def picture(svg, about):
        data = base64.b64encode(svg.encode()).decode()
        return f'<div class="wide"><img alt="{text(about)}" src="data:image/svg+xml;base64,{data}"></div>\n'

    def space(self):
        rows = []
        for name in [[p["protocol"]] for p in self.protocols if not p["variant"]] if self.given.only else [[]]:
            rows += self.results.space(*name)
        keys = "n", "l", "k", "values", "upper", "lower"
        body = [[cell(f"<code>{text(row['protocol'])}</code>", "th")] +
                [cell("&ndash;" if row[key] is None else f"{row[key]:,}", style="number") for key in keys] for row in rows]
        return ('<section id="space"><h2>Values of shared memory</h2><p>The most values that any shared variable '
                "takes, the number that the source of the algorithm gives (upper), and the least that any algorithm "
                "with the same properties can do with (lower). <code>berth space --svg FILE</code> draws it.</p>"
                f"<details><summary>{len(rows)} rows, by algorithm and size</summary>" +
                table(["protocol", *keys], body) + "</details></section>\n")

    def bench(self):
        data = json.loads(self.results.read(os.path.join(self.given.out, "bench.json")) or "null")
        if data is None:
            return ('<section id="bench"><h2>Measurements</h2><p>There are none here. '
                    "<code>tools/results --measure full</code> measures pools beside the alternatives on the machine "
                    "at hand.</p></section>\n")
        machine = data["machine"]
        busy = (f" <strong>Other work was going on meanwhile (a load of {machine['load']:.1f} on {machine['cores']} cores), "
                "so the numbers may be off.</strong>" if machine["load"] > 0.5 else "")
        plot = self.results.read(os.path.join(self.given.out, "bench.svg"))
        keys = list(dict.fromkeys(key for row in data["bench"] for key in row))

        def show(value):
            if value is None:
                return cell("&ndash;", style="number")
            if isinstance(value, list):
                return cell(" to ".join(f"{v:,.4g}" for v in value), style="number")
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return cell(f"{value:,.4g}" if isinstance(value, float) else f"{value:,}", style="number")
            return cell(text(value))
        return ('<section id="bench"><h2>Measurements</h2><p>Pools beside the alternatives, by <code>berth bench'
                f"{' --quick' if data['quick'] else ''}</code> in one interleaved run, on one machine at one time: "
                f"{text(machine['cpu'])}, {machine['cores']} cores, {text(machine['kernel'])}.{busy} "
                "man berth-bench says how each number is measured.</p>" +
                (self.picture(plot, "The measurements as a plot; the numbers are in the table below") if plot else "") +
                f"<details><summary>{len(data['bench'])} measurements in numbers</summary>" +
                table([text(key.replace("_", " ")) for key in keys],
                      [[show(row.get(key)) for key in keys] for row in data["bench"]]) + "</details></section>\n")

    def head(self):
        counts = dict.fromkeys(("as-claimed", "refuted", "incomplete"), 0)
        purpose = 0
        for protocol in self.protocols:
            for result, _ in self.found[protocol["protocol"]]:
                counts[result["verdict"]] += 1
                purpose += result["verdict"] == "refuted" and is_broken(protocol)
        algorithms = sum(not protocol["variant"] for protocol in self.protocols)
        rest = counts["refuted"] - purpose
        words = (f"<p>{algorithms} algorithms and {len(self.protocols) - algorithms} variants of them, in "
                 f"{sum(counts.values())} checks. Each looked at every state that can be reached, whatever the order in "
                 f"which the processes move. In {counts['as-claimed']} all came out as claimed; {counts['refuted']} refute "
                 f"a claim, {purpose} of them about variants that are broken on purpose, to see that the checker notices"
                 f"{f', and {rest} about <a href={chr(34)}#wrong{chr(34)}>claims that do not hold</a>' if rest else ''}; "
                 f"{counts['incomplete']} could not be completed.</p>"
                 '<p><span class="holds">holds</span> at every size that was looked at. <span class="fails">fails</span> '
                 'though it is claimed. <span class="known">fails</span>, as is known. <span class="open">not decided</span>. '
                 "A link on something that fails leads to the shortest run that shows it, step by step. A proof for small "
                 "sizes is not one for all sizes.</p>")
        if self.given.only or self.given.most is not None:
            words += "<p><strong>This is a part: not all protocols, or not all sizes.</strong></p>"
        return words + ('<nav aria-label="Parts"><p>' + ("<a href=\"#wrong\">Claims that do not hold</a> &middot; " if self.surprises() else "") +
                        '<a href="#catalogue">The algorithms</a> &middot; <a href="#sizes">Size by size</a> &middot; '
                        '<a href="#space">Values of shared memory</a> &middot; <a href="#bench">Measurements</a> &middot; '
                        '<a href="#properties">What the properties mean</a></p></nav>')

    def pages(self):
        """The text of each page, by its name."""
        search = self.results.read(os.path.join(os.path.dirname(__file__), "results_search.js"))
        glossary = "".join(f'<div class="item"><dt id="{text(name)}">{text(name)}</dt>'
                           f'<dd>{text(meaning or "See docs/CHECKER.md.")}</dd></div>\n'
                           for name, meaning in self.meanings.items())
        script = base64.b64encode(hashlib.sha256(search.encode()).digest()).decode()
        pages = {"results.html": (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
            f"script-src 'sha256-{script}'\">"
            '<link rel="icon" href="data:,">'
            f"<title>berth: results</title><style>\n{STYLE}</style></head><body>\n<header><h1>What berth finds</h1>{self.head()}</header>\n"
            f'{SEARCH}<main>{self.surprises()}{self.catalogue()}<h2 id="sizes">Size by size</h2>{self.details()}{self.space()}{self.bench()}'
            f'<section id="properties"><h2>What the properties mean</h2><dl>{glossary}</dl></section></main>\n'
            '<footer class="dim"><p>Generated by <code>tools/results</code> from what <code>berth check</code>, '
            "<code>berth space</code> and <code>berth bench</code> print; not to be edited. RESULTS.md beside it has the same "
            "and more as text.</p></footer>\n"
            f"<script>{search}</script></body></html>\n")}
        if self.book["book"]:
            before, after = self.results.large.shell
            data = json.dumps(self.book, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
            # A line for each of them, so that a change is seen to be small.
            data = re.sub(r'(?<=[{,])(?="[\w-]+":\{"version")', "\n", data)
            pages["witnesses.html"] = before + data + after
        return pages
