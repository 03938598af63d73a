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
    if status not in (0, 1) and not (status == 3 and json.loads(out).get('barred')):
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
        claim = next(c for c in here['claims'] if c['property'] == 'rmr-passage')
        mine['rmr'] = claim.get('up_to_limit', claim['bound'])
    if mine != there:
        complain(lock, n, *options, mine, 'and not', there)


# --- store buffers: mutual exclusion by reads and writes alone takes an ordered store; what is made of
# read-modify-writes needs none ---
FENCES = {'peterson': ['last'], 'dekker': ['A'], 'one-bit': ['l'], 'burns-lynch': ['up'],
          'lamport-fast': ['x', 'y'], 'szymanski': ['L1', 'L3'], 'test-and-set': [], 'ticket-lock': [],
          'anderson': [], 'mcs': [], 'clh': []}
for lock, labels in FENCES.items():
    status, out, error = run(lock, '-n', '2', '--memory-model', 'tso', '--fences', '--json')
    found = json.loads(out) if status == 0 else {}
    if sorted(f['label'] for f in found.get('fences', [])) != labels or not found.get('enough'):
        complain(lock, 'fences', status, out, error)
    plain = check(lock, '-n', '2', '--memory-model', 'tso', '--only', 'exclusion')
    if answer(plain, 'exclusion') != (labels == []):
        complain(lock, 'exclusion where stores wait')
    if answer(check(lock, '-n', '2', '--memory-model', 'native', '--only', 'exclusion'), 'exclusion') is not True:
        complain(lock, 'as it is compiled')

# How many it takes, by trying all sets of stores in the oracle: places are where the process stands before.
import itertools
for lock, places, passages, limit in [('peterson', ['R', 'last', 'C'], 0, 0),
                                      ('bakery', ['R', 'take', 'chosen', 'C'], 1, 5)]:
    least = next(size for size in range(len(places) + 1) for chosen in itertools.combinations(places, size)
                 if oracle(lock, 2, 'tso', 2, passages, limit, *chosen)['exclusion'])
    options = ['--passages', str(passages), '--limit', str(limit)] if passages else []
    _, out, _ = run(lock, '-n', '2', '--memory-model', 'tso', '--fences', '--only', 'exclusion', '--json', *options)
    if len(json.loads(out)['fences']) != least:
        complain(lock, 'takes', least, 'ordered stores, and not', out)

# If no set of ordered stores is enough, the output says so.
status, out, _ = run('peterson/last-first', '-n', '2', '--memory-model', 'tso', '--fences', '--only', 'exclusion')
if status != 1 or 'no set of stores' not in out:
    complain('peterson/last-first', status, out)

# The witness is a run: trace makes it again.
_, out, _ = run('peterson', '-n', '2', '--memory-model', 'tso', '--witness', '/dev/stdout', '--only', 'exclusion')
if out.count('waits') < 4 or 'trying -> critical' not in out:
    complain('the witness of peterson', out)

# The pool: as compiled, one store waits (WRITE_LATE), and every other change is a read-modify-write, which
# is why both models have the same states.
pool = [check('pool', '-n', '2', '--kills', '1', '--passages', '1', '--memory-model', m) for m in ('native', 'tso')]
for p in pool:
    if p['verdict'] != 'as-claimed' or p['buffer_was_full'] or p['passages'] != 1:
        complain('pool', p)
if pool[0]['states'] != pool[1]['states']:
    complain('pool', pool)
sc = check('pool', '-n', '2', '--kills', '1', '--passages', '1')
if not sc['states'] < pool[0]['states']:
    complain('no store of the pool waits', sc['states'], pool[0]['states'])

# --- registers: the bakery and the one-bit algorithm take safe ones, Dekker and Rivest and Pratt do not ---
REGISTERS = [  # protocol, registers, what holds, what fails
    ('bakery', 'safe', ['exclusion'], []), ('bakery/no-choosing', 'safe', [], ['exclusion']),
    ('one-bit', 'safe', ['exclusion', 'deadlock-free'], []),
    ('peterson', 'safe', ['exclusion', 'lockout-free'], []),
    ('dekker', 'regular', ['exclusion'], ['deadlock-free']),
    ('szymanski', 'regular', [], ['exclusion']),
    ('burns-lynch', 'regular', ['exclusion', 'deadlock-free'], []),
    ('burns-lynch', 'safe', ['exclusion'], ['deadlock-free']),
    ('rp-two', 'regular', ['deadlock-free', 'lockout-free'], ['exclusion']),
    ('rp-two', 'safe', ['deadlock-free'], ['exclusion', 'lockout-free']),
    ('rp-n', 'regular', ['deadlock-free', 'lockout-free'], ['exclusion']),
    ('rp-linear', 'regular', ['deadlock-free', 'lockout-free'], ['exclusion'])]
for protocol, kind, holds, fails in REGISTERS:
    result = check(protocol, '-n', '2', '--registers', kind, '--whole', '--only', ','.join(holds + fails))
    for name in holds + fails:
        if answer(result, name) is not (name in holds):
            complain(protocol, kind, name, answer(result, name))

# --- remote references, by what the papers say: constant, linear, logarithmic, without bound ---
REMOTE = {  # (lock, model): the bounds for n = 2, 3, 4; None: there is none
    ('test-and-set', 'cc'): [None, None], ('test-and-set', 'dsm'): [None, None],
    ('test-and-test-and-set', 'cc'): [None, None], ('test-and-test-and-set', 'dsm'): [None, None],
    ('ticket-lock', 'cc'): [4, 5, 6], ('ticket-lock', 'dsm'): [None, None, None],
    ('anderson', 'cc'): [5, 5, 5], ('anderson', 'dsm'): [None, None, None],
    ('mcs', 'cc'): [8, 8], ('mcs', 'dsm'): [4, 4, 4],
    ('clh', 'cc'): [5, 5], ('clh', 'dsm'): [None, None],
    ('yang-anderson', 'cc'): [11], ('yang-anderson', 'dsm'): [10],
    ('kessels', 'cc'): [8, 16], ('kessels', 'dsm'): [None, None],
    ('bakery', 'dsm'): [None]}
for (lock, model), bounds in REMOTE.items():
    for n, bound in enumerate(bounds, 2):
        result = check(lock, '-n', str(n), '--rmr', model)
        for name in ('rmr-passage', 'rmr-super-passage'):
            if (answer(result, name, 'bound'), answer(result, name)) != (bound, bound is not None):
                complain(lock, model, n, name, answer(result, name, 'bound'), 'and not', bound)
# Up to a limit, nobody knows.
result = check('bakery', '-n', '2', '--rmr', 'cc')
for name in ('rmr-passage', 'rmr-super-passage'):
    if (answer(result, name), answer(result, name, 'bound'), answer(result, name, 'up_to_limit')) != (None, None, 9):
        complain('bakery', name, result)
# A kill ends a passage, and not a super-passage.
result = check('golab-ramaraju', '-n', '2', '--kills', '1', '--rmr', 'dsm')
passage, whole = (answer(result, 'rmr-' + w, 'bound') for w in ('passage', 'super-passage'))
if not passage < whole <= 2 * passage:
    complain('golab-ramaraju', passage, whole)

# --- what does not go together ---
for arguments, text in [
        (['peterson', '--memory-model', 'pso'], 'no such memory model'),
        (['peterson', '--registers', 'soft'], 'no such registers'),
        (['peterson', '--rmr', 'numa'], 'cc or dsm'),
        (['peterson', '--buffer', '2'], '--buffer is for --memory-model'),
        (['peterson', '--memory-model', 'tso', '--buffer', '9'], '1 to 8'),
        (['peterson', '--fences'], '--fences is for --memory-model'),
        (['peterson', '--memory-model', 'tso', '--rmr', 'cc'], 'at a time'),
        (['peterson', '--only', 'rmr-passage'], 'does not apply'),
        (['mcs', '--registers', 'safe'], 'no registers'),
        (['pool', '--registers', 'safe'], 'no registers'),
        (['golab-ramaraju', '-n', '2', '--registers', 'safe'], 'not defined'),
        (['jayanti-joshi', '--memory-model', 'tso'], 'accessed as a whole'),
        (['mcs', '--gpu', '--rmr', 'cc'], 'GPU'),
        (['mcs', '-n', '2', '--rmr', 'cc', '--export', 'promela'], ''),
        (['--table', source + '/examples/refute/bit.table', '--rmr', 'cc'], 'has one variable')]:
    status, out, error = run(*arguments)
    if status not in (2, 3) or text not in error:
        complain(*arguments, status, error)

sys.exit(wrong > 0)
END
