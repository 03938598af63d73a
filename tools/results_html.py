"""docs/results.html: what tools/results finds, to be looked at; with the witnesses as pages.

One file without scripts and without anything from elsewhere; the pages in the folder beside it are
those of `berth check --witness FILE.html`.
"""
import html
import json
import os
import shutil
import tempfile

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
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
td { position: relative; }
.turned { writing-mode: vertical-rl; transform: rotate(180deg); display: inline-block; }
th.variant { font-weight: 400; padding-left: 1.6rem; }
thead th { vertical-align: bottom; }
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
.bar { display: inline-block; height: 0.7em; background: var(--accent); vertical-align: baseline; min-width: 1px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; font-size: 0.92rem; }
dt { font-weight: 600; } dd { margin: 0; }
@media (max-width: 40rem) { .source, section > .wide th:nth-child(3):not(:has(.turned)) { display: none; } th, td { padding: 0.22rem 0.4rem; } dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.4rem; } body { padding: 0.6rem; } }
@media print { section { break-inside: avoid; border: 0; } body { background: #fff; } }
"""


def text(value):
    return html.escape(str(value))


def cell(value, kind="td", style=""):
    return f"<{kind}{f' class={chr(34)}{style}{chr(34)}' if style else ''}>{value}</{kind}>"


def table(head, rows):
    """Cells are HTML already."""
    return ('<div class="wide"><table><thead><tr>' + "".join(cell(h, "th") for h in head) +
            "</tr></thead><tbody>" + "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows) +
            "</tbody></table></div>\n")


def anchor(name):
    return name.replace("/", "-")


class Report:
    def __init__(self, results, given):
        self.results = results
        self.given = given
        self.glance = []  # of each variant: itself, its checks, and the cells of its properties
        self.counts = {"checks": 0, "as-claimed": 0, "refuted": 0, "incomplete": 0}

    # ---- what is there ----

    def sizes(self, protocol):
        sizes = [size for size in self.results.sizes_of(protocol)
                 if self.given.most is None or size.get("states", 0) <= self.given.most]
        return sizes or self.results.sizes_of(protocol)[:1]

    def wanted(self, protocol):
        names = self.given.only.split(",") if self.given.only else None
        return names is None or any(f"{protocol['protocol']}/".startswith(f"{name}/") for name in names)

    # ---- one protocol or variant ----

    def check(self, protocol, folder):
        """All sizes; and for each property that fails, a page at the first size at which it does."""
        found, pages, shown = [], [], set()
        for number, size in enumerate(self.sizes(protocol)):
            page = f"{anchor(protocol['protocol'])}-{number + 1}.html"
            result = self.results.check(protocol, size, "--witness", os.path.join(folder, page))
            found.append(result)
            fails = {line["property"] for line in result["claims"]
                     if line["holds"] is False and line["witness_steps"] is not None}
            pages.append(page if fails - shown else None)
            if pages[-1] is None:
                os.remove(os.path.join(folder, page))
            shown |= fails
            self.counts["checks"] += 1
            self.counts[result["verdict"]] += 1
        return found, pages

    def answer(self, result, page, line, words=None):
        """One cell: what was found about a property; with the witness, if there is a page with it."""
        words = text(words or self.results.answer(line))
        if line["holds"] is None:
            return cell(words, style="open")
        if line["holds"]:
            return cell(words, style="holds")
        if page is not None and line["witness_steps"] is not None:
            # On the page those that refute a claim come first.
            order = [other["property"] for claimed in (True, False) for other in result["claims"]
                     if other["holds"] is False and other["witness_steps"] is not None
                     and (other["claimed"] is True) == claimed]
            run = order.index(line["property"]) + 1
            words = f'<a href="witness/{text(page)}#run={run}">{words}</a>'
        return cell(words, style="fails" if line["claimed"] else "known")

    def variant(self, protocol, folder):
        found, pages = self.check(protocol, folder)
        self.glance.append((protocol, found, pages))
        rows = []
        stated = {claim["property"]: claim for claim in protocol["claims"]}
        for number, line in enumerate(found[0]["claims"]):
            name = f'<a href="#{text(line["property"])}">{text(line["property"])}</a>'
            rows.append([cell(name, "th"), cell(text(self.results.claim(line, stated.get(line["property"], {})))),
                         cell(text(line["source"] or ""), style="source")] +
                        [self.answer(f, page, f["claims"][number]) for f, page in zip(found, pages)])
        for name in "states", "transitions":
            rows.append([cell(name, "th"), cell(""), cell("", style="source")] +
                        [cell(text(self.results.count(f, name)), style="number") for f in found])
        rows.append([cell("verdict", "th"), cell(""), cell("", style="source")] +
                    [cell(text(f["verdict"]), style="number") for f in found])
        head = ["property", "claim", "from"] + [text(self.results.column(protocol, f)) for f in found]
        return (f'<h3 id="{text(anchor(protocol["protocol"]))}"><code>{text(protocol["protocol"])}</code>: '
                f'{text(protocol["about"])}</h3>\n' + table(head, rows))

    # ---- all of them at a glance ----

    def glance_cell(self, found, pages, name):
        """Over all sizes: it holds at each, or fails at some."""
        lines = [(f, page, line) for f, page in zip(found, pages) for line in f["claims"] if line["property"] == name]
        if not lines:
            return cell("")
        failing = [entry for entry in lines if entry[2]["holds"] is False]
        if failing:
            f, page, line = failing[0]
            known = "" if line["claimed"] else ", as is known"
            return self.answer(f, page, line, f"n={f['n']}").replace(
                "<td ", f'<td title="{text(name)} fails at n = {f["n"]}{known}" ', 1)
        undecided = any(line["holds"] is None for _, _, line in lines)
        words = "not decided" if undecided else "holds"
        return cell(f'<span class="unseen">{words}</span>', style="open" if undecided else "holds").replace(
            "<td ", f'<td title="{text(name)}: {words}" ', 1)

    def glance_table(self, names):
        used = [name for name in names if any(line["property"] == name for _, found, _ in self.glance
                                              for line in found[0]["claims"])]
        rows = []
        for protocol, found, pages in self.glance:
            name = text(protocol["protocol"])
            style = "variant" if protocol["variant"] else ""
            sizes = [f["n"] for f in found]
            size = f"{min(sizes)}&ndash;{max(sizes)}" if min(sizes) < max(sizes) else f"{sizes[0]}"
            rows.append([cell(f'<a href="#{anchor(name)}"><code>{name}</code></a>', "th", style), cell(size, style="number")] +
                        [self.glance_cell(found, pages, property_) for property_ in used])
        head = ["algorithm", "n"] + [f'<a class="turned" href="#{text(name)}">{text(name)}</a>' for name in used]
        return table(head, rows)

    # ---- the other parts ----

    def space(self):
        names = [protocol["protocol"] for protocol, _, _ in self.glance if not protocol["variant"]]
        rows = []
        for arguments in [["space", name] for name in names] if self.given.only else [["space"]]:
            rows += self.results.berth(*arguments, statuses=(0, 1))["space"]
        most = max([row[key] or 0 for row in rows for key in ("values", "upper")] + [1])

        def number(value):
            return cell("&ndash;" if value is None else f"{value:,}", style="number")
        body = [[cell(f"<code>{text(row['protocol'])}</code>", "th"), number(row["n"]), number(row["l"]),
                 number(row["values"]), number(row["upper"]), number(row["lower"]),
                 cell(f'<span class="bar" style="width: {12 * (row["values"] or 0) / most:.3f}rem"></span>')]
                for row in rows]
        return ('<section id="space"><h2>Values of shared memory</h2><p>The most values that any shared variable '
                "takes, the number that the source of the algorithm gives (upper), and the least that any algorithm "
                "with the same properties can do with (lower).</p>" +
                table(["protocol", "n", "l", "values", "upper", "lower", ""], body) + "</section>\n")

    def bench(self):
        if not self.given.bench:
            return ('<section id="bench"><h2>Measurements</h2><p>None are in this page. '
                    "<code>berth bench --json &gt;bench.json</code> measures pools beside the alternatives on the machine "
                    "at hand, and <code>tools/results --html --bench bench.json</code> puts that here.</p></section>\n")
        with open(self.given.bench, encoding="utf-8") as stream:
            data = json.load(stream)
        cases = next(value for value in data.values() if isinstance(value, list))
        about = {key: value for key, value in data.items() if key != "version" and not isinstance(value, list)}
        keys = [key for key in cases[0] if any(row.get(key) is not None for row in cases)]

        def show(value):
            if value is None:
                return cell("&ndash;", style="number")
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return cell(f"{value:,.4g}" if isinstance(value, float) else f"{value:,}", style="number")
            return cell(text(value if isinstance(value, str) else json.dumps(value)))
        words = "; ".join(f"{text(key)}: {text(value if isinstance(value, str) else json.dumps(value))}"
                          for key, value in about.items())
        return ('<section id="bench"><h2>Measurements</h2><p>By <code>berth bench</code>, of one machine at one time. '
                f"{words}</p>" + table([text(key) for key in keys],
                                       [[show(row.get(key)) for key in keys] for row in cases]) + "</section>\n")

    def page(self, folder):
        listed = self.results.berth("protocols")
        meanings = {entry["property"]: entry["meaning"] for entry in listed["properties"]}
        protocols = [protocol for protocol in listed["protocols"] if self.wanted(protocol)]
        sections, links = [], []
        for protocol in protocols:
            if not protocol["variant"]:
                name = text(protocol["protocol"])
                links.append(name)
                sections.append(f'<section><h2>{text(protocol["title"])}</h2><p class="dim">'
                                f'{text(protocol["citation"])}</p>\n')
            else:
                sections.append("")
            sections[-1] += self.variant(protocol, folder)
        body = ""
        for part in sections:  # a variant goes into the section of its protocol
            body += ("</section>\n" if part.startswith("<section>") and body else "") + part
        body += "</section>\n" if body else ""
        counts = self.counts
        head = (f"<p>{len(links)} algorithms and {len(protocols) - len(links)} variants of them, in {counts['checks']} "
                f"exhaustive checks: {counts['as-claimed']} came out as claimed, {counts['refuted']} refute something, "
                f"{counts['incomplete']} could not be completed. Many variants are broken on purpose, or are the print "
                "of a paper where it is wrong: there, to be refuted is right.</p>"
                '<p>A cell is one property at one size. <span class="holds">holds</span> in every reachable state, and '
                'the exact bound where there is one; <span class="fails">fails</span> though it is claimed; '
                '<span class="known">fails</span>, as is known; with the number of steps of the shortest run that shows '
                "it. A link leads to that run, on a page of its own.</p>")
        if self.given.only or self.given.most is not None:
            head += "<p><strong>This is a part: not all protocols, or not all sizes.</strong></p>"
        glossary = "".join(f'<dt id="{text(name)}">{text(name)}</dt><dd>{text(meaning or "See docs/CHECKER.md.")}</dd>\n'
                           for name, meaning in meanings.items())
        return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
                '<link rel="icon" href="data:,">'
                f"<title>berth: results</title><style>\n{STYLE}</style></head><body>\n<header><h1>What berth finds</h1>{head}</header>\n"
                f'<section><h2>All of them</h2>{self.glance_table(meanings)}<nav aria-label="Besides"><p>Besides: '
                '<a href="#space">values of shared memory</a>, <a href="#bench">measurements</a>, '
                '<a href="#properties">what the properties mean</a>.</p></nav></section>\n'
                f'<main>{body}{self.space()}{self.bench()}<section id="properties"><h2>What the properties mean</h2>'
                f"<dl>{glossary}</dl></section></main>\n"
                '<footer class="dim"><p>Generated by <code>tools/results --html</code> from what <code>berth check</code>, '
                "<code>berth space</code> and <code>berth bench</code> print; not to be edited.</p></footer>\n</body></html>\n")


def write(results, given):
    """The page and the folder of witnesses, each replaced when all of it is there."""
    os.makedirs(given.out, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=given.out, prefix=".results-") as folder:
        fresh = os.path.join(folder, "witness")
        os.mkdir(fresh)
        os.chmod(fresh, 0o755)
        page = Report(results, given).page(fresh)
        with open(os.path.join(folder, "results.html"), "w", encoding="utf-8") as stream:
            stream.write(page)
        witness = os.path.join(given.out, "witness")
        if os.path.isdir(witness):
            shutil.move(witness, os.path.join(folder, "old"))
        os.rename(fresh, witness)
        os.replace(os.path.join(folder, "results.html"), os.path.join(given.out, "results.html"))
