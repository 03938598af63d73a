#!/bin/bash
# The numbers that the papers give, against the exact ones: how many turns of others a process waits for,
# and how many values a variable has. BERTH is the command under test.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
python3 - "$BERTH" <<'END'
import json, subprocess, sys

berth = sys.argv[1]
wrong = 0


def ask(protocol, n, *properties):
    out = subprocess.run([berth, 'check', protocol, '-n', str(n), '--json', '--whole', '--only',
                          ','.join(properties)],
                         capture_output=True, text=True)
    answer = json.loads(out.stdout)
    return answer, {c['property']: c for c in answer['claims']}


def same(what, found, expected):
    global wrong
    if found != expected:
        wrong += 1
        print(f'{what}: {found}, expected {expected}')


turns = {  # entries of all others together, past the doorway
    'knuth': lambda n: 2 ** (n - 1) - 1,                # Knuth 1966
    'de-bruijn': lambda n: n * (n - 1) // 2,            # de Bruijn 1967
    'eisenberg-mcguire': lambda n: n - 1,               # Eisenberg and McGuire 1972
    'eisenberg-mcguire/no-l3': lambda n: 2 ** (n - 1) - 1,  # found: without L3 it is as bad as Knuth's
    'szymanski': lambda n: n - 1,                       # "linear wait"
    'ticket-lock': lambda n: 0, 'mcs': lambda n: 0, 'clh': lambda n: 0, 'anderson': lambda n: 0,
    'black-white-bakery': lambda n: 0,
}
for protocol, most in turns.items():
    for n in (2, 3, 4):
        if n == 4 and protocol == 'black-white-bakery':
            continue
        claims = ask(protocol, n, 'overtaking')[1]
        same(f'{protocol} n={n}: turns', claims['overtaking']['bound'], most(n))
values = {
    'one-bit': lambda n: 2, 'burns-lynch': lambda n: 2, 'kessels': lambda n: 2, 'szymanski': lambda n: 5,
    'peterson-fischer': lambda n: 1 + 2 * (n - 1).bit_length(), 'black-white-bakery': lambda n: 2 * n + 1,
}
for protocol, most in values.items():
    for n in (2, 3):
        same(f'{protocol} n={n}: values', ask(protocol, n, 'values')[0]['values'], most(n))

# Dijkstra's road to Dekker: what is wrong with each of the four attempts.
for variant, fails in (('first', 'deadlock-free'), ('second', 'exclusion'), ('third', 'deadlock-free'),
                       ('fourth', 'deadlock-free')):
    claims = ask('dekker/' + variant, 2, 'exclusion', 'deadlock-free')[1]
    same(f'dekker/{variant}', [p for p, c in claims.items() if not c['holds']], [fails])
# Knuth's schedule against Hyman, or a shorter one.
same('hyman', ask('hyman', 2, 'exclusion')[1]['exclusion']['witness_steps'], 7)
print('differences:', wrong)
sys.exit(wrong > 0)
END
