"""Independent oracle: python3 tests/oracle/oracle.py PROTOCOL -n N [--fault death|none] [--limit L] [--states-only]

Prints one JSON object. See models.py for the protocols, explore.py for the properties."""

import argparse
import json
import os
import resource
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import explore
import models


def run(protocol, n, fault=None, limit=4, states_only=False, seconds=None, pages=False):
    start = time.time()
    model = models.make(protocol, n, limit)
    fault = fault or model.default_fault
    system = explore.System(model, fault)
    out = dict(protocol=protocol, n=n, fault=fault)
    if protocol == 'bakery':
        out['limit'] = limit
    if states_only or pages:
        c = (explore.count_pages if pages else explore.count)(system, seconds and start + seconds)
        out.update(c)
    else:
        graph = explore.Graph(system)
        out.update(states=graph.size, transitions=graph.transitions,
                   max_critical=max(sum(r[v] == explore.C for r in graph.region) for v in range(graph.size)))
        out.update(explore.properties(graph))
        out['values'] = explore.values(system)
        out['window'] = None
        if model.clock:
            clocks = explore.clock_tables(system)
            shifts = [explore.BITS * (system.nc + i) for i in range(n)]
            out['window'] = all(explore.in_window(s, clocks, shifts, model.clock) for s in graph.states)
    out['seconds'] = round(time.time() - start, 1)
    out['mib'] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument('protocol')
    p.add_argument('-n', type=int, default=2)
    p.add_argument('--fault', choices=['death', 'none'])
    p.add_argument('--limit', type=int, default=4, help='bakery: the round limit')
    p.add_argument('--states-only', action='store_true')
    p.add_argument('--pages', action='store_true', help='states only, in less memory')
    p.add_argument('--seconds', type=float, help='give up after that many (states-only)')
    p.add_argument('--json', action='store_true', help='(always)')
    a = p.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    print(json.dumps(run(a.protocol, a.n, a.fault, a.limit, a.states_only, a.seconds, a.pages)))


if __name__ == '__main__':
    main()
