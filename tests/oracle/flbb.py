"""Oracle for Fischer, Lynch, Burns, Borodin 1979: python3 tests/oracle/flbb.py PROTOCOL -n N -l L -k K

One shared variable, one atomic read-modify-write a step. A model is initial values and step(v, x, i) -> (v, x); the
first letter of a local state is its region. Definitions are those of the paper, decided as its words have it: sets of
halted processes are enumerated, and so are groups. Prints one JSON object. With --record, the larger sizes are worked out
and kept in flbb.json, those with too many states for this as counts alone."""

import argparse
import itertools
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models

REST = ('R',)


# ----------------------------------------------------------------- the protocols

class Count:
    """COUNT; from R as from T: if COUNT < l then COUNT := COUNT + 1, to C, else to T."""

    def __init__(self, n, l):
        self.v, self.l = 0, l

    def step(self, v, x, i):
        if x[0] == 'C':
            return v - 1, REST
        return (v + 1, ('C',)) if v < self.l else (v, ('T',))

    def bound(self, n, l):
        return l + 1


class Queue:
    def __init__(self, n, l):
        self.v, self.l = (), l

    def step(self, v, x, i):
        if x[0] == 'R':
            return v + (i,), ('T',)
        if x[0] == 'T':
            return v, ('C',) if v.index(i) < self.l else x
        return tuple(p for p in v if p != i), REST

    def bound(self, n, l):
        return sum(math.factorial(n) // math.factorial(n - m) for m in range(n + 1))


class Colored:
    """V = (issue, valid, quant); tickets are (number, color)."""

    def __init__(self, n, l):
        self.n, self.l = n, l
        self.v = ((n, 1), (l, 0), (l,) + (0,) * l)

    @staticmethod
    def lead(v):
        (a, c), (b, e), _ = v
        if c == e:
            return 'valid' if b > a else 'issue' if a > b else None
        assert a != b
        return 'valid' if a > b else 'issue'

    def fresh(self, quant):
        return quant.index(0)

    def invalid(self, v, ticket):
        (a, c), (b, e), _ = v
        m, x = ticket
        if self.lead(v) != 'issue':
            return False
        if c == e:
            return x == c and b < m <= a
        return (x == e and m > b) or (x == c and m <= a)

    def step(self, v, x, i):
        (a, c), (b, e), quant = v
        if x[0] == 'R':
            ticket = (a + 1, c) if a < self.n else (1, e) if self.lead(v) == 'valid' else (1, self.fresh(quant))
            return (ticket, (b, e), quant), ('T', ticket)
        if x[0] == 'T':
            return v, x if self.invalid(v, x[1]) else ('C', x[1])
        valid = (b + 1, e) if b < self.n else (1, c) if self.lead(v) == 'issue' else (1, self.fresh(quant))
        q = list(quant)
        q[valid[1]] += 1
        q[x[1][1]] -= 1
        return ((a, c), valid, tuple(q)), REST

    def bound(self, n, l):
        return math.comb(2 * l - 1, l) * (l + 1) ** 2 * n ** 2


class BurnsCMoved(models.BurnsC):
    """Algorithm C with our exit code: the buffer is moved, if the main area is empty, before the idlers are woken."""

    def exit_start(self, main, buff, idlers):
        if main == buff == idlers == 0:
            return ('E.LAST', (), 0, 0, 0, 0)
        return self.moving(main, buff, idlers) if main == 0 else self.waking(main, buff, idlers)

    def moving(self, main, buff, idlers):
        return ('E.ENTER', (), main, buff, 0, idlers) if buff > 0 else self.waking(main, buff, idlers)

    def waking(self, main, buff, idlers):
        return ('E.GO' if idlers > 0 else 'E.ELECT', (), main, buff, 0, idlers)

    def step(self, i, unit, mem):
        if unit[0] == 'C':
            unit = self.exit_start(unit[2], unit[3], unit[5])
        pc, _, main, buff, m, idlers = unit
        v = mem.get(0)
        if pc == 'E.ENTER':
            if not models.is_s(v):
                return unit
            mem.put(0, models.ENTER)
            return ('E.ENTERACK', (), main + 1, buff + v - 1, 0, idlers)
        if pc == 'E.ENTERACK':
            return self.normalize(unit, v, mem, lambda: self.moving(main, buff, idlers))
        if pc == 'E.GOACK':
            return self.normalize(unit, v, mem, lambda: self.waking(main, buff, idlers))
        return models.BurnsC.step(self, i, unit, mem)


class Ticket:
    """The ticket lock modulo N, for the bank: one variable (next, serving)."""

    def __init__(self, n):
        self.n, self.init, self.cells = n, ('R',), ((0, 0),)

    def step(self, i, x, mem):
        following, serving = mem.get(0)
        if x[0] == 'R':
            mem.put(0, ((following + 1) % self.n, serving))
            return ('T', following)
        if x[0] == 'T':
            return ('C',) + x[1:] if serving == x[1] else x
        mem.put(0, (following, (serving + 1) % self.n))
        return self.init


class Cell:
    def __init__(self, v):
        self.v = v

    def get(self, k):
        return self.v

    def put(self, k, v):
        self.v = v


class Bank:
    """Lemma 4.1 over a system S: x is (region, state of S, f)."""

    def __init__(self, n, l, source):
        self.s, self.l, self.n = source, l, n
        self.v = (source.cells[0], 0)

    def step(self, v, x, i):
        (s, count) = v
        if x[0] == 'C':
            return (s, count - 1), REST
        unit, f = (self.s.init, 0) if x == REST else x[1:]
        if unit[0][0] == 'C':
            if count >= self.l:
                return v, x
            count, f = count + 1, 1
        cell = Cell(s)
        unit = self.s.step(i, unit, cell)
        if unit == self.s.init and f:
            return (cell.v, count), ('C',)
        return (cell.v, count), ('T', unit, f)

    def bound(self, n, l):
        s = self.s
        values = n * n if isinstance(s, Ticket) else n // 2 + 9 if isinstance(s, models.BurnsC) else \
            n + 3 if isinstance(s, models.BurnsB) else n + 6
        return (l + 1) * values


def make(protocol, n, l):
    banks = {'a': models.BurnsA, 'b': models.BurnsB, 'c': BurnsCMoved, 'fifo': Ticket}
    if protocol.startswith('flbb-bank/'):
        return Bank(n, l, banks[protocol[10:]](n))
    return {'flbb-count': Count, 'flbb-queue': Queue, 'flbb-colored': Colored}[protocol](n, l)


# ----------------------------------------------------------------- the graph

class Graph:
    def __init__(self, model, n, l, k):
        self.n, self.l, self.k = n, l, k
        start = (model.v, (REST,) * n)
        self.index, self.states, self.next = {start: 0}, [start], []
        at = 0
        while at < len(self.states):
            v, xs = self.states[at]
            row = []
            for i in range(n):
                w, x = model.step(v, xs[i], i)
                t = (w, xs[:i] + (x,) + xs[i + 1:])
                if t not in self.index:
                    self.index[t] = len(self.states)
                    self.states.append(t)
                row.append(self.index[t])
            self.next.append(row)
            at += 1
        self.size = len(self.states)
        self.region = [[x[0][0] for x in xs] for _, xs in self.states]
        self.everybody = range(n)
        self.memory = {}

    def within(self, q, letters):
        return sum(r in letters for r in self.region[q])

    def enabled(self, i, sources, goal):
        """able at q and after every finite schedule without i"""
        region, following = self.region, self.next
        bad = [not (region[q][i] in sources and region[following[q][i]][i] == goal) for q in range(self.size)]
        before = [[] for _ in bad]
        for q in range(self.size):
            for j in self.everybody:
                if j != i:
                    before[following[q][j]].append(q)
        todo = [q for q in range(self.size) if bad[q]]
        while todo:
            for p in before[todo.pop()]:
                if not bad[p]:
                    bad[p] = True
                    todo.append(p)
        return [not b for b in bad]

    def allocation(self, q, source, goal):
        """the size of the largest enabled group: at least as many go from source to goal whenever all appear"""
        key = (q, source)
        if key not in self.memory:
            who = [i for i in self.everybody if self.region[q][i] == source]
            best = 0
            for size in range(1, len(who) + 1):
                if any(self.group(q, frozenset(g), source, goal) for g in itertools.combinations(who, size)):
                    best = size
                else:
                    break                       # subsets of such a group are such groups
            self.memory[key] = best
        return self.memory[key]

    def group(self, q, members, source, goal):
        seen, todo = set(), [(q, members, frozenset())]
        while todo:
            p, left, gone = todo.pop()
            for i in self.everybody:
                t = self.next[p][i]
                after = gone | {i} if self.region[p][i] == source and self.region[t][i] == goal else gone
                if len(after) >= len(members):
                    continue
                if not left - {i}:
                    return False
                node = (t, left - {i}, after)
                if node not in seen:
                    seen.add(node)
                    todo.append(node)
        return True

    def components(self, inside, movers, keep=None):
        """Tarjan over the states with inside[q] and the steps of movers (that keep their region, with keep)"""
        order, low, done, stack, groups = {}, {}, set(), [], []

        def targets(q):
            for i in movers:
                t = self.next[q][i]
                if inside[t] and (keep is None or self.region[q][i] == self.region[t][i]):
                    yield t

        for root in range(self.size):
            if not inside[root] or root in order:
                continue
            order[root] = low[root] = len(order)
            stack.append(root)
            work = [(root, targets(root))]
            while work:
                q, more = work[-1]
                for t in more:
                    if t not in order:
                        order[t] = low[t] = len(order)
                        stack.append(t)
                        work.append((t, targets(t)))
                        break
                    if t not in done:
                        low[q] = min(low[q], order[t])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[q])
                    if low[q] == order[q]:
                        group = []
                        while not group or group[-1] != q:
                            group.append(stack.pop())
                            done.add(group[-1])
                        groups.append(group)
        return groups

    def moving(self, group, movers, keep=None):
        own = set(group)
        return {i for i in movers for q in group
                if self.next[q][i] in own and (keep is None or self.region[q][i] == self.region[self.next[q][i]][i])}

    # ------------------------------------------------------------- the properties

    def deadlock_free(self):
        """C2. By (b) only processes in T and E step; F of them fail."""
        for size in range(self.k):
            for fails in itertools.combinations(self.everybody, size):
                inside = [all(self.region[q][i] in 'TE' for i in fails) for q in range(self.size)]
                movers = [i for i in self.everybody if i not in fails]
                for group in self.components(inside, movers, keep=True):
                    busy = {i for i in movers if self.region[group[0]][i] in 'TE'}
                    moving = self.moving(group, movers, keep=True)
                    if not moving or moving != busy:
                        continue
                    q = group[0]
                    c = self.allocation(q, 'T', 'C')
                    if (self.within(q, 'T') > c and c + self.within(q, 'C') < self.l) or \
                            self.within(q, 'E') > self.allocation(q, 'E', 'R'):
                        return False
        return True

    def finite_waiting(self, waits, i, j):
        """C3, C3': for each set of halted processes"""
        others = [p for p in self.everybody if p != j]
        for size in range(len(others) + 1):
            for halted in itertools.combinations(others, size):
                movers = [p for p in self.everybody if p not in halted]
                for group in self.components(waits, movers):
                    q = group[0]
                    if sum(self.region[q][p] in 'TE' for p in halted) >= self.k:
                        continue
                    if self.moving(group, movers) == set(movers) and \
                            {'R', 'C'} <= {self.region[p][j] for p in group}:
                        return False
        return True

    def waiting_bound(self, waits, i, j):
        """C4, C4': the most cycles of j while i waits; None: no bound"""
        best = {}                               # (state, has j been seen in R) -> cycles to come
        component = {}
        for number, group in enumerate(self.components(waits, self.everybody)):     # in reverse topological order
            own = {self.region[q][j] for q in group}
            if {'R', 'C'} <= own:
                return None
            for q in group:
                component[q] = number
            for seen in (False, True):
                gain = 1 if seen and 'C' in own else 0
                now = 'R' in own or (seen and 'C' not in own)
                most = gain
                for q in group:
                    for p in self.everybody:
                        t = self.next[q][p]
                        if component.get(t) == number:
                            continue
                        if waits[t]:
                            more = best[component[t], now]
                        else:                   # the last step may end the wait
                            more = 1 if now and self.region[t][j] == 'C' else 0
                        most = max(most, gain + more)
                best[number, seen] = most
        return max((m for (_, seen), m in best.items() if not seen), default=0)


def run(protocol, n, l, k):
    model = make(protocol, n, l)
    g = Graph(model, n, l, k)
    i, j = 0, 1                                 # all run one program
    critical = [g.enabled(p, 'RT', 'C') for p in range(n)]
    leaving = g.enabled(i, 'E', 'R')
    waits = [r[i] in 'TE' for r in g.region]
    unenabled = [(r[i] == 'T' and not critical[i][q]) or (r[i] == 'E' and not leaving[q])
                 for q, r in enumerate(g.region)]
    exclusion = all(g.within(q, 'C') <= l for q in range(g.size))
    full = all(sum(critical[p][q] for p in range(n)) == min(l - g.within(q, 'C'), g.within(q, 'T')) for q in range(g.size))
    bounded = g.waiting_bound(unenabled, i, j)
    plain = g.waiting_bound(waits, i, j)
    return {'protocol': protocol, 'n': n, 'l': l, 'k': k, 'states': g.size, 'transitions': n * g.size,
            'values': len({v for v, _ in g.states}), 'values_bound': model.bound(n, l),
            'exclusion': exclusion, 'kl-deadlock-free': g.deadlock_free(),
            'finite-waiting': g.finite_waiting(waits, i, j),
            'finite-waiting-enabling': g.finite_waiting(unenabled, i, j),
            'bounded-waiting': plain, 'bounded-waiting-enabling': bounded,
            'fifo': plain == 0, 'fifo-enabling': bounded == 0, 'l-full': full,
            'queuelike': exclusion and full and bounded == 0 and all(g.within(q, 'E') == 0 for q in range(g.size))}


PROTOCOLS = ['flbb-count', 'flbb-queue', 'flbb-colored'] + ['flbb-bank/' + x for x in ('a', 'b', 'c', 'fifo')]
SMALL = [(n, l, k) for n in (2, 3) for l in range(1, n) for k in range(1, n + 1)]
LARGER = [(p, 4, l, k) for p in PROTOCOLS for l in (1, 2, 3) for k in (1, 2, 3) if (p, l) != ('flbb-colored', 3)]
COUNTED = [('flbb-colored', 4, 3, 1), ('flbb-colored', 5, 1, 1), ('flbb-colored', 5, 2, 1)]
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'flbb.json')


def count(protocol, n, l, k):
    """States and values alone."""
    model = make(protocol, n, l)
    start = (model.v, (REST,) * n)
    seen, todo = {start}, [start]
    while todo:
        v, xs = todo.pop()
        for i in range(n):
            w, x = model.step(v, xs[i], i)
            t = (w, xs[:i] + (x,) + xs[i + 1:])
            if t not in seen:
                seen.add(t)
                todo.append(t)
    return {'protocol': protocol, 'n': n, 'l': l, 'k': k, 'states': len(seen), 'transitions': n * len(seen),
            'values': len({v for v, _ in seen}), 'values_bound': model.bound(n, l)}


def record():
    results = [run(*size) for size in LARGER] + [count(*size) for size in COUNTED]
    with open(FILE + '.new', 'w') as out:
        out.write('[\n' + ',\n'.join(json.dumps(r) for r in results) + '\n]\n')
    os.replace(FILE + '.new', FILE)


def main():
    if sys.argv[1:] == ['--record']:
        return record()
    parser = argparse.ArgumentParser()
    parser.add_argument('protocol')
    for name in 'nlk':
        parser.add_argument('-' + name, type=int, default=1)
    a = parser.parse_args()
    print(json.dumps(run(a.protocol, a.n, a.l, a.k)))


if __name__ == '__main__':
    main()
