#!/bin/sh
# The pool keeps states that differ by an exchange of processes once, and counts each for all that it stands for
# (ORBIT): as many as without, three processes and four. Where no-memory is asked too, nobody is exchanged. Properties
# of single processes come out as without. What has been found with exchanges stays found.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }
exec python3 - "$BERTH" <<'END'
import json, subprocess, sys

CASES = ['pool/patient -n 4', 'pool/patient -n 3 -l 2']
ASKED = 'exclusion,distinct-slots,no-slot-lost'
BY_NAME = ASKED + ',deadlock-free,lockout-free,fifo,fifo-enabling,first-in-first-enabled'
wrong = 0


def check(case, asked):
    command = [sys.argv[1], 'check', *case.split(), '--fault', 'none', '--only', asked, '--json']
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


def facts(report):
    answers = {c['property']: (c['holds'], c['witness_steps']) for c in report['claims'] if c['property'] != 'no-memory'}
    return report['states'], report['transitions'], report['depth'], report['end'], answers


for case, asked in [(case, ASKED) for case in CASES] + [('pool/patient -n 3', BY_NAME)]:
    kept, all_of_them = check(case, asked), check(case, asked + ',no-memory')
    n = int(case.split()[2])
    if facts(kept) != facts(all_of_them):
        print(f'{case}: {facts(kept)} with exchanges, {facts(all_of_them)} without')
        wrong += 1
    if all_of_them['stored'] != all_of_them['states'] or kept['stored'] * (n - 1) > kept['states']:
        print(f"{case}: {kept['stored']} and {all_of_them['stored']} of {kept['states']} states were kept")
        wrong += 1

# What fails is found with exchanges first, and then once more without, which takes more memory. It stays found where
# there is not enough for that, without a witness.
found = []
for memory in (2, 4, 6, 8, 12, 20):
    command = [sys.argv[1], 'check', 'pool/no-help', '--kills', '1', '--only', 'no-slot-lost', '--threads', '1',
               '--memory', f'{memory}M', '--json']
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    claim = json.loads(done.stdout)['claims'][0]
    found.append((done.returncode, claim['holds'], claim['witness_steps'] is not None))
if found != sorted(found, key=lambda one: [(3, None, False), (1, False, False), (1, False, True)].index(one)) or \
        len(set(found)) != 3:
    print(f'pool/no-help from 2 to 20 MiB: {found}')
    wrong += 1
sys.exit(wrong > 0)
END
