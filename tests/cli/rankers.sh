#!/bin/sh
# The rankers of Singh 1993 and what stands on them: the checker against a model written from the
# paper alone, state for state; the wrong ranker fails; the options are understood.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
python3 - "$BERTH" "$SRC" <<'END'
import json, os, subprocess, sys, tempfile

berth, source = sys.argv[1:3]
sys.path.insert(0, source + '/tests/oracle')
sys.dont_write_bytecode = True
import rankers

READS = 'packed', 'state-rank', 'rank-state'
wrong = cases = 0


def complain(text):
    global wrong
    wrong += 1
    print(text)


def check(protocol, *options):
    done = subprocess.run([berth, 'check', protocol, '--whole', '--json', '--threads', '1', '--fault', 'none', *options],
                          capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f'{protocol} {" ".join(options)}: {done.stderr}')
    found = json.loads(done.stdout)
    # Up to a limit berth leaves some undecided; the oracle looks at the same runs, and does not.
    answers = {c['property']: c['up_to_limit'] if 'up_to_limit' in c and c['holds'] is None else
               c['bound'] if c['property'] == 'responsive' else c['holds'] for c in found['claims']}
    return found, dict(states=found['states'], transitions=found['transitions'], **answers)


# ---- against the oracle ----

def compare(protocol, n, l=1, ranker=None, reads='packed', graph=None, limit=2):
    """With exact ranks that are cut off everything is the same. Without a limit the answers are; a limit that is too low
    for a failure is given as such."""
    global cases
    cases += 1
    there = rankers.run(protocol, n, l, ranker, reads, graph, limit)
    alone = protocol.startswith('ranker-')
    asked = [p for p in there if p not in ('states', 'transitions') and not (alone and '-free' in p or p == 'exclusion' and alone)]
    options = ['-n', str(n), '--only', ','.join(asked)]
    if not alone:
        options += ['-l', str(l), '--reads', reads]
        options += ['--ranker', ranker] if ranker else []
        options += ['--graph', graph] if graph else []
    there = {p: there[p] for p in ['states', 'transitions'] + asked}
    cut_off = [] if protocol == 'ranker-0' else ['--limit', str(limit)]
    found, here = check(protocol, *options, *cut_off)
    if protocol == 'ranker-0': # a state stands for three, by where the numbers of each pair begin
        here.update((count, here[count] * 3 ** (n * (n - 1) // 2)) for count in ('states', 'transitions'))
    if here != there:
        complain(f'{protocol} {options} limit {limit}: berth {here}, oracle {there}')
    if ranker != '0' and protocol != 'ranker-0' and not found['bounded'] and protocol != 'doorway/lock':
        complain(f'{protocol}: cut off, and does not say so')
    return there


for r in '0acs':
    compare('ranker-' + r, 2, limit=4)
for protocol, n, l, right in [('two-process', 2, 1, '0'), ('mutex', 2, 1, 'c'), ('mutex-timeout', 2, 1, 's'),
                              ('doorway', 2, 1, 'a'), ('doorway/timeout', 2, 1, 'a'), ('doorway/composed', 2, 1, 'a'),
                              ('dining', 2, 1, 'c'), ('dining-timeout', 2, 1, 's'), ('drinking', 2, 1, 'c'),
                              ('k-exclusion', 2, 1, 's'), ('producer-consumer', 2, 2, '0'),
                              ('concurrent-producer-consumer', 3, 2, 'a'), ('multi', 2, 1, 's')]:
    for r in '0acs':
        for reads in READS if r == right else READS[:1]:
            compare(protocol, n, l, r, reads)
compare('doorway/lock', 3)
compare('dining', 3, graph='path', limit=1)
compare('dining', 3, graph='ring', limit=1)
compare('k-exclusion', 3, 2, limit=1)

# ---- the wrong ranker ----

for protocol, ranker, fails, options in [
        ('mutex', '0', 'lockout-free', []), ('mutex', 'a', 'lockout-free', []),
        ('mutex-timeout', 'c', 'lockout-free', []), ('dining-timeout', 'c', 'lockout-free', ['-n', '2']),
        ('k-exclusion', 'c', 'lockout-free', ['-n', '3', '-l', '2']),
        ('mutex', 'c', 'exclusion', ['--reads', 'rank-state']), ('multi', 'c', None, [])]:
    cases += 1
    found, here = check(protocol, '--ranker', ranker, '--only', 'exclusion,lockout-free', *options)
    failing = [p for p in ('exclusion', 'lockout-free') if not here[p]]
    if failing != ([fails] if fails else []):
        complain(f'{protocol} --ranker {ranker} {options}: {failing} fails, expected {fails}')
    if not found.get('normalised') and ranker != '0':
        complain(f'{protocol}: normalised, and does not say so')

# ---- the options ----

def status(*arguments):
    return subprocess.run([berth, *arguments], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    star = os.path.join(folder, 'star')
    with open(star, 'w', encoding='utf-8') as text:
        text.write('# a star\n0 1\n\n0 2 # two\n')
    bad = os.path.join(folder, 'bad')
    done = status('check', 'dining', '-n', '3', '--graph', star, '--only', 'exclusion', '--json')
    path = status('check', 'dining', '-n', '3', '--graph', 'path', '--only', 'exclusion', '--json')
    cases += 1
    if done.returncode != 0 or json.loads(done.stdout)['graph'] != 'given' or \
            json.loads(path.stdout)['verdict'] != 'as-claimed':
        complain(f'a graph from a file: {done}')
    for wanted, arguments in [
            ('has no --graph', ['check', 'mutex', '--graph', 'ring']), ('has no --ranker', ['check', 'ranker-a', '--ranker', 's']),
            ('has no --reads', ['stress', 'bakery', '--reads', 'packed']), ('no such ranker', ['check', 'mutex', '--ranker', 'x']),
            ('no such reads', ['check', 'mutex', '--reads', 'x']), ('no such graph', ['check', 'dining', '--graph', '/nowhere']),
            ('vertex 2', ['check', 'dining', '-n', '2', '--graph', star])]:
        done = status(*arguments)
        cases += 1
        if done.returncode != 2 or wanted not in done.stderr:
            complain(f'{arguments}: {done}')
    for content, wanted in [('0 0\n', 'its own neighbour'), ('0\n', 'two numbers'), ('0 16\n', 'numbered from 0 to 15'),
                            ('0 1 2\n', 'two numbers'), ('a b\n', 'two numbers')]:
        with open(bad, 'w', encoding='utf-8') as text:
            text.write(content)
        done = status('check', 'dining', '--graph', bad)
        cases += 1
        if done.returncode != 2 or wanted not in done.stderr or 'line 1' not in done.stderr:
            complain(f'{content!r}: {done}')

# ---- real processes ----

for arguments in ['ranker-0', 'ranker-a', 'ranker-c', 'ranker-s', 'doorway', 'doorway/composed', 'two-process', 'mutex',
                  'mutex-timeout', 'dining -n 4 --graph ring', 'dining-timeout -n 4 --graph path', 'drinking -n 4',
                  'k-exclusion -l 2', 'producer-consumer', 'concurrent-producer-consumer', 'multi -n 3 -l 2',
                  'multi -n 3 --fault death --processes', 'mutex --reads state-rank --ranker s']:
    done = status('stress', *arguments.split(), '--entries', '300', '--json')
    cases += 1
    if done.returncode != 0:
        complain(f'stress {arguments}: {done.returncode} {done.stdout} {done.stderr}')
print(f'{cases} cases, {wrong} wrong')
sys.exit(wrong > 0)
END
