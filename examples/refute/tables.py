#!/usr/bin/env python3
"""tables.py KIND N L [SIZE]: writes a transition table (berth-table(5)) to standard output.

  count N L      the COUNT semaphore: V is how many are critical
  ticket N 1 M   a ticket lock that counts modulo M; M = N is enough, a smaller M is cheating
  bank N L M     at most L at once; a ticket lock that counts modulo M lets them in one by one
  queue N L      V is the whole queue, by name; one program for each process
  colored N L C  colored tickets with C colours; C = L + 1 is enough, a smaller C is cheating

The tables are for `berth check --table` and `berth refute --table`. V takes the values that N processes reach;
entries for other values do not matter.
"""
import sys


class System:
    """Steps are functions from (V, local state, process) to (V, local state). A local state is its
    region's letter and what the process remembers."""

    def __init__(self, n, l, first, step, alike=True, claims=""):
        self.n, self.l, self.first, self.step = n, l, first, step
        self.alike, self.claims = alike, claims


def count(n, l):
    def step(v, x, _):
        if x == ("C",):
            return v - 1, ("R",)
        return (v + 1, ("C",)) if v < l else (v, ("T",))
    return System(n, l, 0, step, claims="exclusion kl-deadlock-free no-memory")


def ticket(n, l, m):
    assert l == 1

    def step(v, x, _):
        following, serving = v
        if x == ("R",):
            return ((following + 1) % m, serving), ("T", following)
        if x[0] == "T":
            return v, ("C",) if x[1] == serving else x
        return (following, (serving + 1) % m), ("R",)
    return System(n, l, (0, 0), step, claims="exclusion deadlock-free bounded-waiting fifo no-memory")


def bank(n, l, m):
    def step(v, x, _):
        following, serving, inside = v
        if x == ("R",):
            return ((following + 1) % m, serving, inside), ("T", following)
        if x[0] == "T":
            if x[1] != serving or inside == l:
                return v, x
            return (following, (serving + 1) % m, inside + 1), ("C",)
        return (following, serving, inside - 1), ("R",)
    return System(n, l, (0, 0, 0), step,
                  claims="exclusion kl-deadlock-free bounded-waiting no-memory")


def queue(n, l):
    def step(v, x, p):
        if x == ("R",):
            return v + (p,), ("T",)
        if x == ("T",):
            return v, ("C",) if v.index(p) < l else x
        return tuple(q for q in v if q != p), ("R",)
    return System(n, l, (), step, alike=False, claims="queuelike no-memory")


def colored(n, l, colours):
    """Fischer, Lynch, Burns, Borodin 1979, Theorem 4.2."""
    def lead(a, c, b, e):
        if c == e:
            return "valid" if b > a else "issue" if a > b else None
        return "valid" if a > b else "issue"

    def new_colour(quant, e):
        free = [x for x in range(colours) if quant[x] == 0]
        return free[0] if free else (e + 1) % colours  # cheating: none is free

    def step(v, x, _):
        a, c, b, e, quant = v
        leader = lead(a, c, b, e)
        if x == ("R",):
            if a < n:
                mine = (a + 1, c)
            else:
                mine = (1, e) if leader == "valid" else (1, new_colour(quant, e))
            return (*mine, b, e, quant), ("T", *mine)
        m, colour = x[1:]
        if x[0] == "T":
            invalid = leader == "issue" and (
                colour == c and b < m <= a if c == e
                else (colour == e and m > b) or (colour == c and m <= a))
            return v, x if invalid else ("C", m, colour)
        if b < n:
            valid = (b + 1, e)
        else:
            valid = (1, c) if leader == "issue" else (1, new_colour(quant, e))
        changed = list(quant)
        changed[valid[1]] += 1
        changed[colour] = max(0, changed[colour] - 1)
        return (a, c, *valid, tuple(min(q, l) for q in changed)), ("R",)

    first = (n, 1 % colours, l, 0, (l,) + (0,) * (colours - 1))
    return System(n, l, first, step, claims="queuelike no-memory")


def explore(system):
    """The values of V and, for each process, the local states that turn up, and delta."""
    start = (system.first,) + (("R",),) * system.n
    seen, todo, delta = {start}, [start], {}
    for state in todo:
        v = state[0]
        for p in range(system.n):
            x = state[p + 1]
            after, y = system.step(v, x, p)
            delta[0 if system.alike else p, x, v] = (after, y)
            reached = (after,) + state[1:p + 1] + (y,) + state[p + 2:]
            if reached not in seen:
                seen.add(reached)
                todo.append(reached)
    return delta


def name(value):
    if isinstance(value, tuple):
        parts = [name(v) for v in value]
        return ("," if any("," in p for p in parts) or len(parts) > 1 else "").join(parts) or "-"
    return str(value)


def state_name(x):
    return x[0] + ".".join(str(part) for part in x[1:])


def write(system, heading):
    delta = explore(system)
    values, states = [system.first], []
    for (_, x, v), (after, y) in delta.items():
        values += [u for u in (v, after) if u not in values]
        states += [z for z in (x, y) if z not in states]
    print(f"# {heading}\nberth-table 1\nprocesses {system.n}\nslots {system.l}")
    for start in range(0, len(values), 12):
        print("values", *[name(v) for v in values[start:start + 12]])
    for letter, region in ("R", "remainder"), ("T", "trying"), ("C", "critical"):
        print(region, *[state_name(x) for x in states if x[0] == letter])
    if system.claims:
        print("claims", system.claims)
    for program in range(1 if system.alike else system.n):
        print("\nprogram" + ("" if system.alike else f" {program}"))
        for x in states:
            given = [(v, to) for (p, y, v), to in delta.items() if (p, y) == (program, x)]
            for v, (after, y) in sorted(given, key=lambda row: values.index(row[0])):
                print(state_name(x), name(v), "->", name(after), state_name(y))
            if len(given) < len(values):  # never found there
                to = {"R": next(y for y in states if y[0] == "T"), "T": x, "C": ("R",)}[x[0]]
                print(state_name(x), "* -> *", state_name(to))


KINDS = {"count": count, "ticket": ticket, "bank": bank, "queue": queue, "colored": colored}


def main(arguments):
    try:
        kind, sizes = KINDS[arguments[0]], [int(size) for size in arguments[1:]]
        system = kind(*sizes)
    except (IndexError, KeyError, TypeError, ValueError):
        print(__doc__, file=sys.stderr)
        return 2
    write(system, "tables.py " + " ".join(arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
