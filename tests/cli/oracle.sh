#!/bin/sh
# The checker against the oracle: models written from the papers alone, in another language, with
# other algorithms. States, transitions and verdicts must be the same.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
python3 - "$BERTH" "$SRC" <<'END'
import json, subprocess, sys

berth, source = sys.argv[1:3]
cases = [('rp-two', 2), ('rp-n', 2), ('rp-n/printed', 2), ('rp-linear', 2), ('rp-linear/padded', 2),
         ('burns-bit', 3), ('burns-bit', 5), ('burns-a', 2), ('burns-a', 3), ('burns-a', 4),
         ('burns-b', 3), ('burns-b', 4), ('burns-c/printed', 3), ('burns-c/printed', 4),
         ('peterson', 2), ('peterson', 3), ('bakery', 2), ('bakery', 3), ('dekker', 2), ('dijkstra', 2),
         ('dijkstra', 3), ('knuth', 2), ('knuth', 3), ('de-bruijn', 2), ('de-bruijn', 3), ('eisenberg-mcguire', 2),
         ('eisenberg-mcguire', 3), ('one-bit', 3), ('one-bit', 4), ('lamport-fast', 2), ('lamport-fast', 3),
         ('szymanski', 2), ('szymanski', 3), ('mcs', 2), ('mcs', 3), ('black-white-bakery', 2)]
recorded = {(r['protocol'], r['n']): r for r in json.load(open(source + '/tests/oracle/results.json'))}
larger = [('rp-n', 3), ('rp-n/printed', 3), ('burns-a', 6), ('burns-b', 6), ('burns-c/printed', 5),
          ('burns-c/printed', 6), ('peterson', 4)]
wrong = 0


def name_there(protocol):  # the oracle's burns-c is the print
    return protocol.replace('burns-c/printed', 'burns-c')


def compare(protocol, n, there, how):
    global wrong
    out = subprocess.run([berth, 'check', protocol, '--whole', '-n', str(n), '--json', '--only',
                          'exclusion,deadlock-free,lockout-free,bounded-waiting'],
                         capture_output=True, text=True)
    here = json.loads(out.stdout)
    claims = {c['property']: c for c in here['claims']}
    # Where a limit cuts off runs, berth leaves some undecided; the oracle looks at the same runs and does not.
    limited = {name: claim.get('up_to_limit') for name, claim in claims.items() if claim['holds'] is None}
    bound = limited.get('bounded-waiting', claims['bounded-waiting']['bound'])
    mine = dict(states=here['states'], transitions=here['transitions'],
                exclusion=claims['exclusion']['holds'], deadlock=claims['deadlock-free']['holds'],
                lockout=limited.get('lockout-free', claims['lockout-free']['holds']),
                bounded='unbounded' if bound is None else bound)
    theirs = dict(states=there['states'], transitions=there['transitions'],
                  exclusion=there['max_critical'] <= 1, deadlock=there['deadlock_free'],
                  lockout=there['lockout_free'], bounded=there['bounded_waiting'])
    if mine != theirs:
        wrong += 1
        print(f'{protocol} n={n} ({how}): berth {mine}, oracle {theirs}')


for protocol, n in cases:
    out = subprocess.run([sys.executable, source + '/tests/oracle/oracle.py', name_there(protocol),
                          '-n', str(n), '--json'], capture_output=True, text=True, check=True)
    compare(protocol, n, json.loads(out.stdout), 'computed now')
for protocol, n in larger:
    compare(protocol, n, recorded[name_there(protocol), n], 'recorded')
supervised = [('flbb-buckets', 2, 1, 2), ('flbb-buckets', 3, 1, 2), ('flbb-buckets', 3, 1, 3),
              ('flbb-robust', 2, 1, 2), ('flbb-robust', 3, 1, 2), ('flbb-robust', 3, 1, 3)]
for protocol, n, l, k in supervised:
    size = ['-n', str(n), '-l', str(l), '-k', str(k)]
    out = subprocess.run([sys.executable, source + '/tests/oracle/supervised.py', protocol] + size,
                         capture_output=True, text=True, check=True)
    there = json.loads(out.stdout)
    out = subprocess.run([berth, 'check', protocol, '--whole', '--json', '--only',
                          'exclusion,values,bounded-waiting-enabling'] + size, capture_output=True, text=True)
    here = json.loads(out.stdout)
    claims = {c['property']: c for c in here['claims']}
    mine = dict(states=here['states'], transitions=here['transitions'], exclusion=claims['exclusion']['holds'],
                bound=claims['bounded-waiting-enabling']['bound'])
    theirs = dict(states=there['states'], transitions=there['transitions'], exclusion=there['max_critical'] <= l,
                  bound=there['bounded_waiting_enabling'])
    if protocol == 'flbb-buckets':  # the other has the supervisor's state in its variable, too
        mine['values'], theirs['values'] = here['values'], there['values']
    if mine != theirs:
        wrong += 1
        print(f'{protocol} n={n} l={l} k={k}: berth {mine}, oracle {theirs}')
print(f'{len(cases) + len(larger) + len(supervised)} cases, {wrong} differences')
sys.exit(wrong > 0)
END
