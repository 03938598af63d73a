#!/bin/bash
# docs/SECURITY.md: each row of its tables names what is not permitted, and tests that there are. SRC is the source.
set -u
python3 - "$SRC" "$(dirname "$BERTH")" <<'P'
import os, re, sys

source, build = sys.argv[1:]
text = open(f'{source}/docs/SECURITY.md').read()
wrong = []


def exists(test):
    folder, name = test.split('/')
    if folder == 'fuzz':
        return re.search(rf'NAME fuzz/{name}\b|fuzz_test\({name}\b', open(f'{source}/tests/fuzz/CMakeLists.txt').read())
    if folder == 'unit':
        return os.path.exists(f'{source}/tests/unit/test_{name}.c')
    return os.access(f'{source}/tests/{folder}/{name}.sh', os.X_OK)


rows = [line for line in text.splitlines() if line.startswith('| ')]
tables = [row for row in rows if row == '| may | may not | shown by |']
headings = re.findall(r'^### (.*)', text, re.M)
if len(tables) != len(headings) or len(headings) < 10:
    wrong.append(f'{len(tables)} tables, {len(headings)} principals')
tests = set()
for row in rows:
    if row in tables or set(row) <= set('|- '):
        continue
    cells = [cell.strip() for cell in row.strip('|').split('|')]
    named = re.findall(r'`([a-z]+/[a-z0-9_-]+)`', cells[-1])
    if len(cells) != 3 or not cells[1] or not named:
        wrong.append(f'no test: {row}')
    tests.update(named)
for test in sorted(tests):
    if not exists(test):
        wrong.append(f'there is no test {test}')
for path in re.findall(r'`((?:src|tests)/[a-z_/.-]+)`', text):
    if not os.path.exists(f'{source}/{path}'):
        wrong.append(f'there is no {path}')
# Each "may" is also said where users look.
for page, words in {'man/berth-pools.5': ['truncate it', 'give the same slot to two'], 'man/berth-run.1': ['SECURITY'],
                    'docs/ETCD.md': ['## Security'], 'docs/RECIPES.md': ['SECURITY.md'],
                    'man/berth-check.1': ['run as you']}.items():
    for word in words:
        if word not in open(f'{source}/{page}').read():
            wrong.append(f'{page} does not say "{word}"')
if not os.path.exists(f'{source}/SECURITY.md'):
    wrong.append('there is no SECURITY.md')
print('\n'.join(f'FAILED: {line}' for line in wrong) or f'all as expected: {len(tests)} tests')
sys.exit(bool(wrong))
P
