#!/bin/sh
# The checker against the oracle for Fischer, Lynch, Burns, Borodin 1979: small sizes are worked out
# now, larger ones were recorded. Counts, values, bounds and verdicts must be the same, for each k.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
python3 - "$BERTH" "$SRC" <<'END'
import json, subprocess, sys

berth, source = sys.argv[1:3]
sys.path.insert(0, source + '/tests/oracle')
sys.dont_write_bytecode = True
import flbb

PROPERTIES = ['exclusion', 'kl-deadlock-free', 'finite-waiting', 'finite-waiting-enabling', 'bounded-waiting',
              'bounded-waiting-enabling', 'fifo', 'fifo-enabling', 'l-full', 'queuelike']
cases = wrong = 0
seen = {name: set() for name in PROPERTIES}


def compare(there):
    global cases, wrong
    asked = [name for name in PROPERTIES if name in there] + ['values']
    out = subprocess.run([berth, 'check', there['protocol'], '--whole', '--json', '--only', ','.join(asked)] +
                         [a for name in 'nlk' for a in ('-' + name, str(there[name]))],
                         capture_output=True, text=True)
    found = json.loads(out.stdout)
    claims = {c['property']: c for c in found['claims']}
    here = {name: found[name] for name in ('protocol', 'n', 'l', 'k', 'states', 'transitions')}
    here.update(values=claims['values']['bound'], values_bound=claims['values']['bound_claimed'])
    for name in asked[:-1]:
        here[name] = claims[name]['bound' if name.startswith('bounded') else 'holds']
        seen[name].add(claims[name]['holds'])
    cases += 1
    if here != there:
        wrong += 1
        print({name: (here.get(name), there[name]) for name in there if here.get(name) != there[name]}, there)


for protocol in flbb.PROTOCOLS:
    for size in flbb.SMALL:
        compare(flbb.run(protocol, *size))
for there in json.load(open(flbb.FILE)):
    compare(there)
# A comparison that only ever sees one answer says little. Exclusion holds in all of them.
for name in PROPERTIES[1:]:
    if seen[name] != {True, False}:
        wrong += 1
        print(f'{name} was always {seen[name]}')
print(f'{cases} cases, {wrong} differences')
sys.exit(wrong > 0)
END
