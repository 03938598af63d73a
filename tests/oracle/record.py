"""Runs the oracle for the sizes below, one at a time, and keeps results.json up to date."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, 'results.json')
RUNS = ['rp-two -n 2', 'burns-bit -n 2', 'burns-bit -n 3', 'burns-bit -n 4', 'burns-bit -n 5']
RUNS += ['burns-%s -n %d' % (x, n) for n in (1, 2, 3, 4) for x in 'abc']
RUNS += ['rp-n -n 2', 'rp-n/printed -n 2', 'rp-linear -n 2', 'rp-linear/padded -n 2', 'peterson -n 2', 'peterson -n 3',
         'bakery -n 2 --limit 4', 'bakery -n 3 --limit 4', 'rp-n -n 3', 'rp-n/printed -n 3', 'peterson -n 4 --states-only']


def record(args):
    p = subprocess.run([sys.executable, os.path.join(HERE, 'oracle.py')] + args.split(), capture_output=True, text=True,
                       timeout=310)
    if p.returncode:
        print(args, 'failed:', p.stderr[-300:])
        return
    new = json.loads(p.stdout)
    key = lambda r: (r['protocol'], r['n'], r['fault'], r.get('limit'))
    results = json.load(open(FILE)) if os.path.exists(FILE) else []
    results = [r for r in results if key(r) != key(new)] + [new]
    with open(FILE + '.new', 'w') as f:
        f.write('[\n' + ',\n'.join(json.dumps(r) for r in results) + '\n]\n')
    os.replace(FILE + '.new', FILE)
    print(p.stdout, end='', flush=True)


for args in sys.argv[1:] or RUNS:
    try:
        record(args)
    except subprocess.TimeoutExpired:
        print(args, 'took too long', flush=True)
