#!/bin/bash
# docs/TUTORIAL.md, line by line: its files are written, its commands are run, by an installed berth in an
# empty folder, and print what it says. Times differ from run to run, and stress is another run each
# time. FILL=1 writes what the commands print into the page.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
if [ -z "${FILL-}" ]; then
    cmake --install "$(dirname "$BERTH")" --prefix "$work/prefix" >"$work/output" 2>&1 ||
        { cat "$work/output"; exit 1; }
    BERTH=$work/prefix/bin/berth
fi
[ -n "${FILL-}" ] || "$SRC/tools/tutorial-man" --check || exit 1
mkdir "$work/empty" && cd "$work/empty" || exit 1
XDG_CACHE_HOME=$work python3 - "$BERTH" "$SRC/docs/TUTORIAL.md" "${FILL-}" <<'END'
import re, subprocess, sys

berth, path, fill = sys.argv[1:4]
text = open(path).read()
wrong = compared = commands = 0


def plain(line):
    line = re.sub(r'[\d.]+ s, [\d.]+ MiB', 'TIME, MEMORY', line)
    return re.sub(r'\d+ in [\d.]+ s, \d+ a second|seed=\d+|[\d.]+ times on average, \d+ at most, in \d+',
                  'SOME', line).rstrip()


def block(match):
    global wrong, compared, commands
    name, body = match.group(1).strip(), match.group(2)
    if name.startswith('c '):
        open(name[2:], 'w').write(body)
        return match.group(0)
    lines = body.split('\n')
    assert lines[0].startswith('$ berth '), lines[0]
    commands += 1
    done = subprocess.run([berth] + lines[0].split()[2:], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if fill:
        return '```\n' + lines[0] + '\n' + done.stdout.rstrip() + '\n```\n'
    shown = [plain(line) for line in lines[1:] if line.strip()]
    printed = [plain(line) for line in done.stdout.split('\n') if line.strip()]
    compared += len(shown)
    for a, b in zip(shown + [''] * len(printed), printed + [''] * len(shown)):
        if a != b:
            wrong += 1
            print(f'{lines[0]}: prints "{b}", not "{a}"')
            break
    return match.group(0)


filled = re.sub(r'^```([^\n]*)\n(.*?)^```\n', block, text, flags=re.S | re.M)
if fill:
    open(path, 'w').write(filled)
    sys.exit(0)
print(f'{commands} commands, {compared} lines compared, {wrong} wrong')
sys.exit(wrong > 0 or commands < 5 or compared < 30)
END
