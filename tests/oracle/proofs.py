#!/usr/bin/env python3
"""A second derivation of proofs: python3 tests/oracle/proofs.py FILE [--solver z3|cvc5] [--seconds S].

FILE is what `berth prove PROTOCOL --export system` writes: the sizes, the claims, the rules of a protocol, and what its
PROOF section says (docs/PROOFS.md, "The exported system"). From that text alone, with no code of berth's, this program
derives what has to be shown for each claim, by the methods of docs/PROOFS.md, and gives it to a solver. It prints a line
for each claim: proved, open (with what is not discharged), or not covered: there is no method here.

Terms are tuples: ("+", a, b), ("@", function, index); symbols are strings. An invariant about I and J is used for every
pair of the terms that occur as an index in what is asked. Which ones are chosen matters for whether that is discharged,
and not for whether it can be believed.
"""
import argparse
import re
import subprocess
import sys

def read(text):
    """All lists of the text; a string is ("text", s)."""
    stack = [[]]
    for token in re.finditer(r'\(|\)|"([^"]*)"|\|([^|]*)\||[^\s()"|]+', text):
        word = token[0]
        if word == "(":
            stack.append([])
        elif word == ")":
            stack[-2].append(tuple(stack.pop()))
        elif word[0] == '"':
            stack[-1].append(("text", token[1]))
        else:
            stack[-1].append(token[2] if word[0] == "|" else int(word) if word.isdigit() else word)
    return stack[0]
def term(t):
    """(- 3) is a number."""
    if isinstance(t, tuple) and len(t) == 2 and t[0] == "-" and isinstance(t[1], int):
        return -t[1]
    return tuple(term(x) for x in t) if isinstance(t, tuple) else t
class Uncovered(Exception):
    """Something that this program has no method for."""
def land(*parts):
    flat = [p for p in parts if p != "true"]
    return "false" if "false" in flat else "true" if not flat else flat[0] if len(flat) == 1 else ("and", *flat)

def lor(*parts):
    flat = [p for p in parts if p != "false"]
    return "true" if "true" in flat else "false" if not flat else flat[0] if len(flat) == 1 else ("or", *flat)
def lnot(a):
    return {"true": "false", "false": "true"}[a] if a in ("true", "false") else ("not", a)
def implies(a, b):
    return lor(lnot(a), b)
def eq(a, b):
    return "true" if a == b else "false" if isinstance(a, int) and isinstance(b, int) else ("=", a, b)
def total(parts):
    parts = tuple(parts)
    return ("+", 0, *parts) if parts else 0
def lower(after, before):
    """A tuple of natural numbers is less, lexicographically."""
    less = "false"
    for a, b in reversed(list(zip(after, before))):
        less = lor(land(("<=", 0, a), ("<", a, b)), land(eq(a, b), less))
    return less
def walk(t, of):
    """The term with each symbol and each application (inside first) replaced by what `of` says."""
    if isinstance(t, tuple):
        return of(("@", t[1], walk(t[2], of))) if t[0] == "@" else (t[0], *(walk(x, of) for x in t[1:]))
    return of(t) if isinstance(t, str) else t
def put(t, by):
    return walk(t, lambda x: by.get(x, x) if isinstance(x, str) else x)
def parts_of(t):
    """All that occurs in it: symbols but functions, and applications, inside first."""
    if isinstance(t, str):
        yield t
    for x in t[2 if t[0] == "@" else 1:] if isinstance(t, tuple) else ():
        yield from parts_of(x)
    if isinstance(t, tuple) and t[0] == "@":
        yield t
def written(t):
    if isinstance(t, int):
        return str(t) if t >= 0 else f"(- {-t})"
    if isinstance(t, str):
        return t if t in ("true", "false") else f"|{t}|"
    return f"(|{t[1]}| {written(t[2])})" if t[0] == "@" else f"({t[0]} {' '.join(written(x) for x in t[1:])})"
def in_range(value, values):
    """0 .. values - 1; what has "limit" in it has no largest value."""
    return ("<=", 0, value) if "limit" in parts_of(values) else land(("<=", 0, value), ("<", value, values))
def sound(t, arrays):
    """C's words are unsigned: what is compared is not negative; and indices exist. `and`, `or` and `ite` are evaluated
    from the left."""
    if not isinstance(t, tuple):
        return "true"
    if t[0] in ("and", "or", "ite"):
        parts, before = [sound(t[1], arrays)], lnot(t[1]) if t[0] == "or" else t[1]
        for x in t[2:]:
            parts.append(implies(before, sound(x, arrays)))
            before = lnot(t[1]) if t[0] == "ite" else land(before, x if t[0] == "and" else lnot(x))
        return land(*parts)
    parts = [sound(x, arrays) for x in t[1:]]
    if t[0] in ("=", "<", "<=", "div", "mod"):
        parts += [("<=", 0, x) for x in t[1:] if not isinstance(x, int)]
    if t[0] in ("div", "mod"):
        parts.append(("<", 0, t[2]))
    return land(*parts, *([in_range(t[2], arrays[t[1]][0])] if t[0] == "@" else []))

REGIONS = {"remainder": "REMAINDER", "doorway": "TRYING", "waiting": "TRYING", "critical": "CRITICAL", "exit": "EXIT"}
KNOWN_WORDS = {"HAS_DOORWAY", "HAS_INITIAL", "HAS_SHOW", "HAS_PROOF", "HAS_MORE_PROOF", "HAS_NAMES", "HAS_LOCK", ".name",
               ".title", ".citation", ".min_n", ".max_n", ".default_n", ".max_l", ".min_l", ".needs_l_below_n", ".fault",
               ".anonymous", ".values", ".lower", ".values_source", ".variants", ".variant_count", ".default_limit"}
class Place:
    def __init__(self, item):
        self.number, _, region, made_from, label = item[1:6]
        if region not in REGIONS or made_from not in REGIONS:
            raise Uncovered(f"a place in {region}")
        self.region, self.made_from, self.doorway = REGIONS[region], REGIONS[made_from], region == "doorway"
        self.label, self.carried, self.count = label[1], item[6:], f"#{self.number}"
class Rule:
    def __init__(self, item, place):
        self.start, self.end, self.name = place[item[1]], place[item[2]], f"{item[3][1]}:{item[5]}"
        self.tests = [term(t) for t in item[6][1:]]
        self.cells, self.locals, self.stores = {}, {}, []
        for effect in item[7:]:
            if effect[0] in ("cell", "local"):
                (self.cells if effect[0] == "cell" else self.locals)[effect[1]] = term(effect[2])
            elif effect[0] == "store":
                self.stores.append((effect[1], term(effect[2]), term(effect[3])))
            else:
                raise Uncovered(f"a rule with {effect[0]}")
    def sound(self, arrays):
        """The tests are, and where they come out so, what is stored, and where."""
        stored = [*self.cells.values(), *self.locals.values()]
        stored += [x for a, i, v in self.stores for x in (("@", a, i), v)]
        tested = ("and", "true", *self.tests)
        return land(sound(tested, arrays), implies(tested, land(*(sound(x, arrays) for x in stored))))

class Protocol:
    def __init__(self, text):
        lists = read(text)
        if not lists or lists[0][0] != "system":
            raise ValueError("this is not what berth prove --export system writes")
        self.sizes = {x[0]: x[1] for x in lists[0][2:]}
        self.claims = {x[1]: {y[0]: y[1:] for y in x[2:]} for x in lists if x[0] == "claim"}
        words = {w[1] for x in lists if x[0] == "words" for w in x[1:]}
        if not words or words - KNOWN_WORDS:
            raise Uncovered(f"a file that uses {', '.join(sorted(words - KNOWN_WORDS)) or 'no words'}")
        self.cells, self.arrays, self.locals, self.place, self.rules, self.said = {}, {}, {}, {}, [], {}
        self.names = self.uncounted = False
        for item in next(x for x in lists if x[0] == "variant" and x[1] == self.sizes["variant"])[2:]:
            self.take(item)
        self.places = list(self.place.values())
    def take(self, item):
        kind, said = item[0], self.said
        if kind == "cell" or (kind == "array" and len(item) == 4):
            (self.cells if kind == "cell" else self.arrays)[item[1]] = tuple(term(x) for x in item[2:4])
        elif kind == "local":
            self.locals[item[1]] = (term(item[2]), len(item) > 3)
        elif kind == "place":
            self.place[item[1]] = Place(item)
        elif kind == "rule":
            self.rules.append(Rule(item, self.place))
        elif kind in ("invariant", "waiting", "order", "helper"):
            said.setdefault(kind, []).append((item[1][1], term(item[2])))
        elif kind in ("names", "uncounted"):
            setattr(self, kind, True)
        elif kind in ("values", "whole", "crowd", "each", "numbered"):
            said[kind] = term(item[1])
        elif kind in ("rank", "before", "blocked", "lockout"):
            said[kind] = [term(x) for x in item[1:]]
        else:
            raise Uncovered(f"a file with ({kind} ...)")
    def where(self, word):
        """The places of LABEL, :REGION (in a transformation, of its source) or !REGION."""
        return [q for q in self.places if (q.label == word != "") or (word[0] == ":" and q.made_from == word[1:]) or
                (word[0] == "!" and q.region == word[1:]) or (word == ":WAITING" and q.region == "TRYING" and not q.doorway)]
    def assumed_sizes(self, least=1):
        s, l = self.sizes, "l"
        parts = [("<=", max(least, s["min-n"]), "n"), ("<=", 1, "k"), ("<=", "k", "n")]
        parts.append(eq(l, 1) if s["max-l"] == 1 else ("<=", max(1, s["min-l"]), l))
        return land(*parts, *([("<", l, "n")] if s["l-below-n"] else []))

class Step:
    def __init__(self, rule, guard, cells, stores, by):
        self.rule, self.guard, self.cells, self.stores, self.by = rule, guard, cells, stores, by
        self.keeps_region = rule.start.region == rule.end.region
    def after(self, t):
        def of(x):
            if isinstance(x, str):
                return self.cells.get(x, x)
            for function, index, value in self.stores:
                x = ("ite", eq(x[2], index), value, x) if function == x[1] else x
            return x
        return walk(t, of)
    def lowers(self, rank):
        """The first that differs is less after the step, and was not negative."""
        return lor(*(land(*(eq(self.after(r), r) for r in rank[:x]), ("<", self.after(rank[x]), rank[x]), ("<=", 0, rank[x]))
                     for x in range(len(rank))))
    def changes(self):
        return lor("true" if self.rule.start != self.rule.end else "false",
                   *(lnot(eq(old, new)) for old, new in self.cells.items()),
                   *(lnot(eq(self.after(("@", f, i)), ("@", f, i))) for f, i, _ in self.stores))

class System:
    """What both kinds have. Each group of obligations gives (name, assumed, goal)."""
    def __init__(self, protocol):
        p = self.p = protocol
        self.first = {c: first for c, (_, first) in p.cells.items()}
        self.first.update({q.count: "n" if q.number == 0 else 0 for q in p.places})
        self.frame = [("cells", land(*(in_range(c, values) for c, (values, _) in p.cells.items()))),
                      ("counts", land(eq(total(q.count for q in p.places), "n"), *(("<=", 0, q.count) for q in p.places)))]
        self.functions = []
    def counted(self, *regions):
        return total(q.count for q in self.p.places if q.region in regions)
    def values(self):
        p, claimed = self.p, self.p.said.get("values")
        if claimed is None or p.uncounted:
            raise Uncovered("no term says how many values there are")
        all_of = [p.said["whole"]] if "whole" in p.said else [v for v, _ in p.cells.values()]
        for values in all_of + [v for _, v in p.arrays.values()]:
            yield "values", p.assumed_sizes(), "false" if "limit" in parts_of(values) else ("<=", values, claimed)
    def lingers(self):
        """A slot is free and somebody waits, or somebody is in its exit region."""
        free = land(("<", self.counted("CRITICAL"), "l"), ("<", 0, self.counted("TRYING")))
        return lor(free, ("<", 0, self.counted("EXIT")))
    def step(self, rule, guard, its):
        """`its` says what a local variable is, at the place where it is carried."""
        by = {f"my.{v}": its(rule.start, v) if v in rule.start.carried else 0 for v in self.p.locals}
        cells = {c: put(t, by) for c, t in rule.cells.items()}
        if rule.start != rule.end:
            cells[rule.start.count], cells[rule.end.count] = ("+", rule.start.count, -1), ("+", rule.end.count, 1)
        return Step(rule, land(guard, *(put(t, by) for t in rule.tests)), cells, [], by)

class Counters(System):
    """Processes at a place are alike: how many there are is a variable."""
    def __init__(self, protocol):
        super().__init__(protocol)
        p = self.p
        frame = [c for _, c in self.frame]
        for q in p.places:
            frame += [("<=", q.count, 1)] if q.carried else []
            for v in q.carried:
                value, (values, splits) = f"{q.number}.{v}", p.locals[v]
                self.first[value] = 0
                frame += [in_range(value, values), implies(eq(q.count, 0), eq(value, 0))]
                frame += [implies(eq(value, 0), eq(q.count, 0))] if splits else []
        self.variables = [*self.first, "waiter", "other", "entries", "returned"]
        self.invariant = land(*frame, *(self.meant(c) for _, c in p.said.get("invariant", ())))
        self.steps = [self.counting_step(r) for r in p.rules]
        self.rank = [self.meant(r) for r in [*p.said.get("before", ()), *p.said.get("rank", ())]]
    def meant(self, t):
        def of(x):
            if isinstance(x, tuple) or x in self.variables or x in ("n", "l", "k", "true", "false"):
                return x
            if x[0] == "#":
                return total(q.count for q in self.p.where(x[1:]))
            if x[1:2] == "@":
                return self.marked_in("waiter" if x[0] == "w" else "other", self.p.where(x[2:]))
            place, _, local = x.lstrip("+").rpartition(".")
            return total(f"{q.number}.{local}" for q in (self.p.places if x[0] == "+" else self.p.where(place))
                         if local in q.carried)
        return walk(t, of)
    def counting_step(self, rule):
        made = self.step(rule, ("<", 0, rule.start.count), lambda q, v: f"{q.number}.{v}")
        made.cells.update({f"{rule.start.number}.{v}": 0 for v in rule.start.carried})
        made.cells.update({f"{rule.end.number}.{v}": put(rule.locals.get(v, 0), made.by) for v in rule.end.carried})
        return made
    def assumed(self, *more):
        return land(self.p.assumed_sizes(), self.invariant, *more)
    def safety(self):
        yield "the invariant at first", self.p.assumed_sizes(), put(self.invariant, self.first)
        for s in self.steps:
            yield f"the invariant is kept by {s.rule.name}", self.assumed(s.guard), s.after(self.invariant)
            yield (f"{s.rule.name} compares no negative numbers", self.assumed(("<", 0, s.rule.start.count)),
                   put(s.rule.sound({}), s.by))
    def exclusion(self):
        yield "at most l are critical", self.assumed(), ("<=", self.counted("CRITICAL"), "l")
    def deadlock_free(self):
        if not self.rank:
            raise Uncovered("no RANK")
        for s in self.steps:
            if s.keeps_region:
                yield f"{s.rule.name} lowers the rank", self.assumed(s.guard, s.changes()), s.lowers(self.rank)
        yield ("somebody can move", self.assumed(("<", self.counted("REMAINDER"), "n")),
               self.can_move("TRYING", "CRITICAL", "EXIT"))
    def can_move(self, *regions):
        return lor(*(land(s.guard, s.changes()) for s in self.steps if s.rule.start.region in regions))
    def allocation(self):
        if self.p.claims["kl-deadlock-free"].get("up-to-k") == (1,):
            yield from self.deadlock_free()
            yield "one of those that wait goes on", self.assumed(self.lingers()), self.can_move("TRYING", "EXIT")
            return
        for s in self.steps:
            if s.rule.start.region == "TRYING" and s.rule.end.region != "CRITICAL":
                yield f"{s.rule.name} enters", self.assumed(s.guard), ("<=", "l", self.counted("CRITICAL"))
        yield "nobody leaves", self.assumed(), eq(self.counted("EXIT"), 0)


    def marked_in(self, who, places):
        return ("ite", lor(*(eq(who, q.number) for q in places)), 1, 0)
    def waits(self):
        return lor(*(eq("waiter", q.number) for q in self.p.places if q.region in ("TRYING", "EXIT")))
    def marked_steps(self, marks):
        """The steps of all but the marked, and of each of these."""
        for s in self.steps:
            start, end = s.rule.start, s.rule.end
            here = total(self.marked_in(who, [start]) for who in marks)
            yield "", Step(s.rule, land(s.guard, ("<", here, start.count)), s.cells, [], s.by)
            for who in marks:
                cells = {**s.cells, who: end.number}
                now = lor(*(eq(end.number, q.number) for q in self.p.places if q.region in ("TRYING", "EXIT")))
                was = start.region in ("TRYING", "EXIT")
                if who == "waiter" and not (was and now == "true"):
                    cells["entries"] = 0
                    cells["returned"] = ("ite", eq("other", 0), 1, 0) if now == "true" else 0
                if who == "other":
                    back = {"REMAINDER": 1, "CRITICAL": 0}.get(end.region, "returned")
                    more = ("+", "entries", "returned") if end.region == "CRITICAL" else "entries"
                    cells["returned"], cells["entries"] = ("ite", self.waits(), back, 0), ("ite", self.waits(), more, 0)
                yield who, Step(s.rule, land(s.guard, eq(who, start.number)), cells, [], s.by)
    def marked_frame(self, marks):
        places = self.p.places
        return land(*(lor(*(eq(who, q.number) for q in places)) for who in marks),
                    *(("<=", total(self.marked_in(who, [q]) for who in marks), q.count) for q in places))
    def bounded_waiting(self):
        claimed = self.p.claims["bounded-waiting"]["bound"]
        marks, waits = ("waiter", "other"), self.waits()
        frame = land(self.marked_frame(marks), ("<=", 0, "entries"), in_range("returned", 2),
                     lor(waits, land(eq("entries", 0), eq("returned", 0))),
                     implies(land(waits, eq("other", 0)), eq("returned", 1)),
                     *(self.meant(c) for _, c in self.p.said.get("waiting", ())))
        at_first = {**self.first, "waiter": 0, "other": 0, "entries": 0, "returned": 0}
        yield "the marked at first", self.p.assumed_sizes(2), put(frame, at_first)
        for who, s in self.marked_steps(marks):
            yield (f"what is said of the marked is kept by {s.rule.name} {who}",
                   self.assumed(("<=", 2, "n"), frame, s.guard), s.after(frame))
        yield ("entries are bounded", self.assumed(("<=", 2, "n"), frame),
               ("<=", "entries", ("+", claimed[0], ("*", claimed[1], "n"))))
    def waiters_rank(self):
        """LOCKOUT_RANK: no step raises it, and each that changes something lowers it, or leaves that to the helper."""
        helpers, waits = self.p.said.get("helper", ()), self.waits()
        frame, which = self.marked_frame(("waiter",)), 0
        for h in range(len(helpers), 0, -1):
            which = ("ite", self.meant(helpers[h - 1][1]), h, which)
        rank = [self.meant(r) for r in self.p.said["lockout"]] + [("ite", eq(which, 0), r, 0) for r in self.rank]
        yield "the waiter at first", self.p.assumed_sizes(), put(frame, {**self.first, "waiter": 0})
        for who, s in self.marked_steps(("waiter",)):
            yield f"the waiter is counted after {s.rule.name} {who}", self.assumed(frame, s.guard), s.after(frame)
            if who and (s.rule.start.region in ("REMAINDER", "CRITICAL") or s.rule.end.region in ("REMAINDER", "CRITICAL")):
                continue
            same = land(*(eq(s.after(r), r) for r in rank))
            its = lor(*(eq(which, h + 1) for h, (label, _) in enumerate(helpers) if label == s.rule.start.label))
            left = land(same, eq(which, s.after(which)), ("<", 0, which))
            yield (f"{s.rule.name} {who} brings the waiter nearer", self.assumed(frame, s.guard, waits),
                   lor(s.lowers(rank), land(lnot(its), lor(lnot(s.changes()), left))))
        for h, (label, _) in enumerate(helpers):
            yield ("the helper is one process", self.assumed(frame, waits, eq(which, h + 1)),
                   eq(total(q.count for q in self.p.where(label)), 1))

class Names(System):
    """Processes are numbers; where each is, and what it remembers, are functions."""
    def __init__(self, protocol):
        super().__init__(protocol)
        p = self.p
        self.variables = [*self.first, "me", "$i", "$j", "$k", "$m", "$behind"]
        self.functions = ["place", *(f"its {v}" for v in p.locals), *p.arrays]
        self.frame += [("arrays", implies(in_range("$k", c), in_range(("@", a, "$k"), v))) for a, (c, v) in p.arrays.items()]
        self.frame.append(("places", self.is_at("$i", p.places)))
        for v, (values, _) in p.locals.items():
            its, carried = ("@", f"its {v}", "$i"), self.is_at("$i", [q for q in p.places if v in q.carried])
            self.frame.append((v, land(in_range(its, values), lor(carried, eq(its, 0)))))
        self.conjuncts = self.frame + [(name, self.meant(c)) for name, c in p.said.get("invariant", ())]
        self.said = {k: [self.meant(x) for x in v] if isinstance(v, list) else self.meant(v)
                     for k, v in p.said.items() if k in ("each", "blocked", "numbered", "crowd")}
        self.steps = []
        # What is said of one process is of I alone; and only the order knows who is behind.
        for word, t in [*((k, t) for k, x in self.said.items() for t in (x if isinstance(x, list) else [x])),
                        *(("invariant", c) for _, c in self.conjuncts)]:
            no = {"crowd": {"$behind"}, "invariant": {"$behind"}}.get(word, {"$j", "$k", "$behind"}) | {"me", "$m", "$t", "$w"}
            if no & {x for x in parts_of(t) if isinstance(x, str)}:
                raise Uncovered(f"{word} that speaks of something else")
        for rule in p.rules:
            s = self.step(rule, self.is_at("me", [rule.start]), lambda q, v: ("@", f"its {v}", "me"))
            s.stores = [(a, put(i, s.by), put(v, s.by)) for a, i, v in rule.stores]
            s.stores += [(f"its {v}", "me", put(rule.locals.get(v, 0), s.by)) for v in p.locals
                         if v in rule.start.carried or v in rule.end.carried]
            s.stores += [("place", "me", rule.end.number)] if rule.start != rule.end else []
            self.steps.append(s)

    def is_at(self, who, places):
        return lor(*(eq(("@", "place", who), q.number) for q in places))
    def is_in(self, who, *regions):
        return self.is_at(who, [q for q in self.p.places if q.region in regions])
    def is_process(self, t):
        return land(("<=", 0, t), ("<", t, "n"))
    def outside(self, who):
        return self.is_in(who, "TRYING", "CRITICAL", "EXIT")
    def meant(self, t):
        def of(x):
            if isinstance(x, str):
                return total(q.count for q in self.p.where(x[1:])) if x[0] == "#" and x not in self.first else x
            if x[1][0] == ".":
                return ("@", f"its {x[1][1:]}", x[2])
            return ("ite", self.is_at(x[2], self.p.where(x[1][1:])), 1, 0) if x[1][0] == "@" else x
        return walk(t, of)
    def assumed(self, spoken, step=None, *more, of=()):
        """The invariants, for what is spoken of; `of` are the processes and numbers that the obligation is about."""
        terms = list(of)
        stored = [("+", i, v) for _, i, v in step.stores] if step else []
        for t in [spoken, *more, *stored, *([step.after(spoken), step.guard] if step else [])]:
            terms += [x[2] for x in parts_of(t) if isinstance(x, tuple)]
        terms = list(dict.fromkeys(terms + [i for _, i, _ in (step.stores if step else ())]))
        parts = [self.p.assumed_sizes(), *more, *(self.is_process(x) for x in of if x not in ("$k", "$m"))]
        parts += [step.guard] if step else []
        for _, c in self.conjuncts:
            parts += self.instances(c, terms)
        for x, a in enumerate(terms):
            for q in self.p.places:
                here = land(self.is_process(a), self.is_at(a, [q]))
                parts.append(implies(here, ("<=", 1, q.count)))
                parts += [implies(land(here, self.is_process(b), lnot(eq(a, b)), self.is_at(b, [q])), ("<=", 2, q.count))
                          for b in terms[:x]]
        return land(*parts)
    def instances(self, c, terms):
        used = set(x for x in parts_of(c) if isinstance(x, str))
        for i in terms if "$i" in used else [None]:
            for j in terms if "$j" in used else [None]:
                when = land(*(self.is_process(x) for x in (i, j) if x is not None),
                            "true" if None in (i, j) else lnot(eq(i, j)))
                for k in terms if "$k" in used else [None]:
                    yield implies(when, put(c, {"$i": i, "$j": j, "$k": k}))
    def safety(self):
        for name, c in self.conjuncts:
            used = set(x for x in parts_of(c) if isinstance(x, str))
            of = tuple(x for x in ("$i", "$j", "$k") if x in used)
            differ = lnot(eq("$i", "$j")) if "$i" in used and "$j" in used else "true"
            first = walk(c, lambda x: 0 if isinstance(x, tuple) else self.first.get(x, x))
            yield (f"{name}, at first", land(self.p.assumed_sizes(), differ, *(self.is_process(x) for x in of if x != "$k")),
                   first)
            for s in self.steps:
                if s.after(c) != c:
                    yield f"{name}, kept by {s.rule.name}", self.assumed(c, s, differ, of=("me", *of)), s.after(c)
        for s in self.steps:
            goal = put(s.rule.sound(self.p.arrays), s.by)
            yield (f"{s.rule.name} stays within words and arrays",
                   self.assumed(goal, None, self.is_at("me", [s.rule.start]), of=("me",)), goal)
    def exclusion(self):
        of, differ = ("$i", "$j"), lnot(eq("$i", "$j"))
        both = land(differ, self.is_in("$i", "CRITICAL"), self.is_in("$j", "CRITICAL"))
        if "crowd" in self.said: # two that are critical would make n + 1 processes
            crowd, other = self.said["crowd"], put(self.said["crowd"], {"$k": "$m"})
            when = land(both, ("<=", 1, "$k"), ("<", "$k", "n"))
            yield ("two that are critical crowd", self.assumed(crowd, None, when, of=(*of, "$k")),
                   land(self.is_process(crowd), lnot(eq(crowd, "$i")), lnot(eq(crowd, "$j"))))
            when = land(when, ("<=", 1, "$m"), ("<", "$m", "n"), lnot(eq("$k", "$m")))
            yield ("all in the crowd differ", self.assumed(("+", crowd, other), None, when, of=(*of, "$k", "$m")),
                   lnot(eq(crowd, other)))
        elif self.p.sizes["max-l"] > 1:
            critical = self.counted("CRITICAL")
            yield "at most l are critical", self.assumed(critical), ("<=", critical, "l")
        else:
            yield "no two are critical", self.assumed(both, None, both, of=of), "false"
    def can_move(self):
        moves = (land(s.guard, s.changes()) for s in self.steps if s.rule.start.region != "REMAINDER")
        return put(lor(*moves), {"me": "$i"})
    def deadlock_free(self):
        if "each" not in self.said or not {"blocked", "numbered"} & set(self.said):
            raise Uncovered("no RANK_OF_EACH with BLOCKED_BY or NUMBERED")
        each, me = self.said["each"], eq("$i", "me")
        for s in self.steps:
            after, changes = s.after(each), s.changes()
            if s.keeps_region and changes != "false":
                for goal, who in ((land(("<=", 0, after), ("<", after, each)), me), (eq(after, each), lnot(me))):
                    yield f"the number after {s.rule.name}", self.assumed(each, s, changes, who, of=("me", "$i")), goal
        yield from self.numbered() if "numbered" in self.said else self.blocked()
    def blocked(self):
        who, *mine = self.said["blocked"]
        theirs = [put(t, {"$i": who}) for t in mine]
        goal = lor(self.can_move(), land(self.is_process(who), self.outside(who), lower(theirs, mine)))
        yield "one that cannot move is blocked", self.assumed(("+", goal, *theirs), None, self.outside("$i"), of=("$i",)), goal
    def inside(self):
        places = [q for q in self.p.places if q.made_from != "REMAINDER"]
        return total(q.count for q in places), self.is_at("$i", places)
    def numbered(self):
        mine, (many, here), differ = self.said["numbered"], self.inside(), lnot(eq("$i", "$j"))
        theirs, there = put(mine, {"$i": "$j"}), put(here, {"$i": "$j"})
        free = {r.start.count for r in self.p.rules if not r.tests and r.start != r.end and r.start.region != "REMAINDER"}
        free = lor(*(("<", 0, count) for count in sorted(free)))
        yield "one inside has a number", self.assumed(mine, None, here, of=("$i",)), in_range(mine, many)
        yield ("no two have the same", self.assumed(("+", mine, theirs), None, here, there, differ, of=("$i", "$j")),
               lnot(eq(mine, theirs)))
        moves = lor(self.can_move(), free)
        yield "the first can move", self.assumed(("+", mine, moves), None, here, eq(mine, 0), of=("$i",)), moves
        resting = self.counted("REMAINDER")
        yield "somebody else is free", self.assumed(resting, None, ("<", resting, "n"), ("<=", many, 0)), free
    def allocation(self):
        if "numbered" not in self.said or self.p.claims["kl-deadlock-free"].get("up-to-k") != (1,):
            raise Uncovered("kl-deadlock-free without NUMBERED, or for every k")
        yield from self.deadlock_free()
        (many, here), first = self.inside(), eq(self.said["numbered"], 0)
        yield "somebody is first", self.assumed("true", None, self.lingers()), ("<", 0, many)
        goal = land(self.can_move(), self.is_in("$i", "TRYING", "EXIT"))
        yield "the first goes on", self.assumed(land(goal, first), None, self.lingers(), here, first, of=("$i",)), goal
    def doorway(self):
        each, here = self.said["each"], self.is_at("$i", [q for q in self.p.places if q.doorway])
        for s in self.steps:
            if s.rule.start.doorway:
                yield f"{s.rule.name} changes something", self.assumed(s.changes(), s, of=("me",)), s.changes()
            if s.after(each) != each:
                yield (f"{s.rule.name} raises no number in the doorway",
                       self.assumed(each, s, here, lnot(eq("$i", "me")), of=("me", "$i")), ("<=", s.after(each), each))
    def fifo(self):
        if "order" not in self.p.said:
            raise Uncovered("no ORDER_INVARIANT")
        of, behind, rests, inside = ("$i", "$j"), eq("$behind", 1), self.is_in("$j", "REMAINDER"), self.is_in("$j", "CRITICAL")
        waits = self.is_at("$i", self.p.where(":WAITING") + [q for q in self.p.places if q.region == "EXIT"])
        if any(x in ("me", "$k", "$m", "$t", "$w") for _, c in self.p.said["order"] for x in parts_of(c)):
            raise Uncovered("ORDER_INVARIANT that speaks of more than I and J")
        order = land(lnot(eq("$i", "$j")), implies(behind, waits), *(self.meant(c) for _, c in self.p.said["order"]))
        nobody = land(lnot(eq("$i", "$j")), self.is_in("$i", "REMAINDER"), rests, lnot(behind))
        yield "the order at first", self.assumed(order, None, nobody, of=of), order
        for s in self.steps:
            still = land(s.after(waits), lor(behind, s.after(rests)))
            marked = Step(s.rule, s.guard, {**s.cells, "$behind": ("ite", still, 1, 0)}, s.stores, s.by)
            yield (f"the order is kept by {s.rule.name}", self.assumed(order, marked, order, of=("me", *of)),
                   marked.after(order))
            enters = land(behind, lnot(inside), s.after(inside))
            yield (f"one that is behind does not enter by {s.rule.name}",
                   self.assumed(order, s, order, enters, of=("me", *of)), "false")
        yield "one that is behind is not critical", self.assumed(order, None, order, behind, inside, of=of), "false"

def groups_of(p, claim):
    """Which groups show the claim; or Uncovered."""
    has_doorway, more = any(q.doorway for q in p.places), p.claims[claim]
    bound, bounded = more.get("bound", (0, 0)), p.claims.get("bounded-waiting", {}).get("bound")
    gives_up = any(r.end.region in ("REMAINDER", "EXIT") and r.start.region in ("REMAINDER", "TRYING") for r in p.rules)
    each = [x for x in parts_of(p.said.get("each", "me"))]
    of_place = all(x in ("$i", "n") if isinstance(x, str) else x[1][0] == "@" or "limit" not in parts_of(
        p.locals.get(x[1][1:], ("limit",))[0]) for x in each)
    ways = [("no-memory", not p.place[0].carried, ()),
            ("exclusion", True, ("safety", "exclusion")), ("values", True, ("safety", "values")),
            ("deadlock-free", True, ("safety", "deadlock_free")), ("kl-deadlock-free", True, ("safety", "allocation")),
            ("lockout-free", p.names and not gives_up, ("safety", "deadlock_free", "doorway", "fifo")),
            ("fifo", p.names, ("safety", "fifo")), ("linear-waiting", p.names and bound[0] >= 1, ("safety", "fifo")),
            ("bounded-waiting", p.names and not has_doorway, ("safety", "fifo")),
            ("finite-waiting", p.names and not has_doorway, ("safety", "fifo")),
            ("wait-free-doorway", p.names and not has_doorway and bound[0] >= 1, ()),
            ("wait-free-doorway", p.names and of_place and "bound" not in more, ("safety", "deadlock_free", "doorway")),
            ("lockout-free", not p.names and "lockout" in p.said, ("safety", "deadlock_free", "waiters_rank")),
            ("lockout-free", not p.names and bounded and not gives_up, ("safety", "deadlock_free", "bounded_waiting")),
            ("bounded-waiting", not p.names and bounded, ("safety", "bounded_waiting")),
            ("finite-waiting", not p.names and bounded, ("safety", "bounded_waiting")),
            ("finite-waiting", not p.names and not bounded and "lockout" in p.said and more.get("up-to-k") == (1,),
             ("safety", "waiters_rank")),
            ("linear-waiting", not p.names and bounded and bound[0] > bounded[0] and bound[1] >= bounded[1],
             ("safety", "bounded_waiting"))]
    for name, applies, groups in ways:
        if name == claim and applies:
            return groups
    raise Uncovered("no method here")

def discharge(system, obligations, solver, seconds):
    """The names of those that are not discharged."""
    names, asked = [], ["(set-logic ALL)"]
    asked += [f"(declare-const |{v}| Int)" for v in dict.fromkeys(["n", "l", "k", *system.variables])]
    asked += [f"(declare-fun |{f}| (Int) Int)" for f in system.functions]
    for name, assumed, goal in obligations:
        names.append(name)
        asked.append(f"(push 1)\n(assert {written(assumed)})\n(assert (not {written(goal)}))\n(check-sat)\n(pop 1)")
    command = (["z3", "-in", "-smt2", f"-t:{seconds}000"] if solver == "z3" else
               ["cvc5", "--lang=smt2", "--incremental", "-q", f"--tlimit-per={seconds}000", "-"])
    answers = subprocess.run(command, input="\n".join(asked), capture_output=True, text=True, check=False).stdout.split()
    if len(answers) != len(names):
        return [f"the solver says: {' '.join(answers)[:200]}"]
    return [name for name, answer in zip(names, answers) if answer != "unsat"]

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--solver", default="z3", choices=("z3", "cvc5"))
    parser.add_argument("--seconds", type=int, default=20)
    arguments = parser.parse_args()
    text = (sys.stdin if arguments.file == "-" else open(arguments.file, encoding="utf-8")).read()
    why, failing = None, {}
    try:
        protocol = Protocol(text)
        system = (Names if protocol.names else Counters)(protocol)
    except Uncovered as uncovered:
        why = uncovered
    for claim in [x[1] for x in read(text) if x[0] == "claim"]:
        try:
            if why is not None:
                raise why
            groups = groups_of(protocol, claim)
            for group in groups:
                if group not in failing:
                    failing[group] = discharge(system, getattr(system, group)(), arguments.solver, arguments.seconds)
            failed = [name for group in groups for name in failing[group]]
            print(f"{claim} open: {failed[0]}" if failed else f"{claim} proved", flush=True)
        except Uncovered as uncovered:
            print(f"{claim} not covered: {uncovered}", flush=True)
if __name__ == "__main__":
    main()
