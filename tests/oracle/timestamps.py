"""Independent models for the timestamps of Afek, Dolev, Gafni, Merritt, Shavit 1994, written from the paper alone.

python3 tests/oracle/timestamps.py rule N         the bounded rule against the unbounded system, by the cut
python3 tests/oracle/timestamps.py inclusion N    the same by subset construction: is every sequence of Begin and End
                                                  events of the bounded system one of Figure 1? (LABELS of each process)
python3 tests/oracle/timestamps.py fife N L       Figure 2 on Figure 1
python3 tests/oracle/timestamps.py assignment N L slots by test-and-set bits

Prints one JSON object. Here labels are tuples and real numbers, sets are frozensets, and nothing is packed."""

import json
import sys
from fractions import Fraction


def explore(start, successors):
    """All states, and the number of moves."""
    seen, todo, moves = {start}, [start], 0
    while todo:
        for state in successors(todo.pop()):
            moves += 1
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return seen, moves


# ------------------------------------------------------------------ bounded labels

def succ(a):
    return {1: 2, 2: 3, 3: 4, 4: 5, 5: 3}[a]


def less(a, b):
    for x, y in zip(a, b):
        if x != y:
            return succ(x) == y if x > 2 and y > 2 else x < y
    return False


def before(labels, j, k):
    return j < k if labels[j] == labels[k] else less(labels[j], labels[k])


def ordered(labels):
    """The processes in the labels' order, or None if that has a cycle."""
    n = len(labels)
    ranks = [sum(before(labels, j, k) for j in range(n) if j != k) for k in range(n)]
    return sorted(range(n), key=lambda k: ranks[k]) if sorted(ranks) == list(range(n)) else None


def choose(labels, i):
    """The label that i takes; None: it keeps its own."""
    n = len(labels)
    order = ordered(labels)
    if order is None or order[-1] == i:
        return None
    top = labels[order[-1]]
    for h in range(1, n):
        if h == n - 1 or sum(labels[j][:h] == top[:h] for j in range(n) if j != i) >= n - h:
            return top[:h - 1] + (succ(top[h - 1]),) + (1,) * (n - 1 - h)


def first_label(n):
    return (3,) + (1,) * (n - 2)


def turned(state):
    """All first symbols turned, so that process 0 has a 3."""
    labels, pending = state
    turn = {3: 0, 4: 2, 5: 1}[labels[0][0]]

    def one(label):
        return ((label[0] - 3 + turn) % 3 + 3,) + label[1:]
    return tuple(map(one, labels)), tuple(p and (one(p[0]), p[1]) for p in pending)


def rule(n):
    """(labels, pending): pending[i] is None, or (the label to be written, those at or below the largest seen)."""
    bad = []

    def successors(state):
        labels, pending = state
        for i in range(n):
            if pending[i] is None:
                label = choose(labels, i)
                if label is None:
                    yield state
                    continue
                mine = (label, frozenset(range(n)))
                yield turned((labels, pending[:i] + (mine,) + pending[i + 1:]))
                continue
            label, cut = pending[i]
            now = labels[:i] + (label,) + labels[i + 1:]
            order = ordered(now)
            if order is None or any(before(now, i, j) for j in cut if j != i):
                bad.append(state)
                continue
            then = []
            for p in range(n):
                if p == i or pending[p] is None:
                    then.append(None)
                    continue
                rest = pending[p][1] - {i}
                below = any(before(now, i, j) for j in rest)
                then.append((pending[p][0], rest | {i} if below else rest))
            yield turned((now, tuple(then)))

    seen, moves = explore(((first_label(n),) * n, (None,) * n), successors)
    return dict(states=len(seen), transitions=moves, holds=not bad)


# ------------------------------------------------------------------ trace inclusion

def squeeze(state):
    """Figure 1's labels as ranks: only how they compare matters, y being any value above those read."""
    values = sorted({v for v in state[0]} | {v for op in state[1] if op for v in op[1] if v is not None})
    rank = {v: Fraction(k) for k, v in enumerate(values)}
    return (tuple(rank[v] for v in state[0]),
            tuple(op and (op[0], tuple(None if v is None else rank[v] for v in op[1])) for op in state[1]))


def inclusion(n, operations):
    """The bounded system, each process making `operations` Labels or Scans, with the set of all states that
    Figure 1 may be in after the same events. Figure 1: (labels, ops), an op being None or (kind, what was read)."""

    def inner(states):
        """Everything that Figure 1 can do without Begin and End."""
        seen, todo = set(states), list(states)
        while todo:
            labels, ops = todo.pop()
            for i in range(n):
                if ops[i] is None:
                    continue
                kind, read = ops[i]
                nexts = []
                for j in range(n):
                    if read[j] is None:
                        nexts.append((labels, (kind, read[:j] + (labels[j],) + read[j + 1:])))
                if None not in read and kind == 'L':
                    most = max((v, j) for j, v in enumerate(read))
                    if most[1] == i:
                        nexts.append((labels, ('E', read)))
                    else:   # any y above: between, at or beyond the labels that stand there
                        above = sorted({v for v in labels if v > most[0]} |
                                       {v for op in ops if op for v in op[1] if v is not None and v > most[0]})
                        places = [most[0]] + above
                        for a, b in zip(places, places[1:]):
                            nexts.append((labels[:i] + ((a + b) / 2,) + labels[i + 1:], ('E', read)))
                        for y in above + [places[-1] + 1]:
                            nexts.append((labels[:i] + (y,) + labels[i + 1:], ('E', read)))
                for now, op in nexts:
                    state = squeeze((now, ops[:i] + ((op[0], (None,) * n if op[0] == 'E' else op[1]),) + ops[i + 1:]))
                    if state not in seen:
                        seen.add(state)
                        todo.append(state)
        return frozenset(seen)

    def begin(states, i, kind):
        return inner({(labels, ops[:i] + ((kind, (None,) * n),) + ops[i + 1:]) for labels, ops in states})

    def end(states, i, order):
        kept = set()
        for labels, ops in states:
            kind, read = ops[i]
            if order is None and kind == 'E':
                kept.add(squeeze((labels, ops[:i] + (None,) + ops[i + 1:])))
            if order is not None and kind == 'S' and None not in read and \
                    sorted(range(n), key=lambda k: (read[k], k)) == list(order):
                kept.add(squeeze((labels, ops[:i] + (None,) + ops[i + 1:])))
        return frozenset(kept)

    bad = []

    def successors(state):
        labels, places, left, states = state

        def moved(i, place, now=labels, less_by=0, then=states):
            return (now, places[:i] + (place,) + places[i + 1:], left[:i] + (left[i] - less_by,) + left[i + 1:], then)
        for i in range(n):
            place = places[i]
            if place is None:
                if left[i]:
                    for kind in 'LS':
                        yield moved(i, (kind,), less_by=1, then=begin(states, i, kind))
            elif place == ('L',):
                label = choose(labels, i)
                yield moved(i, ('end',) if label is None else ('W', label))
            elif place[0] == 'W':
                yield moved(i, ('end',), now=labels[:i] + (place[1],) + labels[i + 1:])
            elif place == ('S',):
                yield moved(i, ('order', tuple(ordered(labels))))
            else:
                then = end(states, i, place[1] if place[0] == 'order' else None)
                if not then:
                    bad.append(state)
                    continue
                yield moved(i, None, then=then)

    start = ((Fraction(0),) * n, (None,) * n)
    seen, moves = explore(((first_label(n),) * n, (None,) * n, (operations,) * n, frozenset([start])), successors)
    return dict(states=len(seen), transitions=moves, holds=not bad)


# ------------------------------------------------------------------ Figure 2 on Figure 1

class Fife:
    """Unit of a process: (pc, label, flag, S, Test, j, read). Reads are in ascending order, those of the process itself
    left out; a pass ends as soon as fewer than l are in question. Gaps between labels are cut off at n."""

    def __init__(self, n, l):
        self.n, self.l = n, l
        self.start = (('R', 0, False, frozenset(), frozenset(), 0, 0),) * n

    def normal(self, units):
        values = sorted({u[1] for u in units} | {u[6] for u in units if u[6]})
        to, at = {}, 0
        for k, v in enumerate(values):
            at += min(v - values[k - 1], self.n) if k else 0
            to[v] = at
        return tuple((pc, to[lab], x, S, T, j, to[y] if y else 0) for pc, lab, x, S, T, j, y in units)

    def skip(self, i, j, inside=None):
        while j < self.n and (j == i or (inside is not None and j not in inside)):
            j += 1
        return j

    def label_done(self, i, pc, lab, x, y):
        """After the last read of a Label."""
        if y:
            return (pc + 'w', lab, x, frozenset(), frozenset(), 0, y)
        return self.labelled(i, pc, lab, x)

    def labelled(self, i, pc, lab, x):
        return ('D4', lab, x, frozenset(), frozenset(), self.skip(i, 0), 0) if pc == 'D2' else self.rest(lab)

    def rest(self, lab):
        return ('R', lab, False, frozenset(), frozenset(), 0, 0)

    def pass_(self, i, lab, S, T, line, j):
        """On to the next access of the waiting room, from `line` at place j."""
        while True:
            if len(T) < self.l:
                return ('C', lab, True, frozenset(), frozenset(), 0, 0)
            j = self.skip(i, j, T)
            if j < self.n:
                return ('W%d' % line, lab, True, S, T, j, 0)
            if line == 6:
                line, j = 7, 0
            else:
                line, j, T = 6, 0, S

    def step(self, units, i):
        pc, lab, x, S, T, j, y = units[i]
        n = self.n
        if pc == 'R':
            return ('D2', lab, True, S, T, self.skip(i, 0), 0)
        if pc in ('D2', 'E12'):
            theirs = units[j][1]
            if (theirs, j) > (lab, i):
                y = max(y, theirs + 1)
            j = self.skip(i, j + 1)
            return (pc, lab, x, S, T, j, y) if j < n else self.label_done(i, pc, lab, x, y)
        if pc in ('D2w', 'E12w'):
            return self.labelled(i, pc[:-1], y, x)
        if pc == 'D4':
            S = S | {j} if units[j][2] else S
            j = self.skip(i, j + 1)
            return (pc, lab, x, S, T, j, 0) if j < n else self.pass_(i, lab, S, S, 6, 0)
        if pc == 'W6':
            return self.pass_(i, lab, S, T if units[j][2] else T - {j}, 6, j + 1)
        if pc == 'W7':
            return self.pass_(i, lab, S, T if (units[j][1], j) < (lab, i) else T - {j}, 7, j + 1)
        if pc == 'C':
            return ('E12', lab, False, S, T, self.skip(i, 0), 0)

    def successor(self, units, i):
        return self.normal(units[:i] + (self.step(units, i),) + units[i + 1:])


def components(count, edges):
    """Tarjan, without recursion: the component of each state."""
    index, low, onto, comp, stack, next_index, done = {}, {}, set(), [None] * count, [], 0, 0
    for root in range(count):
        if root in index:
            continue
        work = [(root, iter(edges(root)))]
        index[root] = low[root] = next_index
        next_index += 1
        stack.append(root)
        onto.add(root)
        while work:
            v, it = work[-1]
            for w in it:
                if w not in index:
                    index[w] = low[w] = next_index
                    next_index += 1
                    stack.append(w)
                    onto.add(w)
                    work.append((w, iter(edges(w))))
                    break
                if w in onto:
                    low[v] = min(low[v], index[w])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[v])
                if low[v] == index[v]:
                    while True:
                        w = stack.pop()
                        onto.discard(w)
                        comp[w] = done
                        if w == v:
                            break
                    done += 1
    return comp


def fife(n, l):
    model = Fife(n, l)
    seen, moves = explore(model.start, lambda s: [model.successor(s, i) for i in range(n)])
    states = list(seen)
    number = {s: k for k, s in enumerate(states)}
    to = [[number[model.successor(s, i)] for i in range(n)] for s in states]
    out = dict(states_by_a_coarser_cut=len(states),
               exclusion=all(sum(u[0] == 'C' for u in s) <= l for s in states))
    first = strong = lockout = True
    enabled = []
    for i in range(n):
        tries = [s[i][0][0] in 'DW' for s in states]
        comp = components(len(states), lambda v: [w for w in to[v] if tries[v] and tries[w]])
        held = {v for v in range(len(states)) if tries[v] and tries[to[v][i]] and comp[to[v][i]] == comp[v]}
        todo, back = list(held), {}
        for v in range(len(states)):
            for w in to[v]:
                if tries[v] and tries[w]:
                    back.setdefault(w, []).append(v)
        while todo:
            for v in back.get(todo.pop(), ()):
                if v not in held:
                    held.add(v)
                    todo.append(v)
        enabled.append([tries[v] and v not in held for v in range(len(states))])
        # fewer than l faulty: a component outside i's remainder and critical section in which i moves
        waits = [s[i][0][0] in 'DWE' for s in states]
        comp = components(len(states), lambda v: [w for w in to[v] if waits[v] and waits[w]])
        movers = {}
        for v in range(len(states)):
            for p in range(n):
                if waits[v] and waits[to[v][p]] and comp[to[v][p]] == comp[v]:
                    movers.setdefault(comp[v], set()).add(p)
        for v, s in enumerate(states):
            moving = movers.get(comp[v], ())
            if waits[v] and i in moving and sum(p not in moving and s[p][0] != 'R' for p in range(n)) < l:
                lockout = False
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            late = [s[i][0][0] == 'W' and not enabled[i][v] for v, s in enumerate(states)]
            todo = [v for v, s in enumerate(states) if late[v] and s[j][0] == 'R']
            rested = set(todo)
            while todo:
                for w in to[todo.pop()]:
                    if late[w] and w not in rested:
                        rested.add(w)
                        todo.append(w)
            first &= not any(states[v][j][0] == 'C' for v in rested)
            strong &= not any(states[v][j][0] == 'C' or (states[v][j][0][0] == 'W' and enabled[j][v]) for v in rested)
    out.update({'first-in-first-enabled': first, 'strong-first-in-first-enabled': strong, 'l-lockout-free': lockout})
    return out


# ------------------------------------------------------------------ l-assignment

def assignment(n, l):
    """(inside, bits, places): a place is 'R', 'gate', ('try', s), ('in', s), or 'out', which is to leave the gate."""
    bad = []

    def claim(s):
        return ('try', s) if s < l - 1 else ('in', s)

    def successors(state):
        inside, bits, places = state
        held = [p[1] for p in places if p[0] == 'in']
        if len(set(held)) < len(held):
            bad.append(state)
        for i in range(n):
            p = places[i]

            def at(place, now=inside, marks=bits):
                return now, marks, places[:i] + (place,) + places[i + 1:]
            if p in ('R', 'gate'):
                yield at(claim(0), now=inside + 1) if inside < l else at('gate')
            elif p == 'out' or (p[0] == 'in' and p[1] == l - 1):
                yield at('R', now=inside - 1)
            elif p[0] == 'try':
                s = p[1]
                yield at(claim(s + 1)) if bits[s] else at(('in', s), marks=bits[:s] + (1,) + bits[s + 1:])
            else:
                s = p[1]
                yield at('out', marks=bits[:s] + (0,) + bits[s + 1:])

    seen, moves = explore((0, (0,) * l, ('R',) * n), successors)
    return {'states': len(seen), 'transitions': moves, 'distinct-slots': not bad}


if __name__ == '__main__':
    what, *numbers = sys.argv[1:]
    print(json.dumps({'rule': rule, 'inclusion': inclusion, 'fife': fife, 'assignment': assignment}[what](
        *map(int, numbers))))
