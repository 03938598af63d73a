#!/bin/sh
# What README.md, docs/LAB.md and docs/FINDINGS.md show of the command is what the command prints today. Lines left out are marked by
# "..." there, and no others are left out; times and memory differ from run to run, and stress is
# another run each time.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
python3 - "$BERTH" "$SRC/README.md" "$SRC/docs/LAB.md" "$SRC/docs/FINDINGS.md" <<'END'
import re, subprocess, sys

berth, paths = sys.argv[1], sys.argv[2:]
text = '\n'.join(open(path).read() for path in paths)
wrong = compared = 0


def plain(line):
    return re.sub(r'[\d.]+ s, [\d.]+ MiB', 'TIME, MEMORY', line).strip()


for block in re.findall(r'^ *```[a-z]*\n(.*?)^ *```', text, re.S | re.M):
    lines = [line.strip() for line in block.split('\n')]
    if not lines[0].startswith('$ berth ') or lines[0].startswith('$ berth stress'):
        continue
    words = lines[0].split()[2:]
    printed = subprocess.run([berth] + words, capture_output=True, text=True).stdout
    printed = [plain(line) for line in printed.split('\n') if line.strip()]
    at, gap = 0, False  # each line is the one after the one before it, unless some are left out
    for line in [line for line in lines[1:] if line]:
        if line == '...':
            gap = True
            continue
        compared += 1
        found = [i for i in range(at, len(printed)) if printed[i] == plain(line)]
        if not found or found[0] != at and not gap:
            wrong += 1
            print(f'berth {" ".join(words)} does not print there: {line}')
        at, gap = found[0] + 1 if found else at, False
    if at != len(printed) and not gap:
        wrong += 1
        print(f'berth {" ".join(words)} goes on: {printed[at]}')
print(f'{compared} lines compared, {wrong} wrong')
sys.exit(wrong > 0 or compared == 0)
END
