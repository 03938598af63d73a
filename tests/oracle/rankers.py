"""Singh 1993 again, written from the paper: python3 tests/oracle/rankers.py PROTOCOL [-n N] [-l L] [--ranker R] [--reads W]
[--graph G] [--limit L] prints one JSON object. Ranks are negative integers here, as in the paper, and cut off at --limit; those of
ranker 0 are integers too, moved by multiples of 3 so that there are finitely many.

A state is (st, r, extra, procs): the colours and the ranks of what is ranked, other shared variables, and for each process its
place and its local variables. successors() gives (process, state) for each step; a step with a choice gives two.
"""
import argparse
import json
import sys

WHITE, GREY, BLACK = 'wgb'
REST = ('R',)


def put(t, i, x):
    return t[:i] + (x,) + t[i + 1:]


class Ranked:
    """The rankers of section 9. A place of a process while it ranks entity u: ('c', u, v, m), ('t', u, v, m), ('r', u, m),
    ('b', u); for ranker 0 ('t0', u, v) and ('r0', u, v, t). What comes after is told by granted()."""
    things = False

    def __init__(self, n, l, ranker, limit):
        self.n, self.l, self.ranker, self.limit = n, l, ranker, limit
        self.count = l if self.things else n

    def low(self, r, u, v):
        if self.ranker == '0':
            return r[u][v] < r[v][u]
        return r[u] < r[v] or (self.ranker != 'a' and r[u] == r[v] and u > v)

    def initial(self):
        zero = (0,) * self.count
        r = (zero,) * self.count if self.ranker == '0' else zero
        return (WHITE,) * self.count, r, self.extra(), (REST,) * self.n

    def extra(self):
        return ()

    def after(self, v, u):
        return next((w for w in range(v + 1, self.count) if w != u), None)

    def begun(self, u, r):
        """The place of a process that has just turned entity u grey."""
        v = self.after(-1, u)
        if self.ranker == '0':
            return ('b', u) if v is None else ('t0', u, v)
        m = r[u] if self.ranker == 's' else 0
        return ('r', u, m) if v is None else ('c', u, v, m)

    def ranking(self, p, state):
        """A step of p while it ranks; None: it does not."""
        st, r, extra, procs = state
        here = procs[p]
        def at(place, st=st, r=r):
            return [self.fit((st, r, extra, put(procs, p, place)))]
        def on(u, v, m):
            w = self.after(v, u)
            return at(('r', u, m) if w is None else ('c', u, w, m))
        if here[0] == 'c':
            _, u, v, m = here
            return at(('t', u, v, m)) if st[v] == BLACK else on(u, v, m)
        if here[0] == 't':
            _, u, v, m = here
            return on(u, v, min(m, r[v] - 1))
        if here[0] == 'r':
            return at(('b', here[1]), r=put(r, here[1], here[2]))
        if here[0] == 't0':
            _, u, v = here
            return at(('r0', u, v, r[v][u] - 1))
        if here[0] == 'r0':
            _, u, v, t = here
            w = self.after(v, u)
            return at(('b', u) if w is None else ('t0', u, w), r=put(r, u, put(r[u], v, t)))
        if here[0] == 'b':
            u = here[1]
            return [(put(st, u, BLACK), r, extra, put(procs, p, self.granted(p, (put(st, u, BLACK), r, extra, procs))))]
        return None

    def fit(self, state):
        """Ranker 0: the numbers of a pair only matter by their difference; moved together, by a multiple of 3."""
        if self.ranker != '0':
            return state
        st, r, extra, procs = state
        r, procs = [list(x) for x in r], list(procs)
        for u in range(self.count):
            for v in range(u):
                shift = -(r[u][v] // 3) * 3
                r[u][v] += shift
                r[v][u] += shift
                for p, here in enumerate(procs):
                    if here[0] == 'r0' and {here[1], here[2]} == {u, v}:
                        procs[p] = here[:3] + (here[3] + shift,)
                    elif here[0] == 'w2' and here[4] is not None and {here[1], here[2]} == {u, v}:
                        procs[p] = here[:4] + (('rank', here[4][1] + shift),) + here[5:]
        return st, tuple(tuple(x) for x in r), extra, tuple(procs)

    def may_begin(self, r):
        return self.limit == 0 or self.ranker == '0' or all(-x < self.limit for x in r)

    def successors(self, state):
        for p in range(self.n):
            for s in self.ranking(p, state) or self.step(p, state):
                yield p, s

    def region(self, here):
        return {'R': 'R', 'C': 'C', 'E': 'E'}.get(here[0], 'T')

    def past(self, here):
        return here[0] in ('w', 'w2', 'need', 'x', 'lock')

    def clash(self, state, inside):
        return len(inside) > self.l

    def rivals(self, state, u, v):
        """Whether the order of u and v matters."""
        return self.clash(state, {u, v})


class Ranker(Ranked):
    """A ranker by itself."""
    def granted(self, p, state):
        return ('C',)

    def step(self, p, state):
        st, r, extra, procs = state
        if procs[p] == REST:
            if not self.may_begin(r):
                return []
            return [(put(st, p, GREY), r, extra, put(procs, p, self.begun(p, r)))]
        return [(put(st, p, WHITE), r, extra, put(procs, p, REST))]

    def clash(self, state, inside):
        return False


class Looking(Ranked):
    """Comparing with others. ('w', u, v, checked) is about to look at v, ('w2', u, v, checked, m) in the middle of it; m is
    None where the state has been read, ('rank', ..) where the rank has."""
    def __init__(self, n, l, ranker, limit, reads):
        super().__init__(n, l, ranker, limit)
        self.reads = reads

    def seen(self, r, u, v):
        return ('rank', r[v][u] if self.ranker == '0' else r[v])

    def with_rank(self, r, u, v, rank):
        """The ranks as u believes them to be."""
        return put(r, v, put(r[v], u, rank[1])) if self.ranker == '0' else put(r, v, rank[1])

    def by_colour(self, colour):
        raise NotImplementedError

    def by_rank(self, r, u, v):
        raise NotImplementedError

    def look(self, p, state):
        """(outcome, place): outcome True or False once it is known whether u need not wait for v; None: place is next."""
        st, r, _, procs = state
        here = procs[p]
        u, v, checked = here[1:4]
        if here[0] == 'w':
            if self.reads == 'packed':
                says = self.by_colour(st[v])
                return (self.by_rank(r, u, v) if says is None else says), None
            if self.reads == 'state-rank':
                says = self.by_colour(st[v])
                return says, ('w2', u, v, checked, None)
            return None, ('w2', u, v, checked, self.seen(r, u, v))
        if here[4] is None:
            return self.by_rank(r, u, v), None
        says = self.by_colour(st[v])
        return (self.by_rank(self.with_rank(r, u, v, here[4]), u, v) if says is None else says), None

    @staticmethod
    def turn(others, v, count):
        """The next of the others after v, going round."""
        return next(w % count for w in range(v + 1, v + 1 + count) if w % count in others)


class Hungry(Looking):
    """Sections 7 and 8."""
    timeout = ties = False
    greys = False           # compares with grey processes, as ranker S allows

    def __init__(self, n, l, ranker, limit, reads, graph):
        super().__init__(n, l, ranker, limit, reads)
        self.near = [frozenset(v for v in range(n) if v != u and self.adjacent(u, v, graph)) for u in range(n)]

    def adjacent(self, u, v, graph):
        if graph == 'ring':
            return (u - v) % self.n in (1, self.n - 1)
        return graph == 'complete' or abs(u - v) == 1

    def by_colour(self, colour):
        return True if colour == WHITE else None if colour == BLACK or (self.greys and self.ranker == 's') else False

    def by_rank(self, r, u, v):
        return self.low(r, v, u) or (self.ties and not self.low(r, u, v) and v > u)

    def others(self, u, extra):
        return self.near[u]

    def enough(self, u, extra, checked):
        return checked >= self.others(u, extra)

    def on(self, u, v, extra, checked):
        if self.enough(u, extra, checked):
            return ('C',)
        return ('w', u, self.turn(self.others(u, extra) - checked, v, self.n), checked)

    def granted(self, p, state):
        return self.on(p, p, state[2], frozenset())

    def hungry(self, p, state):
        st, r, extra, procs = state
        return [(put(st, p, GREY), r, extra, put(procs, p, self.begun(p, r)))]

    def leave(self, p, state):
        st, r, extra, procs = state
        return [(put(st, p, WHITE), r, extra, put(procs, p, REST))]

    def step(self, p, state):
        st, r, extra, procs = state
        here = procs[p]
        if here == REST:
            return self.hungry(p, state) if self.may_begin(r) else []
        if here[0] in ('C', 'x'):
            return self.leave(p, state)
        return self.looked(p, state, *self.look(p, state))

    def looked(self, p, state, outcome, place):
        st, r, extra, procs = state
        here = procs[p]
        if outcome is None:
            return [self.fit((st, r, extra, put(procs, p, place)))]
        u, v, checked = here[1:4]
        if outcome:
            return [(st, r, extra, put(procs, p, self.on(u, v, extra, checked | {v})))]
        ways = [self.on(u, v, extra, checked)] + ([('x',)] if self.timeout else [])
        return [(st, r, extra, put(procs, p, way)) for way in ways]

    def clash(self, state, inside):
        return any(v in self.near[u] for u in inside for v in inside)


class TwoProcess(Hungry):
    ties = True


class WithTimeout(Hungry):
    timeout = greys = True


class KExclusion(Hungry):
    greys = True

    def enough(self, u, extra, checked):
        return len(checked) >= self.n - self.l

    def clash(self, state, inside):
        return len(inside) > self.l

    def rivals(self, state, u, v):
        return True


class Doorway(Hungry):
    """Section 6. With `lock`, a test-and-set lock within it; with `alone`, only that."""
    lock = alone = False

    def extra(self):
        return (0,)

    def by_colour(self, colour):
        return None if colour == BLACK else True

    def by_rank(self, r, u, v):
        return not self.low(r, u, v)

    def on(self, u, v, extra, checked):
        place = super().on(u, v, extra, checked)
        return ('lock',) if place == ('C',) and self.lock else place

    def step(self, p, state):
        st, r, extra, procs = state
        here = procs[p]
        if here == ('lock',) or (here == REST and self.alone):
            return [(st, r, (1,), put(procs, p, ('C',))) if extra[0] == 0 else (st, r, extra, put(procs, p, ('lock',)))]
        if here == ('C',) and self.lock:
            return [(st, r, (0,), put(procs, p, REST if self.alone else ('E',)))]
        if here == ('E',):
            return self.leave(p, state)
        return super().step(p, state)

    def clash(self, state, inside):
        return self.lock and len(inside) > 1


class DoorwayTimeout(Doorway):
    timeout = True


class Lock(Doorway):
    lock = alone = True


class Composed(Doorway):
    lock = True


class Drinking(Hungry):
    """need[u], a set of neighbours, is chosen one bottle at a time before u asks for its rank, and is dropped afterwards."""
    def extra(self):
        return (frozenset(),) * self.n

    def others(self, u, extra):
        return extra[u]

    def bottles(self, p, state, v):
        st, r, need, procs = state
        last = v == max(self.near[p])
        out = []
        for takes in ([True] if last and not need[p] else [False, True]):
            more = put(need, p, need[p] | {v}) if takes else need
            after = min((w for w in self.near[p] if w > v), default=None)
            out.append((st, r, more, put(procs, p, ('ask',) if last else ('choose', after))))
        return out

    def on(self, u, v, extra, checked):
        place = super().on(u, v, extra, checked)
        return place if place == ('C',) else ('need',) + place[1:]

    def step(self, p, state):
        st, r, need, procs = state
        here = procs[p]
        if here == REST:
            return self.bottles(p, state, min(self.near[p])) if self.may_begin(r) else []
        if here[0] == 'choose':
            return self.bottles(p, state, here[1])
        if here[0] == 'ask':
            return self.hungry(p, state)
        if here[0] == 'C':
            return [(put(st, p, WHITE), r, need, put(procs, p, ('E',)))]
        if here[0] == 'E':
            return [(st, r, put(need, p, frozenset()), put(procs, p, REST))]
        if here[0] == 'need':
            _, u, v, checked = here
            if p not in need[v]:
                return [(st, r, need, put(procs, p, self.on(u, v, need, checked | {v})))]
            return [(st, r, need, put(procs, p, ('w',) + here[1:]))]
        return super().step(p, state)

    def clash(self, state, inside):
        need = state[2]
        return any(v in need[u] and u in need[v] for u in inside for v in inside if u != v)


class Buffer(Looking):
    """Slots are ranked; process 0 consumes, the others produce."""
    things = True

    def by_colour(self, colour):
        return None if colour == BLACK else True

    def by_rank(self, r, u, v):
        return not self.low(r, u, v)

    def granted(self, p, state):
        return REST

    def region(self, here):
        return 'E' if here[0] in ('c', 't', 'r', 't0', 'r0', 'b') else super().region(here)

    def compare(self, s, v, checked):
        left = frozenset(range(self.l)) - {s} - checked
        return ('w', s, self.turn(left, v, self.l), checked) if left else ('C', s)

    def step(self, p, state):
        st, r, extra, procs = state
        here = procs[p]
        def at(place, st=st):
            return [self.fit((st, r, extra, put(procs, p, place)))]
        if here == REST or here[0] == 'find':
            if here == REST and not self.may_begin(r):
                return []
            stride = 1 if p == 0 else self.n - 1
            s = here[1] if here != REST else max(p - 1, 0)
            if s >= self.l:     # a producer without a slot of its own: an access that never comes
                return []
            if st[s] == (BLACK if p == 0 else WHITE):
                return at(self.compare(s, s, frozenset()) if p == 0 else ('C', s))
            return at(('find', s + stride) if s + stride < self.l else REST)
        if here[0] == 'C':
            s = here[1]
            if p == 0:
                return at(REST, put(st, s, WHITE))
            return [self.fit((put(st, s, GREY), r, extra, put(procs, p, self.begun(s, r))))]
        outcome, place = self.look(p, state)
        if outcome is None:
            return at(place)
        _, s, v, checked = here[:4]
        return at(self.compare(s, v, checked | {v}) if outcome else self.compare(v, v, frozenset()))

    def served(self, state):
        here = state[3][0]
        return {here[1]} if here[0] == 'C' else set()


class Multi(Hungry):
    """Two resources of l slots each; needs (a, b). Ours: see the heading of its file for the idea."""
    greys = True

    def extra(self):
        return ((0, 0),) * self.n

    def round(self, p, v, checked, a, b, need):
        """Going on after v in one round of adding up."""
        w = next((w for w in range(v + 1, self.n) if w != p and w not in checked), None)
        if w is not None:
            return ('w', p, w, checked, a, b)
        mine = need[p]
        if a + mine[0] <= self.l and b + mine[1] <= self.l:
            return ('C',)
        return self.round(p, -1, checked, 0, 0, need)

    def granted(self, p, state):
        return self.round(p, -1, frozenset(), 0, 0, state[2])

    def say(self, p, state, ways, place):
        st, r, need, procs = state
        return [(st, r, put(need, p, way), put(procs, p, place)) for way in ways]

    def step(self, p, state):
        st, r, need, procs = state
        here, mine = procs[p], need[p]
        if here == REST:
            return self.say(p, state, [(0, 0), (1, 0)], ('say',)) if self.may_begin(r) else []
        if here == ('say',):
            ways = [(0, 1)] if mine == (0, 0) else [(1, 0), (1, 1)]
            return self.say(p, state, ways, ('more',) if self.l > 1 else ('ask',))
        if here == ('more',):
            return self.say(p, state, [mine, (mine[0], 2) if mine[1] else (2, 0)], ('ask',))
        if here == ('ask',):
            return self.hungry(p, state)
        if here == ('C',):
            return [(put(st, p, WHITE), r, need, put(procs, p, ('E',)))]
        if here == ('E',):
            return [(st, r, put(need, p, (0, 0)), put(procs, p, REST))]
        if here[0] == 'need':
            _, _, v, checked, a, b = here
            a = min(a + need[v][0], self.l + 1) if mine[0] else 0
            b = min(b + need[v][1], self.l + 1) if mine[1] else 0
            return [(st, r, need, put(procs, p, self.round(p, v, checked, a, b, need)))]
        _, _, v, checked = here[:4]
        a, b = here[-2:]
        plain = (st, r, need, put(procs, p, here[:-2]))
        outcome, place = self.look(p, plain)
        if outcome is None:
            return [self.fit((st, r, need, put(procs, p, place + (a, b))))]
        if outcome:
            return [(st, r, need, put(procs, p, self.round(p, v, checked | {v}, a, b, need)))]
        return [(st, r, need, put(procs, p, ('need', p, v, checked, a, b)))]

    def clash(self, state, inside):
        return any(sum(state[2][u][k] for u in inside) > self.l for k in (0, 1))


PROTOCOLS = {
    'doorway': (Doorway, 'a', 'complete'), 'doorway/timeout': (DoorwayTimeout, 'a', 'complete'),
    'doorway/lock': (Lock, 'a', 'complete'), 'doorway/composed': (Composed, 'a', 'complete'),
    'two-process': (TwoProcess, '0', 'complete'), 'mutex': (Hungry, 'c', 'complete'),
    'mutex-timeout': (WithTimeout, 's', 'complete'), 'dining': (Hungry, 'c', 'ring'),
    'dining-timeout': (WithTimeout, 's', 'ring'), 'drinking': (Drinking, 'c', 'path'),
    'k-exclusion': (KExclusion, 's', 'complete'), 'producer-consumer': (Buffer, '0', None),
    'concurrent-producer-consumer': (Buffer, 'a', None), 'multi': (Multi, 's', 'complete'),
}


def make(protocol, n, l, ranker, reads, graph, limit):
    if protocol.startswith('ranker-'):
        return Ranker(n, n, protocol[-1], limit)
    kind, default, plan = PROTOCOLS[protocol]
    if plan is None:
        return kind(n, l, ranker or default, limit, reads)
    return kind(n, l, ranker or default, limit, reads, graph or plan)


# ---- the explorer and the properties ----

class Graph:
    def __init__(self, model):
        self.model = model
        first = model.fit(model.initial())
        index, self.states, self.edges = {first: 0}, [first], []
        for state in self.states:       # grows meanwhile
            row = []
            for p, s in model.successors(state):
                if s not in index:
                    index[s] = len(self.states)
                    self.states.append(s)
                row.append((p, index[s]))
            self.edges.append(row)
        self.regions = [[model.region(here) for here in s[3]] for s in self.states]


def components(graph, inside, keep):
    """Tarjan's algorithm, without recursion; only components with an edge inside."""
    low, number, on, stack, out = {}, {}, set(), [], []
    for root in range(len(graph.states)):
        if not inside[root] or root in number:
            continue
        work = [(root, iter(graph.edges[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on.add(root)
        while work:
            at, rest = work[-1]
            for p, to in rest:
                if not inside[to] or not keep(at, p, to):
                    continue
                if to not in number:
                    number[to] = low[to] = len(number)
                    stack.append(to)
                    on.add(to)
                    work.append((to, iter(graph.edges[to])))
                    break
                if to in on:
                    low[at] = min(low[at], number[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == number[at]:
                    group = set()
                    while at not in group:
                        member = stack.pop()
                        on.discard(member)
                        group.add(member)
                    out.append(group)
    return out


def endless(graph, inside, keep=lambda at, p, to: True):
    """Whether a schedule can stay there for ever in which processes stop in their remainder only."""
    for group in components(graph, inside, keep):
        moving = {p for at in group for p, to in graph.edges[at] if to in group and keep(at, p, to)}
        at = next(iter(group))
        if moving and all(p in moving or graph.regions[at][p] == 'R' for p in range(graph.model.n)):
            return True
    return False


def before(graph, there, away, bad):
    """Whether something bad can be reached with "u was there while v was away, and has been there since"."""
    count = graph.model.count
    for u in range(count):
        for v in range(count):
            if u == v:
                continue
            todo = [at for at, s in enumerate(graph.states) if there(s, u) and away(s, v)]
            seen = set(todo)
            while todo:
                at = todo.pop()
                if bad(graph.states[at], u, v):
                    return True
                for _, to in graph.edges[at]:
                    if to not in seen and there(graph.states[to], u):
                        seen.add(to)
                        todo.append(to)
    return False


def cyclic(model, r):
    left = set(range(model.count))
    while True:     # take away who has nobody above
        top = {u for u in left if not any(model.low(r, u, v) for v in left if v != u)}
        if not top:
            return bool(left)
        left -= top


def properties(graph):
    model, states, regions = graph.model, graph.states, graph.regions
    n = model.n
    every = [True] * len(states)
    same = lambda at, p, to: regions[at][p] == regions[to][p]
    out = dict(states=len(states), transitions=sum(map(len, graph.edges)))
    out['exclusion'] = not any(model.clash(s, {p for p in range(n) if regions[i][p] == 'C'}) for i, s in enumerate(states))
    busy = [any(x != 'R' for x in regions[i]) and 'C' not in regions[i] for i in range(len(states))]
    out['deadlock-free'] = not endless(graph, busy, same)
    out['lockout-free'] = not any(endless(graph, [regions[i][p] in 'TE' for i in range(len(states))]) for p in range(n))
    if model.things:
        out['fifo'] = not before(graph, lambda s, u: s[0][u] == BLACK, lambda s, v: s[0][v] == WHITE,
                                 lambda s, u, v: v in model.served(s))
    elif isinstance(model, Doorway):
        out['fifo'] = not before(graph, lambda s, u: model.past(s[3][u]) or s[3][u][0] in 'CE', lambda s, v: s[3][v] == REST,
                                 lambda s, u, v: s[3][v][0] == 'C')
    else:
        out['fifo'] = not before(graph, lambda s, u: model.past(s[3][u]), lambda s, v: s[3][v] == REST,
                                 lambda s, u, v: s[3][v][0] == 'C' and model.rivals(s, u, v))
    if isinstance(model, Ranker):
        del out['fifo']
        pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
        out['precedence'] = not before(graph, lambda s, u: s[0][u] == BLACK, lambda s, v: s[0][v] == WHITE,
                                       lambda s, u, v: s[0][v] == BLACK and not model.low(s[1], v, u))
        out['acyclic'] = not any(cyclic(model, s[1]) for s in states)
        out['comparable'] = all(model.low(s[1], u, v) or model.low(s[1], v, u) for s in states for u, v in pairs)
        out['stable'] = not any(
            s[0][u] == BLACK and model.low(s[1], v, u) and states[to][0][u] != WHITE and
            not (states[to][0][u] == BLACK and model.low(states[to][1], v, u))
            for at, s in enumerate(states) for _, to in graph.edges[at] for u, v in pairs)
        out['responsive'] = response(graph)
    return out


def response(graph):
    """The most own steps while grey. They are never taken twice, so the longest way is found by going on."""
    model, most = graph.model, 0
    for p in range(model.n):
        best = {}
        todo = [at for at, s in enumerate(graph.states) if s[0][p] == GREY]
        grey = set(todo)
        changed = True
        while changed:
            changed = False
            for at in todo:
                x = max([(q == p) + (best.get(to, 0) if to in grey else 0) for q, to in graph.edges[at]], default=0)
                if x > best.get(at, 0):
                    best[at] = x
                    changed = True
        most = max([most] + list(best.values()))
    return most


def run(protocol, n=2, l=1, ranker=None, reads='packed', graph=None, limit=3):
    return properties(Graph(make(protocol, n, l, ranker, reads, graph, limit)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('protocol')
    p.add_argument('-n', type=int, default=2)
    p.add_argument('-l', type=int, default=1)
    p.add_argument('--ranker')
    p.add_argument('--reads', default='packed')
    p.add_argument('--graph')
    p.add_argument('--limit', type=int, default=3)
    a = p.parse_args()
    json.dump(run(a.protocol, a.n, a.l, a.ranker, a.reads, a.graph, a.limit), sys.stdout)
    print()


if __name__ == '__main__':
    main()
