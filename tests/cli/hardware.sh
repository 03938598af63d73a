#!/bin/bash
# What hardware does: store buffers, weak registers and remote references, against what is known of the locks
# of the catalogue, against tests/oracle/memory.py, and with options that do not go together.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
python3 - "$BERTH" "$SRC" <<'END'
import json, subprocess, sys

berth, source = sys.argv[1:3]
wrong = 0


def complain(*words):
    global wrong
    wrong += 1
    print('FAILED:', *words)


def run(*arguments):
    out = subprocess.run([berth, 'check', *arguments], capture_output=True, text=True)
    return out.returncode, out.stdout, out.stderr


def check(*arguments):
    status, out, error = run(*arguments, '--json')
    if status not in (0, 1):
        complain(*arguments, 'status', status, error)
        return None
    return json.loads(out)


def answer(result, name, what='holds'):
    return next(c[what] for c in result['claims'] if c['property'] == name)


# --- counts and verdicts as the oracle has them ---
def oracle(*arguments):
    out = subprocess.run([sys.executable, source + '/tests/oracle/memory.py', *map(str, arguments)],
                         capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


CASES = [  # lock, n, kind, buffer, passages, limit
    ('peterson', 2, 'tso', 1, 0, 0), ('peterson', 2, 'tso', 2, 0, 0), ('peterson', 2, 'tso', 3, 0, 0),
    ('mcs', 2, 'tso', 2, 0, 0), ('ticket-lock', 3, 'tso', 1, 0, 0), ('test-and-set', 3, 'tso', 2, 0, 0),
    ('anderson', 3, 'tso', 2, 0, 0), ('bakery', 2, 'tso', 2, 1, 5),
    ('peterson', 2, 'safe', 0, 0, 0), ('peterson', 2, 'regular', 0, 0, 0),
    ('bakery', 2, 'safe', 0, 2, 9), ('bakery', 2, 'regular', 0, 2, 9),
    ('peterson', 2, 'cc', 0, 0, 0), ('peterson', 2, 'dsm', 0, 0, 0), ('mcs', 2, 'cc', 0, 0, 0),
    ('mcs', 2, 'dsm', 0, 0, 0), ('ticket-lock', 3, 'cc', 0, 0, 0), ('ticket-lock', 2, 'dsm', 0, 0, 0),
    ('anderson', 3, 'cc', 0, 0, 0), ('anderson', 2, 'dsm', 0, 0, 0), ('test-and-set', 2, 'cc', 0, 0, 0),
    ('bakery', 2, 'cc', 0, 0, 3)]
for lock, n, kind, buffer, passages, limit in CASES:
    there = oracle(lock, n, kind, buffer, passages, limit)
    options = ['--rmr', kind] if kind in ('cc', 'dsm') else \
        ['--memory-model', 'tso', '--buffer', str(buffer)] if kind == 'tso' else ['--registers', kind]
    options += ['--passages', str(passages)] if passages else []
    options += ['--limit', str(limit)] if limit else []
    only = 'exclusion' + (',rmr-passage' if '--rmr' in options else '')
    here = check(lock, '-n', str(n), '--whole', '--only', only, *options)
    if here is None:
        continue
    mine = dict(states=here['states'], transitions=here['transitions'],
                exclusion=answer(here, 'exclusion'))
    if '--rmr' in options:
        mine['rmr'] = answer(here, 'rmr-passage', 'bound')
    if mine != there:
        complain(lock, n, *options, mine, 'and not', there)

sys.exit(wrong > 0)
END
