#!/usr/bin/env python3
"""search.py [--values N] [--remainder N] [--trying N] [--exit N]: counts protocols of two processes.

Written from the definitions alone (Burns et al. 1982, section 2), and not from berth search: every
table of the size is made, its reachable states are explored, exclusion, deadlock, lockout and waiting
are decided, and what is left is counted up to the names of values and local states. Prints a list with
a row for each number of values: [deadlock-free, lockout-free, lockout-free and bounded waiting].
"""
import argparse
import itertools


def reachable(delta):
    """The states that two processes reach: (V, x0, x1), as a dictionary to their two successors."""
    start = (0, ("R", 0), ("R", 0))
    after, todo = {}, [start]
    while todo:
        state = todo.pop()
        if state in after:
            continue
        v, x, y = state
        if x[0] == y[0] == "C":
            return None
        v0, x0 = delta[x, v]
        v1, y1 = delta[y, v]
        after[state] = ((v0, x0, y), (v1, x, y1))
        todo += after[state]
    return after


def closure(after, inside, follow):
    """For each state of `inside`, those that edges allowed by `follow` lead to, in one step or more."""
    reach = {s: {t for p, t in enumerate(after[s]) if t in inside and follow(s, p, t)} for s in inside}
    changed = True
    while changed:
        changed = False
        for s in inside:
            more = set().union(*(reach[t] for t in reach[s])) - reach[s] if reach[s] else set()
            if more:
                reach[s] |= more
                changed = True
    return reach


def fair_component(after, inside, follow):
    """Whether there is a component in which everybody moves, or rests in its remainder."""
    reach = closure(after, inside, follow)
    for s in inside:
        if s not in reach[s]:
            continue
        component = {t for t in reach[s] if s in reach[t]}
        good = any(x[0] != "R" for x in s[1:])
        for p in range(2):
            moves = any(after[t][p] in component and follow(t, p, after[t][p]) for t in component)
            good = good and (moves or s[p + 1][0] == "R")
        if good:
            return True
    return False


def judge(after):
    """None where there is a deadlock; else whether nobody is locked out, and whether waiting is bounded."""
    states = set(after)
    if fair_component(after, states, lambda s, p, t: s[p + 1][0] == t[p + 1][0]):
        return None
    lockout_free = bounded = True
    for i in range(2):
        waiting = {s for s in states if s[i + 1][0] in "TE"}
        lockout_free &= not fair_component(after, waiting, lambda s, p, t: True)
        reach = closure(after, waiting, lambda s, p, t: True)
        for s in waiting:
            seen = {t[2 - i][0] for t in reach[s] if s in reach[t]}
            bounded &= not {"R", "C"} <= seen
    return lockout_free, bounded


def canonical(after, delta, values, states):
    """The entries that are come to, under the names that make them least."""
    used = {(x, s[0]) for s in after for x in s[1:]}
    best = None
    groups = [[x for x in states if x[0] == letter] for letter in "RTCE"]
    for order in itertools.permutations(range(1, values)):
        value = dict(zip(range(values), (0,) + order))
        for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
            name = {x: y for group, order in zip(groups, orders) for x, y in zip(group, order)}
            if name["R", 0] != ("R", 0):
                continue
            entries = tuple(sorted((name[x], value[v], value[delta[x, v][0]], name[delta[x, v][1]])
                                   for x, v in used))
            best = entries if best is None or entries < best else best
    return best


def main():
    parser = argparse.ArgumentParser()
    for name, usual in ("values", 2), ("remainder", 1), ("trying", 1), ("exit", 0):
        parser.add_argument("--" + name, type=int, default=usual)
    size = parser.parse_args()
    states = ([("R", i) for i in range(size.remainder)] + [("T", i) for i in range(size.trying)] +
              [("C", 0)] + [("E", i) for i in range(size.exit)])
    to = {letter: [x for x in states if x[0] in ("TC" if letter in "RT" else "ER")] for letter in "RTCE"}
    keys = [(x, v) for x in states for v in range(size.values)]
    choices = [list(itertools.product(range(size.values), to[x[0]])) for x, _ in keys]
    found = {}
    for picked in itertools.product(*choices):
        delta = dict(zip(keys, picked))
        after = reachable(delta)
        verdict = judge(after) if after else None
        if verdict is not None:
            key = canonical(after, delta, size.values, states)
            found[key] = len({state[0] for state in after}), verdict
    rows = []
    for count in range(1, size.values + 1):
        verdicts = [verdict for used, verdict in found.values() if used == count]
        rows.append([len(verdicts), sum(v[0] for v in verdicts), sum(v[0] and v[1] for v in verdicts)])
    print(rows)


if __name__ == "__main__":
    main()
