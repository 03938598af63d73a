#!/bin/sh
# Timestamps, fife and l-assignment: against the oracle; the wrong rules and the broken variants, each
# refuted at the least size; and that leaving out settled steps changes no answer.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
python3 - "$BERTH" "$SRC" <<'END'
import json, subprocess, sys

berth, source = sys.argv[1:3]
wrong = 0


def check(*arguments):
    out = subprocess.run([berth, 'check', *map(str, arguments), '--whole', '--json'], capture_output=True, text=True)
    here = json.loads(out.stdout)
    here['holds'] = {c['property']: c['holds'] for c in here['claims']}
    here['bounds'] = {c['property']: c['bound'] for c in here['claims']}
    return here


def oracle(*arguments):
    return json.loads(subprocess.run([sys.executable, source + '/tests/oracle/timestamps.py', *map(str, arguments)],
                                     capture_output=True, text=True, check=True).stdout)


def same(what, here, there):
    global wrong
    if here != there:
        wrong += 1
        print(f'{what}: {here}, should be {there}')


def counts(result):
    return result['states'], result['transitions']


# ---- the oracle ----
for n in 2, 3:
    here, there = check('timestamps-bounded/rule', '-n', n), oracle('rule', n)
    same(f'rule n={n}', (counts(here), here['holds']['invariants']), (counts(there), there['holds']))
for n, l in (3, 2), (4, 3):
    here, there = check('l-assignment', '-n', n, '-l', l), oracle('assignment', n, l)
    same(f'l-assignment n={n} l={l}', (counts(here), here['holds']['distinct-slots']),
         (counts(there), there['distinct-slots']))
here, there = check('fife', '-n', 2, '-l', 1, '--no-symmetry'), oracle('fife', 2, 1)
same('fife n=2 states', here['states'], there.pop('states_by_a_coarser_cut'))
same('fife n=2', {p: here['holds'][p] for p in there}, there)
same('trace inclusion', oracle('inclusion', 2, 2)['holds'], True)

# ---- rules for labels: all but one are refuted with three processes ----
for rule in ('three-symbols', 'four-symbols', 'counts-itself', 'counts-itself-and-one', 'one-more', 'one-less',
             'whole-cycle', 'short', 'relabels-always'):
    same(rule, check('timestamps-bounded/' + rule, '-n', 3)['holds'], {'invariants': False})
same('bottom-up', check('timestamps-bounded/bottom-up', '-n', 3)['holds'], {'invariants': True})
same('the real snapshot', check('timestamps-bounded', '-n', 2, '--limit', 1000)['verdict'], 'as-claimed')

# ---- Figure 1, read in four ways ----
for reading, holds in ('', True), ('/by-value', False), ('/strictly', True), ('/always', True):
    same('Figure 1' + reading, check('timestamps-unbounded' + reading, '-n', 2)['holds']['invariants'], holds)

# ---- snapshots ----
same('snapshot', check('snapshot', '-n', 3, '--limit', 3)['verdict'], 'as-claimed')
same('snapshot/borrow-at-once', check('snapshot/borrow-at-once', '-n', 2)['holds'], {'invariants': False})

# ---- fife: with and without the steps whose outcome is settled ----
for variant in ('', '/no-exit-label', '/no-s', '/label-before-flag', '/exit-label-first', '/no-second-look',
                '/s-before-label', '/no-label', '/one-too-many', '/scan-first'):
    for l in 1, 2:
        arguments = 'fife' + variant, '-n', 3, '-l', l, '--only', \
            'exclusion,lockout-free,l-lockout-free,first-in-first-enabled,strong-first-in-first-enabled,overtaking'
        short, whole = check(*arguments), check(*arguments, '--no-symmetry')
        same(f'fife{variant} l={l} abridged', short.get('abridged', False), True)
        same(f'fife{variant} l={l}', short['holds'], whole['holds'])
        broken = variant in ('/label-before-flag', '/s-before-label', '/no-label', '/one-too-many')
        same(f'fife{variant} l={l} exclusion', whole['holds']['exclusion'], not broken)
        alone = check(*arguments[:5], '--only', 'exclusion')
        same(f'fife{variant} l={l} exclusion alone', alone['holds']['exclusion'], not broken)
        if variant == '':
            same(f'exclusion alone l={l}', alone['states'], {1: 4583, 2: 5204}[l])
            same(f'own steps l={l}', whole['bounds']['first-in-first-enabled'], {1: 7, 2: 6}[l])
same('fife on bounded timestamps', check('fife', '-n', 2, '-l', 1, '--timestamps', 'bounded')['verdict'], 'as-claimed')

# ---- the programs: an operation of an object is an entry, and what a process sees broken is a violation ----
def stress(*arguments):
    out = subprocess.run([berth, 'stress', *map(str, arguments), '--threads', '--seconds', '0.3', '--json'],
                         capture_output=True, text=True)
    run = json.loads(out.stdout)['runs'][0]
    return out.returncode, run['entries'] > 0, run['violations'] > 0


for arguments in (('snapshot', '-n', 3), ('timestamps-bounded', '-n', 3), ('timestamps-unbounded', '-n', 3),
                  ('fife', '-n', 4, '-l', 2), ('fife', '-n', 4, '-l', 2, '--timestamps', 'bounded'),
                  ('l-assignment', '-n', 4, '-l', 2, '--on', 'fife', '--timestamps', 'bounded')):
    same('stress ' + ' '.join(map(str, arguments)), stress(*arguments), (0, True, False))
same('stress fife/one-too-many', stress('fife/one-too-many', '-n', 4, '-l', 2), (1, True, True))
same('stress l-assignment/no-gate', stress('l-assignment/no-gate', '-n', 4, '-l', 2), (1, True, True))
for arguments in (('fife', '--timestamps', 'none'), ('pool', '--timestamps', 'bounded'), ('fife', '--on', 'fife'),
                  ('l-assignment', '--on', 'snapshot'), ('l-assignment', '--on', 'dining')):
    same('refused: ' + ' '.join(arguments),
         subprocess.run([berth, 'stress', *arguments], capture_output=True).returncode, 2)

print(f'{wrong} differences')
sys.exit(wrong > 0)
END
