#!/bin/sh
# What README.md shows of the command is what the command prints today. Lines left out are marked by
# "..." there; times and memory differ from run to run, and stress is another run each time.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
python3 - "$BERTH" "$SRC/README.md" <<'END'
import re, subprocess, sys

berth, path = sys.argv[1:3]
wrong = compared = 0


def plain(line):
    return re.sub(r'[\d.]+ s, [\d.]+ MiB', 'TIME, MEMORY', line).strip()


for block in re.findall(r'^ *```\n(.*?)^ *```', open(path).read(), re.S | re.M):
    lines = [line.strip() for line in block.split('\n')]
    if not lines[0].startswith('$ berth ') or lines[0].startswith('$ berth stress'):
        continue
    words = lines[0].split()[2:]
    printed = subprocess.run([berth] + words, capture_output=True, text=True).stdout
    printed = [plain(line) for line in printed.split('\n')]
    at = 0  # each line is found after the one before it
    for line in lines[1:]:
        if line in ('', '...'):
            continue
        compared += 1
        try:
            at = printed.index(plain(line), at) + 1
        except ValueError:
            wrong += 1
            print(f'berth {" ".join(words)} does not print: {line}')
print(f'{compared} lines compared, {wrong} wrong')
sys.exit(wrong > 0 or compared == 0)
END
