#!/bin/bash
# The table of docs/RME.md against the checker, and recovery natively. BERTH is the command under test.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
python3 - "$BERTH" "$SRC/docs/RME.md" <<'END'
import json, subprocess, sys

berth, document = sys.argv[1:3]
rows = [[cell.strip() for cell in line.strip().strip('|').split('|')]
        for line in open(document) if line.startswith('|')]
names = [cell.strip('`') for cell in rows[0][1:]]
table = {row[0]: row[1:] for row in rows[2:]}
properties = [p for p in table if ' ' not in p]
wrong = cells = 0


def complain(what):
    global wrong
    wrong += 1
    print(what)


for column, name in enumerate(names):
    out = subprocess.run([berth, 'check', name, '-n', '2', '--kills', '1', '--no-symmetry', '--json', '--only',
                          ','.join(properties)], capture_output=True, text=True)
    found = {c['property']: c for c in json.loads(out.stdout)['claims']}
    for p in properties:
        cells += 1
        says, c = table[p][column], found[p]
        is_number = says.isdigit()
        if c['holds'] is None or c['holds'] != (says != 'no') or (is_number and c['bound'] != int(says)):
            complain(f'{name}: {p}: the document has {says}, the checker {c["holds"]}, bound {c["bound"]}')
if len(properties) != 9 or len(names) != 4:
    complain(f'the table has {len(names)} locks and {len(properties)} properties')

# More kills, as the document says.
for name in ('golab-ramaraju', 'jayanti-joshi'):
    for kills in ('2', '3'):
        out = subprocess.run([berth, 'check', name, '-n', '2', '--kills', kills, '--json'], capture_output=True,
                             text=True)
        if json.loads(out.stdout)['verdict'] != 'as-claimed':
            complain(f'{name} with {kills} kills: {out.stdout}')

# Natively, with real kills: what holds, holds; one that gives its critical section away is found out.
for name, holds in (('golab-ramaraju', True), ('jayanti-joshi', True), ('golab-ramaraju/forgetful', False)):
    out = subprocess.run([berth, 'stress', name, '--processes', '--seconds', '1', '--json'], capture_output=True,
                         text=True)
    run = json.loads(out.stdout)
    if run['fault'] != 'kill' or run['holds'] != holds or run['runs'][0]['kills'] < 20:
        complain(f'stress {name}: {run}')
for arguments, status in ((['golab-ramaraju', '--fault', 'none', '--threads', '--entries', '1000'], 0),
                          (['pool', '--fault', 'kill'], 2), (['golab-ramaraju', '--fault', 'kill', '--threads'], 2)):
    out = subprocess.run([berth, 'stress'] + arguments, capture_output=True, text=True)
    if out.returncode != status:
        complain(f'stress {arguments}: status {out.returncode}: {out.stdout}{out.stderr}')
print(f'{cells} cells, {wrong} wrong')
sys.exit(wrong > 0)
END
