"""Independent models of Fischer, Lynch, Burns, Borodin 1979, Lemma 4.4 (buckets with a supervisor) and of Theorem 4.3 at
sizes where its state stays in the shared variable (n <= c1): python3 tests/oracle/supervised.py flbb-buckets|flbb-robust
-n N -l L -k K prints one JSON object. Written from the paper alone, without reading the C.

The one step of a worker or of the supervisor is a function from (v, own state) to the same; v is a dict while it is worked
on and a sorted tuple when it is kept. Plain definitions: CEn by taking away until nothing changes, the bound of C4' by
longest paths with a cap."""

import argparse
import json


class Buckets:
    def __init__(self, n, l, k):
        self.n, self.l, self.k = n, l, max(k, 2)
        self.colors = range(l + 3)
        self.c1 = l * (self.k - 1) + 2 * self.k - 2
        v = dict(buf=0, main=1, gate=2, bufcount=0, cscount=0, move=False)
        v.update({('enb', c): 0 for c in self.colors})
        v.update({('elig', c): 'H' for c in self.colors})
        self.v0, self.w0 = v, 'R'
        self.x0 = dict(at='drop', queue=(), maincount=0, gatecount=0)    # queue: pairs of a colour and its count

    def worker(self, v, w):
        if w == 'R':
            v['bufcount'] += 1
            return ('T', v['buf'])
        if w == 'C':
            v['cscount'] -= 1
            return 'R'
        c = w[1]
        if v['enb', c] > 0:
            v['enb', c] -= 1
            v['cscount'] += 1
            return 'C'
        if v['move'] and c == v['main']:
            v['move'] = False
            return ('T', v['gate'])
        return w

    def newcolor(self, v, x, *used):
        c = min(set(self.colors) - {c for c, _ in x['queue']} - set(used))
        v['enb', c], v['elig', c] = 0, 'H'
        return c

    def then(self, x, *stages):
        """The next of these stages that has anything to do."""
        for s in stages:
            if (s == 'copy' and x['maincount'] == 0) or (s == 'fill' and x['gatecount'] == 0) or \
                    (s == 'append' and len(x['queue']) < self.l) or s == 'enable':
                x['at'] = s
                return

    def supervisor(self, v, x):
        at = x['at']
        if at == 'drop':
            x['queue'] = tuple((c, m) for c, m in x['queue'] if m + v['enb', c] > 0)
            self.then(x, 'copy', 'fill', 'append', 'enable')
        elif at == 'copy':
            if v['bufcount'] != x['maincount']:
                x['maincount'] += 1
            else:
                v['main'] = v['buf']
                v['buf'] = self.newcolor(v, x, v['main'], v['gate'])
                v['bufcount'] = 0
                self.then(x, 'fill', 'append', 'enable')
        elif at == 'fill':
            if x['maincount'] <= self.k - 1:
                v['gate'], x['gatecount'], x['maincount'] = v['main'], x['maincount'], 0
                v['main'] = self.newcolor(v, x, v['buf'], v['gate'])
                self.then(x, 'append', 'enable')
            else:
                v['move'] = True
                x['at'] = 'wait'
        elif at == 'wait':
            if not v['move']:
                x['maincount'] -= 1
                x['gatecount'] = 1
                self.then(x, 'append', 'enable')
        elif at == 'append':
            g = v['gate']
            x['queue'] += ((g, x['gatecount']),)
            v['enb', g], v['elig', g] = 0, 'Q'
            v['gate'] = self.newcolor(v, x, v['buf'], v['main'])
            x['gatecount'] = 0
            self.then(x, 'enable')
        else:
            waiting = [i for i, (_, m) in enumerate(x['queue']) if m > 0]
            if v['cscount'] + sum(v['enb', c] for c, _ in x['queue']) < self.l and waiting:
                i = waiting[0]
                c, m = x['queue'][i]
                v['enb', c] += 1
                v['elig', c] = 'D'
                x['queue'] = x['queue'][:i] + ((c, m - 1),) + x['queue'][i + 1:]
            x['at'] = 'drop'


def keep(d):
    return tuple(sorted(d.items(), key=repr))


def explore(s, eliminated):
    """States (v, x, workers) and their successors, by process; the supervisor is the last."""
    first = (keep(s.v0), keep(s.x0), (s.w0,) * s.n)
    index, states, edges = {first: 0}, [first], []
    for v, x, ws in states:
        row = []
        for p in range(s.n + (not eliminated)):
            nv, nx, nw = dict(v), dict(x), list(ws)
            if p < s.n:
                nw[p] = s.worker(nv, ws[p])
            if p == s.n or eliminated:
                s.supervisor(nv, nx)
            t = (keep(nv), keep(nx), tuple(nw))
            if t not in index:
                index[t] = len(states)
                states.append(t)
            row.append(index[t])
        edges.append(row)
    return states, edges


def region(w):
    return w[0]


def enabled(states, edges, i):
    """CEn of process i: able, and so after every step of the others."""
    able = [region(s[2][i]) in 'RT' and region(states[edges[u][i]][2][i]) == 'C' for u, s in enumerate(states)]
    changed = True
    while changed:
        changed = False
        for u in range(len(states)):
            if able[u] and not all(able[t] for p, t in enumerate(edges[u]) if p != i):
                able[u] = False
                changed = True
    return able


def bound(states, edges, i, j, cap=50):
    """The most cycles of j, from R to C, along a way on which i tries and is not enabled; the last step may end that."""
    can = enabled(states, edges, i)
    inside = [region(s[2][i]) == 'T' and not can[u] for u, s in enumerate(states)]
    most = [[0, 0] for _ in states]     # from here on, j not seen and seen in R since it was counted last
    changed = True
    while changed:
        changed = False
        for u in range(len(states) - 1, -1, -1):
            at = region(states[u][2][j])
            for seen in (0, 1):
                gain = 1 if seen and at == 'C' else 0
                after = 1 if at == 'R' else 0 if at == 'C' else seen
                best = gain + (max(most[t][after] for t in edges[u]) if inside[u] else 0)
                if best > most[u][seen]:
                    most[u][seen] = best
                    changed = True
                    if best > cap:
                        return None
    return max(most[u][0] for u in range(len(states)) if inside[u])


def main():
    p = argparse.ArgumentParser()
    p.add_argument('protocol', choices=['flbb-buckets', 'flbb-robust'])
    p.add_argument('-n', type=int, default=2)
    p.add_argument('-l', type=int, default=1)
    p.add_argument('-k', type=int, default=2)
    a = p.parse_args()
    system = Buckets(a.n, a.l, a.k)
    eliminated = a.protocol == 'flbb-robust'
    assert not eliminated or a.n <= system.c1, 'beyond c1 the state is distributed'
    states, edges = explore(system, eliminated)
    print(json.dumps(dict(protocol=a.protocol, n=a.n, l=a.l, k=a.k, states=len(states),
                          transitions=sum(map(len, edges)),
                          max_critical=max(sum(w == 'C' for w in s[2]) for s in states),
                          values=len({s[0] for s in states}), bounded_waiting_enabling=bound(states, edges, 0, 1))))


if __name__ == '__main__':
    main()
