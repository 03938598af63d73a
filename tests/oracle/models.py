"""Hand-written transition functions, one class per protocol; independent of the C sources of the repository.

A system state is a tuple: first the cells that several processes may write, then one *unit* per process.
A unit is (pc, own, *locals): `own` is the tuple of the registers that this process alone writes, so that reading
them is local work. The remainder unit is unique (no memory), and so is the dead unit: they are the same one.

step(i, unit, mem) performs exactly ONE shared access through `mem` and all local work up to the next access:
    mem.other(j)            read the registers of process j (as one variable, or one component of it)
    mem.store()             the own registers are written (the new value is in the unit returned)
    mem.get(k)              read cell k
    mem.put(k, v)           write cell k; after get(k) in the same step it is one atomic read-modify-write
The explorer counts the accesses and stops if there is not exactly one.

Locals that will not be read again are 0 (or D) in every unit returned, also inside waiting loops.
"""

D, Q = 'D', 'Q'


class Model:
    cells = ()                  # initial values of the cells
    cell_names = ()
    symmetric = False           # all processes run the same program and are interchangeable
    default_fault = 'none'
    clock = None                # rp-linear: the modulus of the clocks
    has_active = False
    guarded = False             # allowed() is not always true

    def region(self, unit):
        pc = unit[0]
        return pc[0]            # every pc starts with the letter of its region

    def past(self, unit):       # past its doorway and not yet critical
        return self.region(unit) == 'T'

    def past_of(self, i, unit):
        return self.past(unit)

    def active(self, unit):     # R != D, and not yet critical
        return False

    def public(self, unit):     # {name: value} of the own shared variables
        return {}

    def allowed(self, i, state_units):
        return True


# ----------------------------------------------------------------- Rivest and Pratt 1977

class RpTwo(Model):
    """Figure 2. unit = (pc, (S,), u)"""
    default_fault = 'death'
    has_active = True

    def __init__(self, n):
        assert n == 2
        self.n = n
        self.init = ('R', (D,), 0)

    def step(self, i, unit, mem):
        pc, (s,), u = unit
        j = 1 - i
        if pc == 'R':                                   # A
            u, = mem.other(j)
            return ('T.B', (s,), u)
        if pc == 'T.B':
            mem.store()
            return ('T.C', (0 if u == D else (1 + u) % 3,), 0)
        if pc == 'T.C':
            u, = mem.other(j)
            return ('T.D', (s,), u)
        if pc == 'T.D':
            mem.store()                                 # a store in either case
            return ('T.E', (s if u == D else (1 + u) % 3,), 0)
        if pc == 'T.E':
            u, = mem.other(j)
            if u == D or u == (1 + s) % 3 or (i == 0 and u == s):
                return ('C', (s,), 0)
            return unit
        if pc == 'C':
            mem.store()
            return self.init

    def past(self, unit):
        return unit[0] == 'T.E'

    def active(self, unit):
        return unit[0][0] == 'T' and unit[1][0] != D

    def public(self, unit):
        return {'S': unit[1]}


class RpN(Model):
    """Figure 4. unit = (pc, (R, S), j, u); R and S are one super variable, dead value (D, 0).

    The doorway is taken to be the wait-free prefix of the entry code (everything before the first waiting loop that
    makes an access): that is what A-D is for rp-two.

    A race with oneself: both fetches and the wait are local work, the two stores are accesses. The fetches read
    the own register literally: before the first store R_i is D (i = 0) or i-1, so FETCH gives D with the test
    "R_j = D or R_j < i", and with the printed test it gives S_i where i > 0; before the second store R_i = i, so FETCH gives S_i.
    """
    default_fault = 'death'
    has_active = True
    printed = False

    def __init__(self, n):
        self.n = n
        self.init = ('R', (D, 0), 0, 0)

    def fetch(self, i, reg):
        r, s = reg[0], reg[1]
        if self.printed:
            return D if r == D else s
        return D if r == D or r < i else s

    def may_pass(self, i, j, mine, other):
        r, s = other[0], other[1]
        return r == D or r < i or (r == i and (s == (1 + mine[1]) % 3 or (s == mine[1] and i <= j)))

    # local work: begin race j; what follows the last race is `after_races`
    def begin_race(self, i, own, j):
        if j == self.n:
            return self.after_races(i, own)
        if j == i:
            return ('T.B', own, j, self.fetch(i, own))
        return ('T.A', own, j, 0)

    def after_races(self, i, own):
        return ('C', own, 0, 0)

    def race(self, i, unit, mem):
        pc, own, j, u = unit
        if pc == 'T.A':
            return ('T.B', own, j, self.fetch(i, mem.other(j)))
        if pc == 'T.B':
            mem.store()
            own = (j, 0 if u == D else (1 + u) % 3) + own[2:]
            if j == i:
                return ('T.D', own, j, self.fetch(i, own))
            return ('T.C', own, j, 0)
        if pc == 'T.C':
            return ('T.D', own, j, self.fetch(i, mem.other(j)))
        if pc == 'T.D':
            mem.store()
            own = (own[0], own[1] if u == D else (1 + u) % 3) + own[2:]
            if j == i:
                return self.begin_race(i, own, j + 1)   # the wait on oneself passes without an access
            return ('T.E', own, j, 0)
        if pc == 'T.E':
            if self.may_pass(i, j, own, mem.other(j)):
                return self.begin_race(i, own, j + 1)
            return unit

    def step(self, i, unit, mem):
        if unit[0] == 'R':
            return self.race(i, self.begin_race(i, unit[1], 0), mem)
        if unit[0] == 'C':
            mem.store()
            return self.init
        return self.race(i, unit, mem)

    def past_of(self, i, unit):                         # at or after the first wait that makes an access
        pc, own, j = unit[0], unit[1], unit[2]
        if pc[0] != 'T':
            return False
        first = 1 if i == 0 else 0
        return pc[2] > 'E' or j > first or (j == first and pc == 'T.E')

    def active(self, unit):
        return unit[0][0] == 'T' and unit[1][0] != D

    def public(self, unit):
        return {'RS': unit[1]}


class RpNPrinted(RpN):
    printed = True


class RpLinear(RpN):
    """Figure 6. unit = (pc, (R, S, c), j, u): pcs of the races as in RpN, and
         T.1, T.X3, T.X4     reading process j in sysclock, u = m so far (D or a clock)
         T.1s, T.X3s, T.X4s  about to store, u = the value that sysclock returned (0 where m is D: no separate state)
         T.X5                waiting for process j, u = ok
         T.X6                about to store c+1 (ok is not read again before it is set: cleared)
    S is left as it is when R becomes Q (it is public, so it is not cleared before the exit)."""

    def __init__(self, n, spacing=1):
        self.n = n
        self.M = self.clock = spacing * n
        self.id = [spacing * i for i in range(n)]
        self.init = ('R', (D, 0, 0), 0, 0)

    def fetch(self, i, reg):
        return D if reg[0] == D or reg[0] == Q or reg[0] < i else reg[1]

    def may_pass(self, i, j, mine, other):
        return other[0] == Q or RpN.may_pass(self, i, j, mine, other)

    def others_from(self, i, j):                        # the first other process >= j, or n
        return j + 1 if j == i else j

    def after_races(self, i, own):
        return ('T.X3', own, self.others_from(i, 0), D)

    def look(self, i, unit, mem, store_pc):             # one read of sysclock
        pc, own, j, m = unit
        r, s, c = mem.other(j)
        if r == Q and (m == D or (c + 1) % self.M != m):
            m = c
        j = self.others_from(i, j + 1)
        if j < self.n:
            return (pc, own, j, m)
        return (store_pc, own, 0, 0 if m == D else m)

    def step(self, i, unit, mem):
        pc, own, j, u = unit
        r, s, c = own
        if pc == 'R':
            return self.look(i, ('T.1', own, self.others_from(i, 0), D), mem, 'T.1s')
        if pc == 'T.1':
            return self.look(i, unit, mem, 'T.1s')
        if pc == 'T.1s':
            mem.store()
            return self.begin_race(i, (r, s, u), 0)
        if pc == 'T.X3':
            return self.look(i, unit, mem, 'T.X3s')
        if pc == 'T.X3s':
            mem.store()
            return ('T.X4', (r, s, u), self.others_from(i, 0), D)
        if pc == 'T.X4':
            return self.look(i, unit, mem, 'T.X4s')
        if pc == 'T.X4s':
            mem.store()
            own = (Q, s, u) if u != (c - 1) % self.M else (Q, s, c)
            return ('T.X5', own, self.others_from(i, 0), 0)
        if pc == 'T.X5':
            rj, sj, cj = mem.other(j)
            if not (rj == D or cj == c or cj == (c + 1) % self.M):
                return unit
            j = self.others_from(i, j + 1)
            if j < self.n:
                return (pc, own, j, u)
            if c != self.id[i] or not u:
                return ('T.X6', own, 0, 0)
            return ('C', own, 0, 0)
        if pc == 'T.X6':
            mem.store()
            return ('T.X5', (r, s, (c + 1) % self.M), self.others_from(i, 0), 1)
        if pc == 'C':
            mem.store()
            return self.init
        return self.race(i, unit, mem)

    def past_of(self, i, unit):
        return unit[0] not in ('T.1', 'T.1s') and RpN.past_of(self, i, unit)

    def public(self, unit):
        return {'RSc': unit[1]}


# ----------------------------------------------------------------- Burns et al. 1982
# One cell V. Sj is the integer j; messages are strings. A unit is (pc, (), *locals).
# "No alternative fits" leaves everything as it is; from the critical region such a step leads to the exit region.

class BurnsBit(Model):
    symmetric = True
    cell_names = ('V',)
    cells = (0,)

    def __init__(self, n):
        self.n = n
        self.init = ('R', ())

    def step(self, i, unit, mem):
        v = mem.get(0)
        if unit[0] == 'C':
            mem.put(0, 0)
            return self.init
        if v == 0:
            mem.put(0, 1)
            return ('C', ())
        return ('T', ())


FREE, ENTER, ELECT, COUNT, ACK, BYE, STOP, GO = 'FREE', 'ENTER', 'ELECT', 'COUNT', 'ACK', 'BYE', 'STOP', 'GO'


def is_s(v):
    return isinstance(v, int)


class BurnsA(Model):
    """unit = (pc, (), MAIN, BUFF, M, IDLERS); IDLERS is used by C alone, and 0 elsewhere."""
    symmetric = True
    cell_names = ('V',)
    free = FREE

    def __init__(self, n):
        self.n = n
        self.init = ('R', (), 0, 0, 0, 0)
        self.cells = (self.free,)

    def remainder(self, v, mem):
        if v == self.free:
            mem.put(0, 0)
            return ('C', (), 0, 0, 0, 0)
        if is_s(v):
            mem.put(0, v + 1)
            return ('T.BUFFER', (), 0, 0, 0, 0)
        mem.put(0, 1)
        return ('T.HOLDING', (), 0, 0, v, 0)

    def holding(self, unit, v, mem):
        pc, _, main, buff, m, idlers = unit
        if v == 0:
            mem.put(0, m)
            return ('T.BUFFER', (), main, buff, 0, idlers)
        return unit

    def buffer(self, unit, v, mem):
        pc, _, main, buff, m, idlers = unit
        if v == ENTER:
            mem.put(0, ACK)
            return ('T.MAINAREA', (), main, buff, 0, idlers)
        return unit

    def receive(self, unit, v, mem):
        pc, _, main, buff, m, idlers = unit
        if is_s(v):
            mem.put(0, 0)
            return (pc, (), main, buff + v, 0, idlers)
        if v == COUNT:
            mem.put(0, ACK)
            return (pc, (), main + 1, buff, 0, idlers)
        if v == BYE:
            mem.put(0, 0)
            return ('C', (), main, buff, 0, idlers)
        return unit

    # local work of the exit code: where does control stand with these counts?
    def exit_start(self, main, buff, idlers):
        if idlers > 0:
            return ('E.GO', (), main, buff, 0, idlers)
        if main == 0 and buff == 0:
            return ('E.LAST', (), 0, 0, 0, 0)
        return self.select(main, buff)

    def select(self, main, buff):
        if main == 0:
            return self.move(main, buff)
        return ('E.ELECT', (), main, buff, 0, 0)

    def move(self, main, buff):
        if buff > 0:
            return ('E.ENTER', (), main, buff, 0, 0)
        return ('E.ELECT', (), main, buff, 0, 0)

    def send(self, main, buff):
        if main > 0:
            return ('E.COUNT', (), main, buff, 0, 0)
        if buff > 0:
            return ('E.S1', (), 0, buff, 0, 0)
        return ('E.BYE', (), 0, 0, 0, 0)

    def normalize(self, unit, v, mem, then):            # loop Sj->S0: BUFF += j | ACK->S0: exit
        pc, _, main, buff, m, idlers = unit
        if is_s(v):
            mem.put(0, 0)
            return (pc, (), main, buff + v, 0, idlers)
        if v == ACK:
            mem.put(0, 0)
            return then()
        return unit

    def step(self, i, unit, mem):
        v = mem.get(0)
        pc, _, main, buff, m, idlers = unit
        if pc == 'R':
            return self.remainder(v, mem)
        if pc == 'C':
            unit = self.exit_start(main, buff, idlers)
            pc, _, main, buff, m, idlers = unit
        if pc == 'T.HOLDING':
            return self.holding(unit, v, mem)
        if pc == 'T.BUFFER':
            return self.buffer(unit, v, mem)
        if pc == 'T.MAINAREA':
            if v == ELECT:
                mem.put(0, ACK)
                return ('T.RECEIVE', (), main, buff, 0, idlers)
            return unit
        if pc[:9] == 'T.RECEIVE':
            return self.receive(unit, v, mem)
        if pc == 'E.GO':                                # C only
            if is_s(v):
                mem.put(0, GO)
                return ('E.GOACK', (), main + 1, buff + v, 0, idlers - 1)
            return unit
        if pc == 'E.GOACK':
            return self.normalize(unit, v, mem, lambda: self.exit_start(main, buff, idlers))
        if pc == 'E.LAST':
            if v == 0:
                mem.put(0, self.free)
                return self.init
            if is_s(v):
                mem.put(0, 0)
                return self.select(0, buff + v)
            return unit
        if pc == 'E.ENTER':
            if is_s(v):
                mem.put(0, ENTER)
                return ('E.ENTERACK', (), main + 1, buff + v - 1, 0, 0)
            return unit
        if pc == 'E.ENTERACK':
            return self.normalize(unit, v, mem, lambda: self.move(main, buff))
        if pc == 'E.ELECT':
            if is_s(v):
                mem.put(0, ELECT)
                return ('E.ELECTACK', (), main - 1, buff + v, 0, 0)
            return unit
        if pc == 'E.ELECTACK':
            return self.normalize(unit, v, mem, lambda: self.send(main, buff))
        if pc == 'E.COUNT':
            if v == 0:
                mem.put(0, COUNT)
                return ('E.COUNTACK', (), main - 1, buff, 0, 0)
            return unit
        if pc == 'E.COUNTACK':
            if v == ACK:
                mem.put(0, 0)
                return self.send(main, buff)
            return unit
        if pc == 'E.S1':
            if v == 0:
                mem.put(0, 1)
                return self.send(0, buff - 1)
            return unit
        if pc == 'E.BYE':
            if v == 0:
                mem.put(0, self.bye)
                return self.init
            return unit
        return self.other_pc(i, unit, v, mem)

    bye = BYE


class BurnsB(BurnsA):
    """FREE is S(N-1); no COUNT, no BYE. RECEIVE has two loops: T.RECEIVE1 while BUFF < N, then T.RECEIVE2."""
    bye = ACK

    def __init__(self, n):
        self.free = n - 1
        BurnsA.__init__(self, n)

    def receive(self, unit, v, mem):
        pc, _, main, buff, m, idlers = unit
        if is_s(v):
            mem.put(0, 0)
            buff += v
            return ('T.RECEIVE1' if buff < self.n else 'T.RECEIVE2', (), 0, buff, 0, 0)
        if pc == 'T.RECEIVE2' and v == ACK:
            mem.put(0, 0)
            main = buff // self.n - 1
            return ('C', (), main, buff - (main + 1) * self.n, 0, 0)
        return unit

    def step(self, i, unit, mem):
        new = BurnsA.step(self, i, unit, mem)
        if new[0] == 'T.RECEIVE':                       # entered from MAINAREA with BUFF = 0 < N
            new = ('T.RECEIVE1',) + new[1:]
        return new

    def send(self, main, buff):                         # MAIN is not read again: cleared
        return self.sending(buff + (main + 1) * self.n)

    def sending(self, buff):
        if buff > 0:
            return ('E.SENDS1', (), 0, buff, 0, 0)
        return ('E.BYE', (), 0, 0, 0, 0)

    def other_pc(self, i, unit, v, mem):
        pc, _, main, buff, m, idlers = unit
        assert pc == 'E.SENDS1'
        if v == 0:
            mem.put(0, 1)
            return self.sending(buff - 1)
        return unit


class BurnsC(BurnsA):
    def __init__(self, n):
        BurnsA.__init__(self, n)
        self.k = n // 2

    def remainder(self, v, mem):
        if v == FREE:
            mem.put(0, 0)
            return ('C', (), 0, 0, 0, 0)
        if is_s(v) and v < self.k:
            mem.put(0, v + 1)
            return ('T.BUFFER', (), 0, 0, 0, 0)
        if v == self.k:
            mem.put(0, 0)
            return self.executive(self.k, 0, 0)
        if v == STOP:
            mem.put(0, 1)
            return ('T.IDLE', (), 0, 0, 0, 0)
        mem.put(0, 1)
        return ('T.HOLDING', (), 0, 0, v, 0)

    def executive(self, buff, m, idlers):
        return ('T.EXEC' if buff > 0 else 'T.WHILESTOP', (), 0, buff, m, idlers)

    def holding(self, unit, v, mem):
        pc, _, main, buff, m, idlers = unit
        if v == 0 or v == STOP:
            mem.put(0, m)
            return ('T.BUFFER' if v == 0 else 'T.IDLE', (), main, buff, 0, idlers)
        return unit

    def buffer(self, unit, v, mem):
        pc, _, main, buff, m, idlers = unit
        if v == ENTER:
            mem.put(0, ACK)
            return ('T.MAINAREA', (), main, buff, 0, idlers)
        if v == STOP:
            mem.put(0, 0)
            return ('T.IDLE', (), main, buff, 0, idlers)
        return unit

    def other_pc(self, i, unit, v, mem):
        pc, _, main, buff, m, idlers = unit
        if pc == 'T.EXEC':
            if is_s(v):
                mem.put(0, STOP)
                return self.executive(buff + v - 1, m, idlers + 1)
            if v == STOP:
                return unit
            mem.put(0, 0)
            if v == FREE:
                return ('C', (), main, buff, 0, idlers)
            return (pc, (), main, buff, v, idlers)
        if pc == 'T.WHILESTOP':                         # the test that finds no STOP is a step of its own
            if v == STOP:
                return unit
            return ('T.RESTORE' if m != 0 else 'T.ANNOUNCE', (), main, buff, m, idlers)
        if pc == 'T.RESTORE':
            if v == 0:
                mem.put(0, m)
                return ('T.ANNOUNCE', (), main, buff, 0, idlers)
            return unit
        if pc == 'T.ANNOUNCE':
            if v == FREE:
                mem.put(0, 0)
                return ('C', (), main, buff, 0, idlers)
            if is_s(v):
                mem.put(0, v + 1)                       # as printed; Sk would give S(k+1): see `values`
                return ('T.BUFFER', (), main, buff, 0, idlers)
            mem.put(0, 1)
            return ('T.HOLDING', (), main, buff, v, idlers)
        assert pc == 'T.IDLE'
        if v == GO:
            mem.put(0, ACK)
            return ('T.MAINAREA', (), main, buff, 0, idlers)
        return unit


# ----------------------------------------------------------------- Peterson's filter lock

class Peterson(Model):
    """unit = (pc, (level,), k): k is the process whose level is read next. Cells last[1..n-1] (index j-1), initially 0.
    At T.LAST level[me] has been written and last is to be written; at T.SEE level[k] >= level and last is to be read;
    at T.LEVEL level[me]+1 is to be written."""

    def __init__(self, n):
        assert n >= 2
        self.n = n
        self.cells = (0,) * (n - 1)
        self.cell_names = tuple('last%d' % j for j in range(1, n))
        self.init = ('R', (0,), 0)

    def other_from(self, i, k):
        return k + 1 if k == i else k

    def passed(self, level):
        return ('T.LEVEL' if level < self.n - 1 else 'C', (level,), 0)

    def step(self, i, unit, mem):
        pc, (level,), k = unit
        if pc == 'R' or pc == 'T.LEVEL':
            mem.store()
            return ('T.LAST', (level + 1,), 0)
        if pc == 'T.LAST':
            mem.put(level - 1, i)
            return ('T.READ', (level,), self.other_from(i, 0))
        if pc == 'T.READ':
            theirs, = mem.other(k)
            if theirs >= level:
                return ('T.SEE', (level,), 0)
            k = self.other_from(i, k + 1)
            return ('T.READ', (level,), k) if k < self.n else self.passed(level)
        if pc == 'T.SEE':
            if mem.get(level - 1) != i:
                return self.passed(level)
            return ('T.READ', (level,), self.other_from(i, 0))
        if pc == 'C':
            mem.store()
            return self.init

    def public(self, unit):
        return {'level': unit[1][0]}


# ----------------------------------------------------------------- Lamport's bakery

class Bakery(Model):
    """unit = (pc, (choosing, number), j, max). The tickets are cut off: a process may not step out of the remainder
    while the largest number in any register is >= limit. (Those already inside may still draw numbers above the limit.)"""
    guarded = True

    def __init__(self, n, limit=4):
        self.n = n
        self.limit = limit
        self.init = ('R', (0, 0), 0, 0)

    def allowed(self, i, units):
        return units[i][0] != 'R' or max(u[1][1] for u in units) < self.limit

    def other_from(self, i, j):
        return j + 1 if j == i else j

    def wait_for(self, own, j):
        return ('T.CHOOSING', own, j, 0) if j < self.n else ('C', own, 0, 0)

    def step(self, i, unit, mem):
        pc, own, j, top = unit
        choosing, number = own
        if pc == 'R':
            mem.store()
            return ('T.MAX', (1, 0), self.other_from(i, 0), 0) if self.n > 1 else ('T.TAKE', (1, 0), 0, 0)
        if pc == 'T.MAX':
            top = max(top, mem.other(j)[1])
            j = self.other_from(i, j + 1)
            return ('T.MAX', own, j, top) if j < self.n else ('T.TAKE', own, 0, top)
        if pc == 'T.TAKE':
            mem.store()
            return ('T.CHOSEN', (1, top + 1), 0, 0)
        if pc == 'T.CHOSEN':
            mem.store()
            return self.wait_for((0, number), self.other_from(i, 0))
        if pc == 'T.CHOOSING':
            return unit if mem.other(j)[0] else ('T.NUMBER', own, j, 0)
        if pc == 'T.NUMBER':
            theirs = mem.other(j)[1]
            if theirs == 0 or (theirs, j) > (number, i):
                return self.wait_for(own, self.other_from(i, j + 1))
            return unit
        if pc == 'C':
            mem.store()
            return self.init

    def past(self, unit):
        return unit[0] in ('T.CHOOSING', 'T.NUMBER')

    def public(self, unit):
        return {'choosing': unit[1][0], 'number': unit[1][1]}


def make(protocol, n, limit=4):
    if protocol == 'bakery':
        return Bakery(n, limit)
    import classics  # which needs Model from here
    if protocol in classics.CLASSICS:
        return classics.CLASSICS[protocol](n)
    if protocol == 'rp-linear/padded':
        return RpLinear(n, 5)
    return {'rp-two': RpTwo, 'rp-n': RpN, 'rp-n/printed': RpNPrinted, 'rp-linear': RpLinear, 'burns-bit': BurnsBit,
            'burns-a': BurnsA, 'burns-b': BurnsB, 'burns-c': BurnsC, 'peterson': Peterson}[protocol](n)
