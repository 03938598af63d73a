#!/bin/bash
# What docs/results/large.json keeps is used by tools/results --check as long as it is right, and no longer: not
# when a source has changed, nor a witness that is not the one that was kept. In a copy, with few protocols.
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
set -u
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/tools" "$copy/src" "$copy/cli" "$copy/docs/results"
cp "$SRC"/tools/results* "$copy/tools" && cp -r "$SRC/src/check" "$copy/src" || exit 1

python3 - "$copy" <<'END'
import importlib.machinery
import importlib.util
import os
import sys
from types import SimpleNamespace

copy = sys.argv[1]
sys.path.insert(0, f"{copy}/tools")
sys.dont_write_bytecode = True
given = SimpleNamespace(html=True, check=True, only="burns-bit,peterson,rp-two", most=None, out=f"{copy}/docs/results")


def results():
    """The module as at the start of a run, with what it asks the command to check."""
    loader = importlib.machinery.SourceFileLoader("results", f"{copy}/tools/results")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("results", loader))
    loader.exec_module(module)
    asked = []
    check_now = module.check_now
    module.check_now = lambda protocol, size: asked.append(protocol["protocol"]) or check_now(protocol, size)
    return module, asked


def pages(module):
    return module.results_html.Report(module, given).pages()


def run():
    module, asked = results()
    module.large.use_kept()
    return pages(module), asked


# All of them take more than no time, so that all are kept.
module, asked = results()
module.large.FROM = -1
made = pages(module)
everything = len(asked)
for name, content in made.items():
    module.write(os.path.join(given.out, name), content)
module.large.write()

again, asked = run()
assert again == made, "what was kept makes other pages"
assert len(asked) == 1, f"one page is made anew, and not {asked}"

book = f"{given.out}/witnesses.html"
text = module.read(book)
before, last = text.rsplit('"steps":[', 1)  # the first is the one that is made anew
module.write(book, f'{before}"steps":[0,{last}')
again, asked = run()
assert again == made and len(asked) == 2, "a witness that was changed is believed"
module.write(book, text)

large = module.read(module.LARGE)
module.write(module.LARGE, large.replace('"holds": true', '"holds": null', 1))
again, asked = run()
assert again != made, "what was kept is not looked at"
module.write(module.LARGE, large)

def add(text):
    with open(f"{copy}/src/check/set.c", "a", encoding="utf-8") as source:
        source.write(text)


add('\n/* A comment, with a "quote" */  // and one more\n')
again, asked = run()
assert again == made and len(asked) == 1, "a comment makes a difference"
add("static int another;\n")
again, asked = run()
assert again == made and len(asked) == everything, "what was kept of another source is believed"
END
[ $? -eq 0 ] && echo "all as expected"
