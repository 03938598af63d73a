"""The explorer and the properties. Nothing here knows a protocol."""

import time
from array import array

BITS = 16
MASK = (1 << BITS) - 1


class Memory:
    """What a model sees of the shared memory during one step; it counts the accesses."""

    def __init__(self, i, values, ncells):
        self.i, self.values, self.ncells = i, values, ncells
        self.target = None          # slot accessed
        self.written = None         # new value of that cell, if any

    def touch(self, slot):
        assert self.target is None, 'two accesses in one step'
        self.target = slot

    def other(self, j):
        assert j != self.i
        self.touch(self.ncells + j)
        return self.values(self.ncells + j)[1]      # the `own` part of that process's unit

    def store(self):
        self.touch(self.ncells + self.i)

    def get(self, k):
        self.touch(k)
        return self.values(k)

    def put(self, k, v):
        if self.target is None:
            self.touch(k)
        assert self.target == k
        self.written = v


class System:
    """States are packed into integers, BITS bits a slot: first the cells, then the units of the processes."""

    def __init__(self, model, fault):
        self.m, self.n, self.death = model, model.n, fault == 'death'
        self.nc = len(model.cells)
        slots = self.nc + self.n
        self.ids = [dict() for _ in range(slots)]       # value -> id
        self.vals = [[] for _ in range(slots)]          # id -> value
        self.regs = [dict() for _ in range(slots)]      # registers -> id, and
        self.proj = [[] for _ in range(slots)]          # unit id -> id of its registers (cells: itself)
        self.memo = [dict() for _ in range(self.n)]     # unit id -> (slot accessed, {projected value: delta})
        self.initial = 0
        for k, v in enumerate(model.cells):
            self.initial |= self.intern(k, v) << (BITS * k)
        for i in range(self.n):
            assert self.intern(self.nc + i, model.init) == 0
        self.guarded = model.guarded

    def intern(self, slot, value):
        ids = self.ids[slot]
        if value not in ids:
            ids[value] = len(ids)
            assert len(ids) <= MASK
            self.vals[slot].append(value)
            key = value if slot < self.nc else value[1]
            self.proj[slot].append(self.regs[slot].setdefault(key, len(self.regs[slot])))
        return ids[value]

    def unit(self, s, i):
        k = self.nc + i
        return self.vals[k][(s >> (BITS * k)) & MASK]

    def compute(self, s, i):
        """Run the model: the step of process i in state s. Returns the difference of the packed states."""
        slot = self.nc + i
        u = (s >> (BITS * slot)) & MASK
        mem = Memory(i, lambda k: self.vals[k][(s >> (BITS * k)) & MASK], self.nc)
        new = self.m.step(i, self.vals[slot][u], mem)
        assert mem.target is not None, 'no access in a step'
        assert mem.target == slot or new[1] == self.vals[slot][u][1], 'own register changed without a store'
        delta = (self.intern(slot, new) - u) << (BITS * slot)
        t = mem.target
        value = (s >> (BITS * t)) & MASK
        if mem.written is not None:
            delta += (self.intern(t, mem.written) - value) << (BITS * t)
        entry = self.memo[i].setdefault(u, (t, {}))
        assert entry[0] == t, 'the access must be determined by the own state'
        entry[1][self.proj[t][value]] = delta
        return delta

    def step(self, s, i):
        u = (s >> (BITS * (self.nc + i))) & MASK
        if self.guarded and u == 0 and not self.m.allowed(i, [self.unit(s, p) for p in range(self.n)]):
            return None
        entry = self.memo[i].get(u)
        if entry is not None:
            t, deltas = entry
            delta = deltas.get(self.proj[t][(s >> (BITS * t)) & MASK])
            if delta is not None:
                return s + delta
        return s + self.compute(s, i)

    def die(self, s, i):
        """The dead unit is the initial one (id 0); a death that changes nothing is no transition."""
        k = BITS * (self.nc + i)
        t = s & ~(MASK << k)
        return None if t == s else t


def naive(model, fault):
    """The same count on plain tuples, without packing or memory of steps: a check of System. Returns (states, transitions)."""
    nc, n = len(model.cells), model.n
    first = tuple(model.cells) + (model.init,) * n
    seen, todo, transitions = {first}, [first], 0
    while todo:
        s = todo.pop()
        targets = []
        for i in range(n):
            if model.allowed(i, s[nc:]):
                mem = Memory(i, lambda k: s[k], nc)
                new = list(s)
                new[nc + i] = model.step(i, s[nc + i], mem)
                if mem.written is not None:
                    new[mem.target] = mem.written
                targets.append(tuple(new))
            if fault == 'death' and s[nc + i] != model.init:
                targets.append(s[:nc + i] + (model.init,) + s[nc + i + 1:])
        transitions += len(targets)
        for t in targets:
            if t not in seen:
                seen.add(t)
                todo.append(t)
    return len(seen), transitions


def count(system, deadline=None):
    """States and transitions only, and what can be read off each state; complete is false where it had to stop."""
    n, nc, step = system.n, system.nc, system.step
    seen = {system.initial}
    todo = [system.initial]
    transitions = 0
    done = 0
    maxcrit = 0
    window = True
    shifts = [BITS * (nc + i) for i in range(n)]
    complete = True
    memo, proj = system.memo, system.proj
    slow = system.guarded
    while todo:
        s = todo.pop()
        done += 1
        if deadline and done % 65536 == 0 and time.time() > deadline:
            complete = False
            break
        for i in range(n):
            u = (s >> shifts[i]) & MASK
            t = None
            if not slow:
                entry = memo[i].get(u)
                if entry is not None:
                    k = entry[0]
                    delta = entry[1].get(proj[k][(s >> (BITS * k)) & MASK])
                    if delta is not None:
                        t = s + delta
            if t is None:
                t = step(s, i)
                if t is None:
                    continue
            transitions += 1
            if t not in seen:
                seen.add(t)
                todo.append(t)
            if u and system.death:
                transitions += 1
                t = s & ~(MASK << shifts[i])
                if t not in seen:
                    seen.add(t)
                    todo.append(t)
    region = [[system.m.region(u) == 'C' for u in system.vals[nc + i]] for i in range(n)]
    clocks = clock_tables(system)
    for s in seen:
        c = 0
        for i in range(n):
            if region[i][(s >> shifts[i]) & MASK]:
                c += 1
        if c > maxcrit:
            maxcrit = c
        if clocks and window and not in_window(s, clocks, shifts, system.m.clock):
            window = False
    return dict(states=len(seen), transitions=transitions, max_critical=maxcrit, complete=complete,
                window=window if system.m.clock else None, values=values(system))


def count_pages(system, deadline=None):
    """As count, in less memory: the states seen are bits on pages, one page for each combination of all slots but the first."""
    n, nc, memo, proj = system.n, system.nc, system.memo, system.proj
    assert not system.guarded and nc + n <= 4, 'packed states must fit 64 bits here'
    shifts = [BITS * (nc + i) for i in range(n)]
    clears = [~(MASK << k) for k in shifts]
    death, M = system.death, system.m.clock
    pages = {}
    todo = array('Q')
    states = transitions = maxcrit = done = 0
    window, complete = True, True
    bit = [1 << k for k in range(8)]
    info = [[] for _ in range(n)]       # unit id -> (critical?, clock or None)
    targets = [system.initial]
    while True:
        for t in targets:
            u = t & MASK
            page = pages.get(t >> BITS)
            if page is None:
                page = pages[t >> BITS] = bytearray((u >> 3) + 1)
            at = u >> 3
            if at >= len(page):
                page.extend(bytes(at + 1 - len(page)))
            if not page[at] & bit[u & 7]:
                page[at] |= bit[u & 7]
                states += 1
                todo.append(t)
        if not todo:
            break
        s = todo.pop()
        done += 1
        if deadline and done % 65536 == 0 and time.time() > deadline:
            complete = False
            break
        targets = []
        crit, clocks = 0, []
        for i in range(n):
            u = (s >> shifts[i]) & MASK
            entry = memo[i].get(u)
            delta = None
            if entry is not None:
                k = entry[0]
                delta = entry[1].get(proj[k][(s >> (BITS * k)) & MASK])
            if delta is None:
                delta = system.compute(s, i)
            if delta:
                targets.append(s + delta)
            transitions += 1
            if u and death:
                transitions += 1
                targets.append(s & clears[i])
            while len(info[i]) <= u:
                x = system.vals[nc + i][len(info[i])]
                info[i].append((system.m.region(x) == 'C', x[1][2] if M and x[1][0] == 'Q' else None))
            critical, clock = info[i][u]
            crit += critical
            if clock is not None:
                clocks.append(clock)
        if crit > maxcrit:
            maxcrit = crit
        if len(clocks) > 1 and window:
            window = all((a - b) % M in (0, 1, M - 1) for a in clocks for b in clocks)
    return dict(states=states, transitions=transitions, max_critical=maxcrit, complete=complete,
                window=window if M else None, values=values(system))


def clock_tables(system):
    if not system.m.clock:
        return None
    out = []
    for i in range(system.n):
        out.append([u[1][2] if u[1][0] == 'Q' else None for u in system.vals[system.nc + i]])
    return out


def in_window(s, clocks, shifts, M):
    cs = {clocks[i][(s >> shifts[i]) & MASK] for i in range(len(shifts))} - {None}
    return all((a - b) % M in (0, 1, M - 1) for a in cs for b in cs)


def values(system):
    """Distinct values per shared variable: every interned unit and cell value is reachable."""
    out = {}
    for k, name in enumerate(system.m.cell_names):
        out[name] = len(system.vals[k])
    for i in range(system.n):
        sets = {}
        for u in system.vals[system.nc + i]:
            for name, v in system.m.public(u).items():
                sets.setdefault(name, set()).add(v)
        for name, vs in sets.items():
            out['%s%d' % (name, i)] = len(vs)
    return out


class Graph:
    """The whole graph: per process one array of targets for its steps, one for its deaths (-1: none)."""

    def __init__(self, system):
        self.system, n = system, system.n
        index = {system.initial: 0}
        states = [system.initial]
        self.steps = [array('i') for _ in range(n)]
        self.deaths = [array('i') for _ in range(n)] if system.death else []
        self.transitions = 0
        at = 0
        while at < len(states):
            s = states[at]
            at += 1
            for i in range(n):
                for kind, t in ((0, system.step(s, i)), (1, system.die(s, i) if system.death else None)):
                    if kind and not system.death:
                        continue
                    if t is None:
                        v = -1
                    else:
                        self.transitions += 1
                        v = index.get(t)
                        if v is None:
                            v = index[t] = len(states)
                            states.append(t)
                    (self.deaths if kind else self.steps)[i].append(v)
        self.size = len(states)
        self.states = states
        self.edges = [(i, e) for i, e in enumerate(self.steps)] + [(i, e) for i, e in enumerate(self.deaths)]
        self.region = [self.table(i, lambda u: ord(system.m.region(u))) for i in range(n)]

    def table(self, i, f):
        """bytearray over the states: f(unit of process i)"""
        k = self.system.nc + i
        per = [int(f(u)) for u in self.system.vals[k]]
        shift = BITS * k
        return bytearray(per[(s >> shift) & MASK] for s in self.states)


def components(graph, inside, keep=None):
    """Tarjan on the states with inside[v], on edges that stay inside (and satisfy keep(v, w), where given).
    Returns (comp, groups): comp[v] or -1; groups in an order in which edges lead to earlier groups only."""
    edges = [e for _, e in graph.edges]
    ne = len(edges)
    size = graph.size
    order = array('i', bytes(4 * size))      # 0: not seen
    low = array('i', bytes(4 * size))
    comp = array('i', [-1]) * size
    groups = []
    counter = 0
    for root in range(size):
        if not inside[root] or order[root]:
            continue
        counter += 1
        order[root] = low[root] = counter
        open_, path, edge = [root], [root], [0]
        while path:
            v = path[-1]
            k = edge[-1]
            descended = False
            while k < ne:
                w = edges[k][v]
                k += 1
                if w < 0 or not inside[w] or (keep and not keep(v, w)):
                    continue
                if not order[w]:
                    counter += 1
                    order[w] = low[w] = counter
                    open_.append(w)
                    edge[-1] = k
                    path.append(w)
                    edge.append(0)
                    descended = True
                    break
                if comp[w] < 0 and order[w] < low[v]:
                    low[v] = order[w]
            if descended:
                continue
            path.pop()
            edge.pop()
            if path and low[v] < low[path[-1]]:
                low[path[-1]] = low[v]
            if low[v] == order[v]:
                group = []
                while True:
                    w = open_.pop()
                    comp[w] = len(groups)
                    group.append(w)
                    if w == v:
                        break
                groups.append(group)
    return comp, groups


R, T, C, E = (ord(x) for x in 'RTCE')


def fair(graph, comp, group):
    """Can the system stay in this component for ever, every process either moving or resting in R?"""
    c = comp[group[0]]
    moving = set()
    for v in group:
        for i, e in graph.edges:
            w = e[v]
            if w >= 0 and comp[w] == c:
                moving.add(i)
    if not moving:
        return False
    # a process that does not move keeps its region: look at it in any state
    return all(i in moving or r[group[0]] == R for i, r in enumerate(graph.region))


def deadlock_free(graph):
    """No region changes, nobody critical, everybody outside R keeps moving."""
    regs = graph.region
    n = len(regs)
    inside = bytearray(graph.size)
    for v in range(graph.size):
        rs = [r[v] for r in regs]
        inside[v] = C not in rs and any(x != R for x in rs)
    same = lambda v, w: all(r[v] == r[w] for r in regs)
    comp, groups = components(graph, inside, same)
    for g in groups:
        c = comp[g[0]]
        moving = set()
        for v in g:
            for i, e in graph.edges:
                w = e[v]
                if w >= 0 and comp[w] == c and same(v, w):
                    moving.add(i)
        if moving and all(i in moving or regs[i][g[0]] == R for i in range(n)):
            return False
    return True


UNBOUNDED = 'unbounded'


def cycles(graph, comp, groups, j, inside):
    """Most R..C cycles of process j along a path inside; `inside` is closed along paths in the components' graph."""
    reg = graph.region[j]
    b0 = array('i', bytes(4 * len(groups)))
    b1 = array('i', bytes(4 * len(groups)))
    edges = [e for _, e in graph.edges]
    best = 0
    for c, g in enumerate(groups):
        if not inside[g[0]]:
            continue
        has_r = has_c = False
        x0 = x1 = 0
        for v in g:
            r = reg[v]
            if r == R:
                has_r = True
            elif r == C:
                has_c = True
            for e in edges:
                w = e[v]
                if w >= 0:
                    d = comp[w]
                    if d >= 0 and d != c:
                        if b0[d] > x0:
                            x0 = b0[d]
                        if b1[d] > x1:
                            x1 = b1[d]
        if has_r and has_c:
            return UNBOUNDED
        if has_r:
            b0[c] = b1[c] = x1
        elif has_c:
            b0[c], b1[c] = x0, 1 + x0
        else:
            b0[c], b1[c] = x0, x1
        if b0[c] > best:
            best = b0[c]
    return best


def longest(graph, comp, groups, inside, p, weight):
    """Most steps v -> w of process p with weight(v, w) along a path inside; one that leaves counts as the last one."""
    b = array('i', bytes(4 * len(groups)))
    best = 0
    step = graph.steps[p]
    edges = [e for _, e in graph.edges]
    for c, g in enumerate(groups):
        if not inside[g[0]]:
            continue
        x = 0
        for v in g:
            for e in edges:
                w = e[v]
                if w < 0:
                    continue
                y = 1 if e is step and weight(v, w) else 0
                d = comp[w]
                if d == c:
                    if y:
                        return UNBOUNDED
                elif d >= 0:
                    y += b[d]
                if y > x:
                    x = y
        b[c] = x
        if x > best:
            best = x
    return best


def entries(graph, comp, groups, j, inside):
    r = graph.region[j]
    return longest(graph, comp, groups, inside, j, lambda v, w: r[v] != C and r[w] == C)


def monotone(system, i):
    """past and active never end while i keeps trying (checked here), so the components of "i in T" serve for them too."""
    m, units = system.m, system.vals[system.nc + i]
    if system.nc:
        assert all(m.past_of(i, u) == (m.region(u) == 'T') and not m.active(u) for u in units)
        return
    for u, (_, deltas) in system.memo[i].items():
        for delta in deltas.values():
            a, b = units[u], units[u + (delta >> (BITS * i))]
            if m.region(a) == m.region(b) == 'T':
                assert m.past_of(i, b) >= m.past_of(i, a) and m.active(b) >= m.active(a)


def most(a, b):
    return UNBOUNDED if UNBOUNDED in (a, b) else max(a, b)


def properties(graph):
    """Everything that needs the whole graph."""
    sysm = graph.system
    m, n = sysm.m, sysm.n
    regs = graph.region
    out = dict(deadlock_free=deadlock_free(graph))
    lockout = True
    bounded, lin_past, lin_active, lin_trying, fifo, door = 0, 0, 0, 0, 0, 0
    victims = range(1) if m.symmetric else range(n)
    for i in victims:
        rivals = [j for j in range(n) if j != i]
        if m.symmetric:
            rivals = rivals[:1]
        past = graph.table(i, lambda u: m.past_of(i, u))
        active = graph.table(i, lambda u: m.active(u))
        for region in (T, E):
            inside = bytearray(1 if r == region else 0 for r in regs[i])
            comp, groups = components(graph, inside)
            lockout = lockout and not any(fair(graph, comp, g) for g in groups)
            for j in rivals if bounded != UNBOUNDED else ():
                bounded = most(bounded, cycles(graph, comp, groups, j, inside))
            if region == E:
                continue
            monotone(sysm, i)
            for j in rivals:
                # what is known to be unbounded already is not computed again
                if lin_past != UNBOUNDED:
                    lin_past = most(lin_past, entries(graph, comp, groups, j, past))
                if lin_trying != UNBOUNDED:
                    lin_trying = most(lin_trying, entries(graph, comp, groups, j, inside))
                if m.has_active and lin_active != UNBOUNDED:
                    lin_active = most(lin_active, entries(graph, comp, groups, j, active))
                if fifo == 0:
                    fifo = most(fifo, cycles(graph, comp, groups, j, past))
            if any(past[v] != inside[v] for v in range(graph.size)):
                doorway = bytearray(inside[v] and not past[v] for v in range(graph.size))
                # own steps inside the doorway, the leaving one included, and the one out of the remainder
                cut = components(graph, doorway)
                x = longest(graph, cut[0], cut[1], doorway, i, lambda v, w: True)
                door = most(door, x if x == UNBOUNDED else 1 + x)
    out.update(lockout_free=lockout, bounded_waiting=bounded, linear_waiting_doorway=lin_past,
               linear_waiting_active=lin_active if m.has_active else None, linear_waiting_trying=lin_trying,
               fifo=fifo == 0, doorway_steps=door or None)
    return out
