#!/usr/bin/env python3
"""no-slot-lost, exclusion and counts of random protocols, by a search of its own.

    tests/oracle/made_up.py [--count N] [--seed S] [--states N] [--gpu] [--keep DIR]

Each round makes up a protocol: a few places in its entry, exit and revival, each an access to one of a few small
variables, with jumps. It is written down in the notation for `berth check`, and explored here from the same list of
places, by the definitions of docs/CHECKER.md and by no code of berth's. Compared are states, transitions, whether
exclusion and no-slot-lost hold, and how long their witnesses are.

--gpu has `berth check --gpu` do the same; tests/gpu/check says how that works without a card. BERTH names the binary.
"""
import argparse, collections, json, os, random, subprocess, sys, tempfile

BERTH = os.environ.get("BERTH", "build/berth")
SRC = os.environ.get("SRC", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
# Where a process is; otherwise it is at (section, place), having made an access of that section. Where the first access is
# a test that fails, it has left its rest, or its revival, and is at the test.
REMAINDER, CRITICAL, DEAD, REVIVED = "R", "C", "dead", "revived"


class Protocol:
    """cells: {name: values}; a place is (kind, cell, number, number, where a jump goes)."""

    def __init__(self, dice):
        self.n, self.l, self.kills = dice.choice([(2, 1, 2), (2, 2, 1), (3, 1, 1), (3, 2, 1), (3, 1, 0), (2, 1, 0)])
        self.cells = {name: dice.randint(2, 3) for name in "ab"[: dice.randint(1, 2)]}
        self.flags = dice.random() < 0.5  # one for each process: nobody is like another then
        self.revives = dice.random() < 0.7
        self.section = {"entry": self.places(dice, dice.randint(2, 5)), "exit": self.places(dice, dice.randint(1, 3))}
        if self.kills and self.revives:
            self.section["revival"] = self.places(dice, dice.randint(1, 3))

    def places(self, dice, count):
        section = []
        for at in range(count):
            kind = dice.choice(["read", "write", "await", "test", "test", "update"])
            cell = dice.choice(list(self.cells) + ["mine", "next"] * self.flags)
            if cell == "next" and kind in ("write", "test", "update"):
                cell = "mine"
            values = self.cells.get(cell, 2)
            jump = dice.choice([None, None, *range(count), count])
            if at == count - 1 and jump is not None and dice.random() < 0.5:
                jump = None
            section.append((kind, cell, dice.randrange(values), dice.randrange(values), jump))
        return section

    # ---- as a file ----

    def text(self):
        cells = " ".join(f"cell({name}, {values})" for name, values in self.cells.items())
        lines = ["#define NAME random", f"#define CELLS(cell, cells, registers) {cells}" + " registers(f, 2)" * self.flags,
                 "#define LOCALS(local)"] + ["#define HAS_REVIVAL"] * ("revival" in self.section)
        lines += ['#include "step/step.h"', ""]
        for name, section in self.section.items():
            lines += [name.upper(), "    word seen;"] + ["    (void)seen;"]
            for at, place in enumerate(section):
                lines += self.lines(name, at, place, section)
            lines += [f"{name}_end:;"] * any(p[4] == len(section) for p in section) + ["END", ""]
        lines += ["static const struct protocol_claim claims[] = {",
                  '    {CHECK_EXCLUSION, CLAIMED, "random"}, {CHECK_NO_SLOT_LOST, CLAIMED, "random"}};',
                  'static const struct protocol_variant variants[] = {{"", "random", CLAIMS(claims)}};',
                  'PROTOCOL(.name = "random", .title = "random", .citation = "random", .min_n = 2, .max_n = 4,',
                  f"         .default_n = 2, .max_l = 3, .fault = STEP_FAULT_{'KILL' if self.kills else 'NONE'},",
                  "         .anonymous = true, " * (not self.flags) + "VARIANTS(variants))", '#include "step/end.h"', ""]
        return "\n".join(lines)

    @staticmethod
    def reached(section):
        """The places of a section that something leads to: berth refuses a file with others."""
        found, todo = set(), [0]
        while todo:
            at = todo.pop()
            if at in found or at >= len(section):
                continue
            found.add(at)
            kind, jump = section[at][0], section[at][4]
            todo += ([] if jump is None else [jump]) + ([at + 1] if jump is None or kind in ("read", "update") else [])
        return found

    @classmethod
    def lines(cls, name, at, place, section):
        if at not in cls.reached(section):
            return
        kind, cell, one, two, jump = place
        where = {"mine": "f[ME]", "next": "f[(ME + 1) % n]"}.get(cell, cell)
        label = f"{name}{at}"
        goes = "" if jump is None else f" goto {name}_end;" if jump == len(section) else f" goto {name}_{jump};"
        yield f"{name}_{at}:;" if any(section[p][4] == at for p in cls.reached(section)) else ""
        if kind == "read":
            yield f"    READ({label}, seen, {where});"
            if goes:
                yield f"    if (seen == {one}){goes}"
        elif kind == "write":
            yield f"    WRITE({label}, {where}, {one});{goes}"
        elif kind == "await":
            yield f"    AWAIT({label}, v, {where}, v == {one});{goes}"
        elif kind == "test":
            yield f"    TEST({label}, v, {where})\n        ON(v == {one}, {two});\n    END_TEST{goes}"
        else:
            yield f"    UPDATE({label}, seen, {where}, seen == {one} ? {two} : seen);"
            if goes:
                yield f"    if (seen == {one}){goes}"

    # ---- as it runs; a state: (cells, flags, where each process is, kills) ----

    def initial(self):
        return ((0,) * len(self.cells), (0,) * self.n, (REMAINDER,) * self.n, 0)

    def after(self, section, at):
        if at < len(self.section[section]):
            return (section, at)
        return CRITICAL if section == "entry" else REMAINDER

    def step(self, state, p):
        """The state after the step of process p, which always exists."""
        cells, flags, where, kills = state
        at = where[p]
        if at == DEAD:
            at = REVIVED if "revival" in self.section else REMAINDER
            return (cells, flags, where[:p] + (at,) + where[p + 1:], kills)
        section, place = {REMAINDER: ("entry", 0), CRITICAL: ("exit", 0), REVIVED: ("revival", 0)}.get(at, at)
        kind, cell, one, two, jump = self.section[section][place]
        whose = {"mine": p, "next": (p + 1) % self.n}.get(cell)
        index = None if whose is not None else list(self.cells).index(cell)
        found = flags[whose] if index is None else cells[index]
        new, moves, jumps = found, True, True
        if kind == "write":
            new = one
        elif kind in ("await", "test"):
            moves = found == one
            new = two if kind == "test" and moves else found
        else:
            jumps = found == one
            new = two if kind == "update" and jumps else found
        if not moves:  # a busy wait: it is where it was, but for having left its region
            following = (section, place)
        else:
            following = self.after(section, jump if jump is not None and jumps else place + 1)
        if index is None:
            flags = flags[:whose] + (new,) + flags[whose + 1:]
        else:
            cells = cells[:index] + (new,) + cells[index + 1:]
        return (cells, flags, where[:p] + (following,) + where[p + 1:], kills)

    def moves(self, state):
        """(successor, whether it is a step of a process that lives, and stays so)"""
        cells, flags, where, kills = state
        for p in range(self.n):
            yield self.step(state, p), where[p] != DEAD
        for p in range(self.n if kills < self.kills else 0):
            if where[p] != DEAD:
                yield (cells, flags, where[:p] + (DEAD,) + where[p + 1:], kills + 1), False

    def explore(self, most):
        depth, order, edges = {self.initial(): 0}, collections.deque([self.initial()]), {}
        while order:
            state = order.popleft()
            edges[state] = list(self.moves(state))
            for following, _ in edges[state]:
                if following not in depth:
                    depth[following] = depth[state] + 1
                    order.append(following)
            if len(depth) > most:
                return None
        crowded = [depth[s] for s in depth if s[2].count(CRITICAL) > self.l]
        fills = {s for s in depth if s[2].count(CRITICAL) >= min(self.l, self.n - s[2].count(DEAD))}
        into = collections.defaultdict(list)
        for state, successors in edges.items():
            for following, living in successors:
                if living:
                    into[following].append(state)
        pending = list(fills)
        while pending:
            for before in into[pending.pop()]:
                if before not in fills:
                    fills.add(before)
                    pending.append(before)
        lost = [depth[s] for s in depth if s not in fills]
        return {"states": len(depth), "transitions": sum(map(len, edges.values())),
                "exclusion": min(crowded, default=None), "no-slot-lost": min(lost, default=None)}


def ask(protocol, path, *more):
    command = [BERTH, "check", path, "-n", str(protocol.n), "-l", str(protocol.l), "--whole", "--json", "--only",
               "exclusion,no-slot-lost", *more]
    if protocol.kills:
        command += ["--kills", str(protocol.kills)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return None, done.stderr
    report = json.loads(done.stdout)
    found = {c["property"]: c["witness_steps"] if c["holds"] is False else None if c["holds"] else "undecided"
             for c in report["claims"]}
    return {"states": report["states"], "transitions": report["transitions"], **found}, done.stderr


def one_lane(folder, path):
    """The kernels of the file for the driver of tests/gpu, which is named by DRIVER."""
    kernels = os.path.join(folder, "random.so")
    subprocess.run(["cc", "-O1", "-w", "-fPIC", "-shared", "-DSTEP_OWN", "-DSTEP_MODEL", "-DSTEP_BARE", "-DSTEP_DEVICE", "-I",
                    os.path.join(SRC, "src"), path, "-o", kernels], check=True)
    os.environ["FAKE_GPU_KERNELS"] = kernels
    os.environ["LD_LIBRARY_PATH"] = os.environ["DRIVER"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--states", type=int, default=20000)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_args()
    failed, kinds, seed = 0, collections.Counter(), options.seed
    while sum(kinds.values()) < options.count:
        protocol = Protocol(random.Random(seed))
        mine = protocol.explore(options.states)
        seed += 1
        if mine is None or mine["states"] < 8:
            continue
        if mine["no-slot-lost"] is not None and kinds["lost"] > kinds["not lost"]:  # most of them lose slots
            continue
        kinds["lost" if mine["no-slot-lost"] is not None else "not lost"] += 1
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(options.keep or folder, f"random{seed - 1}.c")
            with open(path, "w", encoding="utf-8") as file:
                file.write(protocol.text())
            os.environ["XDG_CACHE_HOME"] = folder
            ways = [(), ("--no-symmetry",), ("--threads", "1", "--no-symmetry")]
            if options.gpu:
                one_lane(folder, path)
                ways = [("--gpu",), ("--gpu", "--no-symmetry")]
            for more in ways:
                theirs, err = ask(protocol, path, *more)
                if theirs != mine:
                    failed += 1
                    print(f"seed {seed - 1} {more}: {theirs} and not {mine} {err}", flush=True)
    print(f"{sum(kinds.values())} protocols, of which {kinds['lost']} lose slots: {'not ' if failed else ''}the same")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
