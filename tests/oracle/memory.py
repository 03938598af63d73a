#!/usr/bin/env python3
"""Store buffers, weak registers and remote references, a second time: a few locks written down by hand as
tables of accesses, and a plain search over all their states. Prints what it finds as JSON."""
import json
import sys
from collections import deque


# ---- the locks: what process `me` does next in the local state s, which begins with its place ----
# ('r', cell, f): reads, and goes on with f(value); ('w', cell, value, then); ('u', cell, f): in one step,
# f(value) is what to store, or None, and where to go on. A cell is (name, index).

class Lock:
    first = {}

    def __init__(self, n, limit=4):
        self.n, self.limit = n, limit

    def others(self, me):
        return [q for q in range(self.n) if q != me]

    def may_begin(self, memory):
        return True

    def home(self, cell):
        return None

    def owner(self, cell):
        return None


class Peterson(Lock):
    def cells(self):
        return ([(('level', i), self.n) for i in range(self.n)] +
                [(('last', j), self.n) for j in range(self.n - 1)])

    def owner(self, cell):
        return cell[1] if cell[0] == 'level' else None

    home = owner

    def on(self, me, j):
        return ('level', j + 1) if j + 1 < self.n else ('C',)

    def access(self, me, s):
        if s[0] == 'R':
            return ('w', ('level', me), 1, ('last', 1))
        if s[0] == 'level':
            return ('w', ('level', me), s[1], ('last', s[1]))
        if s[0] == 'last':
            return ('w', ('last', s[1] - 1), me, ('wait', s[1], self.others(me)[0]))
        if s[0] == 'wait':
            _, j, q = s
            later = [o for o in self.others(me) if o > q]
            return ('r', ('level', q), lambda v: ('see', j) if v >= j
                    else ('wait', j, later[0]) if later else self.on(me, j))
        if s[0] == 'see':
            j = s[1]
            return ('r', ('last', j - 1), lambda v: ('wait', j, self.others(me)[0]) if v == me
                    else self.on(me, j))
        return ('w', ('level', me), 0, ('R',))

    def region(self, s):
        return s[0] if s[0] in 'RC' else 'T'


class Bakery(Lock):
    def cells(self):
        return ([(('choosing', i), 2) for i in range(self.n)] +
                [(('number', i), self.limit + self.n) for i in range(self.n)])

    def owner(self, cell):
        return cell[1]

    home = owner

    def may_begin(self, memory):
        return all(v < self.limit for (name, _), v in memory.items() if name == 'number')

    def access(self, me, s):
        others = self.others(me)
        if s[0] == 'R':
            return ('w', ('choosing', me), 1, ('most', others[0], 0))
        if s[0] == 'most':
            _, q, most = s
            later = [o for o in others if o > q]
            return ('r', ('number', q), lambda v: ('most', later[0], max(most, v)) if later
                    else ('take', max(most, v)))
        if s[0] == 'take':
            return ('w', ('number', me), s[1] + 1, ('chosen', s[1] + 1))
        if s[0] == 'chosen':
            return ('w', ('choosing', me), 0, ('choosing', others[0], s[1]))
        if s[0] == 'choosing':
            _, q, mine = s
            return ('r', ('choosing', q), lambda v: ('number', q, mine) if v == 0 else s)
        if s[0] == 'number':
            _, q, mine = s
            later = [o for o in others if o > q]
            on = ('choosing', later[0], mine) if later else ('C',)
            return ('r', ('number', q), lambda v: on if v == 0 or (v, q) > (mine, me) else s)
        return ('w', ('number', me), 0, ('R',))

    def region(self, s):
        return s[0] if s[0] in 'RC' else 'T'


class Ticket(Lock):
    def cells(self):
        return [(('next', 0), self.n), (('serving', 0), self.n)]

    def access(self, me, s):
        if s[0] == 'R':
            return ('u', ('next', 0), lambda v: ((v + 1) % self.n, ('wait', v)))
        if s[0] == 'wait':
            return ('r', ('serving', 0), lambda v: ('C', s[1]) if v == s[1] else s)
        return ('w', ('serving', 0), (s[1] + 1) % self.n, ('R',))

    def region(self, s):
        return s[0] if s[0] in 'RC' else 'T'


class TestAndSet(Lock):
    def cells(self):
        return [(('lock', 0), 2)]

    def access(self, me, s):
        if s[0] == 'R':
            return ('u', ('lock', 0), lambda v: (1, ('C',)) if v == 0 else (None, ('T',)))
        if s[0] == 'T':
            return ('u', ('lock', 0), lambda v: (1, ('C',)) if v == 0 else (None, s))
        return ('w', ('lock', 0), 0, ('R',))

    def region(self, s):
        return s[0]


class Anderson(Lock):
    first = {('flags', 0): 1}

    def cells(self):
        return [(('last', 0), self.n)] + [(('flags', i), 2) for i in range(self.n)]

    def access(self, me, s):
        if s[0] == 'R':
            return ('u', ('last', 0), lambda v: ((v + 1) % self.n, ('wait', v)))
        if s[0] == 'wait':
            return ('r', ('flags', s[1]), lambda v: ('C', s[1]) if v == 1 else s)
        if s[0] == 'C':
            return ('w', ('flags', s[1]), 0, ('pass', s[1]))
        return ('w', ('flags', (s[1] + 1) % self.n), 1, ('R',))

    def region(self, s):
        return s[0] if s[0] in 'RC' else 'E' if s[0] == 'pass' else 'T'


class Mcs(Lock):
    def cells(self):
        return ([(('L', 0), self.n + 1)] + [(('next', i), self.n + 1) for i in range(self.n)] +
                [(('locked', i), 2) for i in range(self.n)])

    def home(self, cell):
        return None if cell[0] == 'L' else cell[1]

    def access(self, me, s):
        i = me + 1
        if s[0] == 'R':
            return ('w', ('next', me), 0, ('swap',))
        if s[0] == 'swap':
            return ('u', ('L', 0), lambda v: (i, ('locked', v) if v else ('C',)))
        if s[0] == 'locked':
            return ('w', ('locked', me), 1, ('link', s[1]))
        if s[0] == 'link':
            return ('w', ('next', s[1] - 1), i, ('wait',))
        if s[0] == 'wait':
            return ('r', ('locked', me), lambda v: ('C',) if v == 0 else s)
        if s[0] == 'C':
            return ('r', ('next', me), lambda v: ('unlock', v) if v else ('cas',))
        if s[0] == 'cas':
            return ('u', ('L', 0), lambda v: (0, ('R',)) if v == i else (None, ('late',)))
        if s[0] == 'late':
            return ('r', ('next', me), lambda v: ('unlock', v) if v else s)
        return ('w', ('locked', s[1] - 1), 0, ('R',))

    def region(self, s):
        return s[0] if s[0] in 'RC' else 'E' if s[0] in ('cas', 'late', 'unlock') else 'T'


LOCKS = {'peterson': Peterson, 'bakery': Bakery, 'ticket-lock': Ticket, 'test-and-set': TestAndSet,
         'anderson': Anderson, 'mcs': Mcs}


# ---- memories: the moves from a state (memory, locals, more), as (who, next, remote?, kind) ----

def put(values, i, value):
    return values[:i] + (value,) + values[i + 1:]


class System:
    def __init__(self, lock, kind, size, passages, ordered=()):
        self.lock, self.kind, self.size, self.n, self.passages = lock, kind, size, lock.n, passages
        self.ordered = ordered  # places whose stores do not wait
        self.names = [c for c, _ in lock.cells()]
        self.range = dict(lock.cells())
        self.index = {c: i for i, c in enumerate(self.names)}

    def initial(self):
        more = {'tso': ((),) * self.n, 'cc': (frozenset(),) * self.n}.get(self.kind, (None,) * self.n)
        return (tuple(self.lock.first.get(c, 0) for c in self.names), (('R',),) * self.n, more,
                (0,) * self.n)

    def moves(self, state):
        """Counts how often each process leaves its remainder, and limits it."""
        for p in range(self.n):
            for who, (memory, local, more), remote in getattr(self, 'step_' + self.kind)(state, p):
                count = state[3]
                rests = state[1][p] == ('R',) and not (self.is_weak() and state[2][p] is not None)
                if who == p and rests and self.passages:
                    if count[p] == self.passages:
                        continue
                    count = put(count, p, count[p] + 1)
                yield who, (memory, local, more, count), remote

    def is_weak(self):
        return self.kind in ('safe', 'regular')

    def plain(self, state, p, see):
        """The access of p, reading by `see`: what cell, what is stored there or None, then what, how."""
        kind, cell, *rest = self.lock.access(p, state[1][p])
        if kind == 'r':
            return cell, None, rest[0](see(cell)), kind
        if kind == 'w':
            return cell, rest[0], rest[1], kind
        stored, then = rest[0](see(cell))
        return cell, stored, then, kind

    def step_sc(self, state, p):
        memory, local, more = state[:3]
        if not self.passages and state[1][p] == ('R',) and not self.lock.may_begin(
                dict(zip(self.names, memory))):
            return
        cell, stored, then, _ = self.plain(state, p, lambda c: memory[self.index[c]])
        if stored is not None:
            memory = put(memory, self.index[cell], stored)
        yield p, (memory, put(local, p, then), more), False

    def step_tso(self, state, p):
        memory, local, more = state[:3]
        mine = more[p]
        if mine:
            cell, value = mine[0]
            yield 'B', (put(memory, self.index[cell], value), local, put(more, p, mine[1:])), False
        else:
            yield 'B', state[:3], False
        newest = dict(mine)
        cell, stored, then, kind = self.plain(
            state, p, lambda c: newest.get(c, memory[self.index[c]]))
        if kind == 'u' or (kind == 'w' and local[p][0] in self.ordered):
            if mine:
                return
            if stored is not None:
                memory = put(memory, self.index[cell], stored)
        elif kind == 'w':
            if len(mine) == self.size:
                return
            more = put(more, p, mine + ((cell, stored),))
        yield p, (memory, put(local, p, then), more), False

    def weak(self, state, p, safe):
        memory, local, more = state[:3]

        def write_of(q):
            return self.plain(state, q, lambda c: memory[self.index[c]])[:2]

        def shown(q):
            cell, stored = write_of(q)
            return cell, more[q] if safe else stored if more[q] else memory[self.index[cell]]
        if more[p] is not None:
            values = self.range[write_of(p)[0]]
            if isinstance(self.lock, Bakery):
                values = min(values, self.n * self.passages + 1)
            yield 'R', (memory, local, put(more, p, (more[p] + 1) % (values if safe else 2))), False
        else:
            yield 'R', state[:3], False
        seen = dict(shown(q) for q in range(self.n) if q != p and more[q] is not None)
        cell, stored, then, kind = self.plain(
            state, p, lambda c: seen.get(c, memory[self.index[c]]))
        if kind == 'w' and self.lock.owner(cell) == p and more[p] is None:
            yield p, (memory, local, put(more, p, 0)), False
            return
        if stored is not None:
            memory = put(memory, self.index[cell], stored)
        yield p, (memory, put(local, p, then), put(more, p, None)), False

    def step_safe(self, state, p):
        yield from self.weak(state, p, True)

    def step_regular(self, state, p):
        yield from self.weak(state, p, False)

    def step_dsm(self, state, p):
        for who, then, _ in self.step_sc(state, p):
            cell = self.lock.access(p, state[1][p])[1]
            yield who, then, self.lock.home(cell) != p

    def step_cc(self, state, p):
        memory, _, copies = state[:3]
        for who, (after, local, _), _ in self.step_sc(state, p):
            kind, cell = self.lock.access(p, state[1][p])[:2]
            remote = kind != 'r' or cell not in copies[p]
            wrote = kind == 'w' or after != memory
            now = [c - {cell} if wrote and q != p else c for q, c in enumerate(copies)]
            now[p] = now[p] | {cell} if local[p][0] != 'R' else frozenset()
            yield who, (after, local, tuple(now)), remote

    def critical(self, state):
        """In the middle of its first write out of the critical region a process has left it."""
        return sum(self.lock.region(s) == 'C' and not (self.is_weak() and m is not None)
                   for s, m in zip(state[1], state[2]))


def explore(system):
    first = system.initial()
    seen, queue, edges, most, transitions = {first: 0}, deque([first]), [], 0, 0
    while queue:
        state = queue.popleft()
        most = max(most, system.critical(state))
        for who, then, remote in system.moves(state):
            transitions += 1
            if then not in seen:
                seen[then] = len(seen)
                queue.append(then)
            edges.append((seen[state], who, seen[then], remote))
    return list(seen), edges, most, transitions


def most_remote(system, states, edges, p):
    """The most remote references of p on one passage, or None where there is no bound: the longest way, by
    going over all edges until nothing changes; a count beyond their number has a cycle in it."""
    at_rest = [system.lock.region(s[1][p]) == 'R' for s in states]
    count = [0] * len(states)
    inside = [(a, b, int(remote and who == p)) for a, who, b, remote in edges
              if not at_rest[a] or who == p]
    limit = 1 + sum(w for _, _, w in inside)
    changed, rounds = True, 0
    while changed:
        changed, rounds = False, rounds + 1
        for a, b, w in inside:
            new = w + (0 if at_rest[b] else count[b])
            if new > count[a]:
                count[a] = new
                changed = True
        if max(count) > limit or rounds > 200:
            return None
    return max(count)


def main():
    name, n, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    size, passages, limit = (int(a) for a in sys.argv[4:7])  # of a buffer; 0: any number; of a counter
    system = System(LOCKS[name](n, limit=limit), kind, size, passages, sys.argv[7:])
    states, edges, most, transitions = explore(system)
    found = dict(states=len(states), transitions=transitions, exclusion=most <= 1)
    if kind in ('cc', 'dsm'):
        bounds = [most_remote(system, states, edges, p) for p in range(n)]
        found['rmr'] = None if None in bounds else max(bounds)
    print(json.dumps(found))


main()
