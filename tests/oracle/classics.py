"""Transition functions of classic locks, from their papers; independent of the C sources of the repository.
See models.py for what a model is."""

from models import Model


class Dekker(Model):
    """unit = (pc, (c,)); cell turn."""
    cells, cell_names = (0,), ('turn',)

    def __init__(self, n):
        assert n == 2
        self.n, self.init = n, ('R', (0,))

    def step(self, i, unit, mem):
        pc = unit[0]
        if pc in ('R', 'T.A'):
            mem.store()
            return ('T.L', (1,))
        if pc == 'T.L':
            return ('T.TURN', (1,)) if mem.other(1 - i)[0] else ('C', (1,))
        if pc == 'T.TURN':
            return ('T.L', (1,)) if mem.get(0) == i else ('T.YIELD', (1,))
        if pc == 'T.YIELD':
            mem.store()
            return ('T.B', (0,))
        if pc == 'T.B':
            return ('T.A', (0,)) if mem.get(0) == i else unit
        if pc == 'C':
            mem.put(0, 1 - i)
            return ('E', (1,))
        mem.store()
        return self.init


class Scanning(Model):
    """What Dijkstra, Knuth, de Bruijn, Eisenberg and McGuire share: walks over all others."""

    def after(self, i, j, up):
        """The next of the others in a walk over 0 .. n-1, or None."""
        while True:
            j = j + 1 if up else j - 1
            if j < 0 or j >= self.n:
                return None
            if j != i:
                return j

    def first(self, i, up):
        return self.after(i, -1 if up else self.n, up)


class Dijkstra(Scanning):
    """unit = (pc, (b, c), x); cell k. b and c are as in the paper."""
    cells, cell_names = (0,), ('k',)

    def __init__(self, n):
        self.n, self.init = n, ('R', (1, 1), 0)

    def step(self, i, unit, mem):
        pc, (b, c), x = unit
        if pc == 'R':
            mem.store()
            return ('T.1', (0, c), 0)
        if pc == 'T.1':
            return ('T.4' if mem.get(0) == i else 'T.2', (b, c), 0)
        if pc == 'T.2':
            mem.store()
            return ('T.3', (b, 1), 0)
        if pc == 'T.3':
            k = mem.get(0)
            return ('T.1', (b, c), 0) if k == i else ('T.3b', (b, c), k)
        if pc == 'T.3b':
            return ('T.3k' if mem.other(x)[0] else 'T.1', (b, c), 0)
        if pc == 'T.3k':
            mem.put(0, i)
            return ('T.1', (b, c), 0)
        if pc == 'T.4':
            mem.store()
            return ('T.4c', (b, 0), self.first(i, True))
        if pc == 'T.4c':
            if not mem.other(x)[1]:
                return ('T.1', (b, c), 0)
            x = self.after(i, x, True)
            return ('C', (b, c), 0) if x is None else ('T.4c', (b, c), x)
        if pc == 'C':
            mem.store()
            return ('E', (b, 1), 0)
        mem.store()
        return self.init


class Knuth(Scanning):
    """unit = (pc, (control,), j); cell k."""
    cell_names = ('k',)
    up = False

    def __init__(self, n):
        self.n, self.init, self.cells = n, ('R', (0,), 0), (n - 1,)

    def next(self, j):
        return (j + (1 if self.up else -1)) % self.n

    def won(self, i):
        return ('T.3', (2,), 0)

    def walk(self, i, j):
        return ('T.2', (1,), 0) if j == i else ('T.1c', (1,), j)

    def entry(self, i, unit, mem):
        pc, own, j = unit
        if pc in ('R', 'T.0'):
            mem.store()
            return ('T.1', (1,), 0)
        if pc == 'T.1':
            return self.walk(i, mem.get(0))
        if pc == 'T.1c':
            return ('T.1', (1,), 0) if mem.other(j)[0] else self.walk(i, self.next(j))
        if pc == 'T.2':
            mem.store()
            return ('T.2c', (2,), self.first(i, self.up))
        if pc == 'T.2c':
            if mem.other(j)[0] == 2:
                return ('T.0', (2,), 0)
            j = self.after(i, j, self.up)
            return self.won(i) if j is None else ('T.2c', (2,), j)

    def leave(self, mem):
        mem.store()
        return self.init

    def step(self, i, unit, mem):
        pc = unit[0]
        if pc == 'T.3':
            mem.put(0, i)
            return ('C', (2,), 0)
        if pc == 'C':
            mem.put(0, (i - 1) % self.n)
            return ('E', (2,), 0)
        return self.leave(mem) if pc == 'E' else self.entry(i, unit, mem)


class DeBruijn(Knuth):
    def won(self, i):
        return ('C', (2,), 0)

    def step(self, i, unit, mem):
        pc, own, j = unit
        if pc == 'C':
            k = mem.get(0)
            return ('E.k', own, k) if k == i else ('E.c', own, k)
        if pc == 'E.c':
            return ('E.k', own, j) if mem.other(j)[0] == 0 else ('E', own, 0)
        if pc == 'E.k':
            mem.put(0, (j - 1) % self.n)
            return ('E', own, 0)
        return self.leave(mem) if pc == 'E' else self.entry(i, unit, mem)


class EisenbergMcGuire(Knuth):
    up = True

    def __init__(self, n):
        Knuth.__init__(self, n)
        self.cells = (0,)

    def search(self, i, j):
        return ('E', (2,), 0) if j == i else ('E.5', (2,), j)

    def step(self, i, unit, mem):
        pc, own, j = unit
        if pc == 'T.3':
            k = mem.get(0)
            return ('T.4', own, 0) if k == i else ('T.3c', own, k)
        if pc == 'T.3c':
            return ('T.0' if mem.other(j)[0] else 'T.4', own, 0)
        if pc == 'T.4':
            mem.put(0, i)
            return ('C', own, 0)
        if pc in ('C', 'E.5'):
            j = self.next(i) if pc == 'C' else j
            return ('E.k', own, j) if mem.other(j)[0] else self.search(i, self.next(j))
        if pc == 'E.k':
            mem.put(0, j)
            return ('E', own, 0)
        return self.leave(mem) if pc == 'E' else self.entry(i, unit, mem)


class OneBit(Scanning):
    """unit = (pc, (x,), j)."""

    def __init__(self, n):
        self.n, self.init = n, ('R', (0,), 0)

    def higher(self, i, j):
        return ('C', (1,), 0) if j >= self.n else ('T.H', (1,), j)

    def lower(self, i, j):
        return self.higher(i, i + 1) if j >= i else ('T.L', (1,), j)

    def step(self, i, unit, mem):
        pc, own, j = unit
        if pc in ('R', 'T'):
            mem.store()
            return self.lower(i, 0)
        if pc == 'T.L':
            return ('T.BACK', (1,), j) if mem.other(j)[0] else self.lower(i, j + 1)
        if pc == 'T.BACK':
            mem.store()
            return ('T.WAIT', (0,), j)
        if pc == 'T.WAIT':
            return unit if mem.other(j)[0] else ('T', (0,), 0)
        if pc == 'T.H':
            return unit if mem.other(j)[0] else self.higher(i, j + 1)
        mem.store()
        return self.init


class LamportFast(Scanning):
    """unit = (pc, (b,), j); cells x, y."""
    cells, cell_names = (0, 0), ('x', 'y')

    def __init__(self, n):
        self.n, self.init = n, ('R', (0,), 0)

    def step(self, i, unit, mem):
        pc, (b,), j = unit
        me = i + 1
        if pc in ('R', 'T'):
            mem.store()
            return ('T.x', (1,), 0)
        if pc == 'T.x':
            mem.put(0, me)
            return ('T.?y', (1,), 0)
        if pc == 'T.?y':
            return ('T.back', (1,), 0) if mem.get(1) else ('T.y', (1,), 0)
        if pc == 'T.back':
            mem.store()
            return ('T.free', (0,), 0)
        if pc in ('T.free', 'T.free2'):
            return unit if mem.get(1) else ('T', (0,), 0)
        if pc == 'T.y':
            mem.put(1, me)
            return ('T.?x', (1,), 0)
        if pc == 'T.?x':
            return ('C', (1,), 0) if mem.get(0) == me else ('T.slow', (1,), 0)
        if pc == 'T.slow':
            mem.store()
            return ('T.all', (0,), self.first(i, True))
        if pc == 'T.all':
            if mem.other(j)[0]:
                return unit
            j = self.after(i, j, True)
            return ('T.mine', (0,), 0) if j is None else ('T.all', (0,), j)
        if pc == 'T.mine':
            return ('C', (b,), 0) if mem.get(1) == me else ('T.free2', (0,), 0)
        if pc == 'C':
            mem.put(1, 0)
            return ('E', (b,), 0)
        mem.store()
        return self.init


class Szymanski(Scanning):
    """unit = (pc, (flag,), j)."""

    def __init__(self, n):
        self.n, self.init = n, ('R', (0,), 0)

    def below(self, i, j):
        return ('C', (4,), 0) if j >= i else ('T.8', (4,), j)

    def above(self, j):
        return ('E.10', (4,), 0) if j >= self.n else ('E.9', (4,), j)

    def step(self, i, unit, mem):
        pc, own, j = unit
        if pc == 'R':
            mem.store()
            return ('T.2', (1,), self.first(i, True))
        if pc == 'T.2':
            if mem.other(j)[0] >= 3:
                return unit
            j = self.after(i, j, True)
            return ('T.3', own, 0) if j is None else ('T.2', own, j)
        if pc == 'T.3':
            mem.store()
            return ('T.4', (3,), self.first(i, True))
        if pc == 'T.4':
            if mem.other(j)[0] == 1:
                return ('T.5', own, 0)
            j = self.after(i, j, True)
            return ('T.7', own, 0) if j is None else ('T.4', own, j)
        if pc == 'T.5':
            mem.store()
            return ('T.6', (2,), self.first(i, True))
        if pc == 'T.6':
            if mem.other(j)[0] == 4:
                return ('T.7', own, 0)
            j = self.after(i, j, True)
            return ('T.6', own, self.first(i, True) if j is None else j)
        if pc == 'T.7':
            mem.store()
            return self.below(i, 0)
        if pc == 'T.8':
            return unit if mem.other(j)[0] >= 2 else self.below(i, j + 1)
        if pc in ('C', 'E.9') and not (pc == 'C' and i == self.n - 1):
            j = i + 1 if pc == 'C' else j
            theirs = mem.other(j)[0]
            return self.above(j + 1) if theirs < 2 or theirs > 3 else ('E.9', own, j)
        mem.store()
        return self.init


class Mcs(Model):
    """unit = (pc, (), other); cells: tail, next of each, locked of each. Doorway: D."""

    def __init__(self, n):
        self.n, self.init = n, ('R', (), 0)
        self.cells = (0,) * (1 + 2 * n)
        self.cell_names = tuple(['tail'] + ['next%d' % p for p in range(n)] + ['locked%d' % p for p in range(n)])

    def step(self, i, unit, mem):
        pc, own, other = unit
        n = self.n
        if pc == 'R':
            mem.put(1 + i, 0)
            return ('T.SWAP', own, 0)
        if pc == 'T.SWAP':
            before = mem.get(0)
            mem.put(0, i + 1)
            return ('T.LOCK', own, before) if before else ('C', own, 0)
        if pc == 'T.LOCK':
            mem.put(1 + n + i, 1)
            return ('T.LINK', own, other)
        if pc == 'T.LINK':
            mem.put(other, i + 1)       # next of process other - 1
            return ('T.WAIT', own, 0)
        if pc == 'T.WAIT':
            return unit if mem.get(1 + n + i) else ('C', own, 0)
        if pc in ('C', 'E.LATE'):
            after = mem.get(1 + i)
            if after:
                return ('E.PASS', own, after)
            return ('E.CAS' if pc == 'C' else 'E.LATE', own, 0)
        if pc == 'E.CAS':
            if mem.get(0) == i + 1:
                mem.put(0, 0)
                return self.init
            return ('E.LATE', own, 0)
        mem.put(n + other, 0)           # locked of process other - 1
        return self.init


class BlackWhite(Scanning):
    """unit = (pc, (choosing, ticket), j, colour, most); ticket None or (colour, number). Cell colour."""
    cells, cell_names = (0,), ('colour',)

    def __init__(self, n):
        self.n, self.init = n, ('R', (0, None), 0, 0, 0)

    def at(self, pc, own, j=0, colour=0, most=0):
        return (pc, own, j, colour, most)

    def next(self, i, own, j):
        j = self.after(i, j, True)
        return self.at('C', own) if j is None else self.at('T.6', own, j)

    def step(self, i, unit, mem):
        pc, own, j, colour, most = unit
        mine = own[1]
        if pc == 'R':
            mem.store()
            return self.at('T.2', (1, None))
        if pc == 'T.2':
            return self.at('T.3', own, self.first(i, True), mem.get(0))
        if pc == 'T.3':
            theirs = mem.other(j)[1]
            if theirs and theirs[0] == colour:
                most = max(most, theirs[1])
            j = self.after(i, j, True)
            return self.at('T.3t', own, 0, colour, most) if j is None else self.at('T.3', own, j, colour, most)
        if pc == 'T.3t':
            mem.store()
            return self.at('T.4', (1, (colour, most + 1)))
        if pc == 'T.4':
            mem.store()
            return self.at('T.6', (0, mine), self.first(i, True))
        if pc == 'T.6':
            return unit if mem.other(j)[0] else self.at('T.7', own, j)
        if pc == 'T.7':
            theirs = mem.other(j)[1]
            if not theirs:
                return self.next(i, own, j)
            return self.at('T.8' if theirs[0] == mine[0] else 'T.9', own, j)
        if pc == 'T.8':
            theirs = mem.other(j)[1]
            waits = theirs and theirs[0] == mine[0] and (theirs[1], j) < (mine[1], i)
            return unit if waits else self.next(i, own, j)
        if pc == 'T.9':
            theirs = mem.other(j)[1]
            return self.at('T.9c', own, j) if theirs and theirs[0] != mine[0] else self.next(i, own, j)
        if pc == 'T.9c':
            return self.at('T.9', own, j) if mem.get(0) == mine[0] else self.next(i, own, j)
        if pc == 'C':
            mem.put(0, 1 - mine[0])
            return self.at('E', own)
        mem.store()
        return self.init


CLASSICS = {'dekker': Dekker, 'dijkstra': Dijkstra, 'knuth': Knuth, 'de-bruijn': DeBruijn,
            'eisenberg-mcguire': EisenbergMcGuire, 'one-bit': OneBit, 'lamport-fast': LamportFast,
            'szymanski': Szymanski, 'mcs': Mcs, 'black-white-bakery': BlackWhite}
