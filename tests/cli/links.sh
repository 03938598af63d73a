#!/bin/bash
# Every link of a document leads to a file of the source, and one with a # to a heading of it. SRC is the source.
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
exec python3 - "$SRC" <<'END'
import glob, os, re, sys

root, wrong, seen = sys.argv[1], [], 0


def anchors(path):
    """As they are made from headings: small letters, hyphens for spaces, nothing else that is no letter."""
    text = re.sub(r"^```.*?^```", "", open(path, encoding="utf-8").read(), flags=re.S | re.M)
    return {re.sub(r"[^\w -]", "", heading.replace("`", "").lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)", text, re.M)}


documents = [path for pattern in ("*.md", "docs/*.md", "tools/**/*.md", "bindings/**/README.md", "examples/**/*.md")
             for path in glob.glob(os.path.join(root, pattern), recursive=True) if "node_modules" not in path]
# What is in docs/results is looked at where it is written down: in tools/results, whose links begin there.
generator = os.path.join(root, "tools", "results")
for path in documents + [generator]:
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", open(path, encoding="utf-8").read(), flags=re.S | re.M)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        seen += 1
        file, _, anchor = link.partition("#")
        folder = os.path.join(root, "docs", "results") if path == generator else os.path.dirname(path)
        target = os.path.normpath(os.path.join(folder, file)) if file else path
        if not os.path.exists(target):
            wrong.append(f"{os.path.relpath(path, root)}: {link} leads nowhere")
        elif anchor and target.endswith(".md") and anchor not in anchors(target):
            wrong.append(f"{os.path.relpath(path, root)}: {link}: there is no such heading")
if seen < 100:
    wrong.append(f"only {seen} links in {len(documents)} documents")
print("\n".join(wrong) or f"{seen} links lead somewhere")
sys.exit(bool(wrong))
END
