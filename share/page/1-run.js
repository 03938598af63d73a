/* A run, decoded from the data (cli/page.h says what that looks like). State s is the one after
 * step s; state 0 is the initial one. */

const REMAINDER = 0, DOORWAY = 1, TRYING = 2, CRITICAL = 3, EXIT = 4, DEAD = 5, SUPERVISOR = 6, ENABLED = 7;
const REGIONS = ["remainder", "doorway", "trying", "critical", "exit", "dead", "supervisor", "enabled"];
const LETTERS = ["R", "D", "T", "C", "X", "\u2020", "S", "E"];
const NONE = 0, READ = 1, WRITE = 2, UPDATE = 3, FAULT = 4, ALL = 5;

class Run {
  constructor(data, run) {
    this.data = data;
    this.n = data.movers; /* the processes, and a supervisor if there is one */
    this.property = run.property || "";
    this.about = run.about || "";
    this.meaning = run.meaning || "";
    this.source = run.source || "";
    this.claimed = run.claimed;
    this.cycle = run.cycle;
    this.stem = run.stem;
    this.standing = run.standing;
    this.length = run.steps.length;
    const text = (number) => data.strings[number];
    const first = run.initial;
    this.states = [{
      regions: first.regions, cells: first.cells.map(text), locals: first.locals.map(text),
      enabled: first.enabled, broken: first.broken,
    }];
    this.steps = [null];
    const written = data.cells.map(() => 0);
    run.steps.forEach((raw, i) => {
      const step = this.decode(raw, i + 1, this.states[i], written);
      this.steps.push(step);
      this.states.push(this.after(this.states[i], step));
      step.stored.forEach((cell) => { written[cell] = step.index; });
    });
    this.moves = (run.moves || []).map((raw) =>
      this.decode(raw, this.length + 1, this.states[this.length], written));
    this.findStale();
    this.accessed = new Set(this.steps.filter(Boolean).flatMap((s) =>
      [s.cell, ...s.changes.map(([cell]) => cell)]));
  }

  /* What process p is called. */
  who(p) {
    return p < this.data.n ? `P${p}` : "S";
  }

  /* One step, and where what it found was written (0: it was so from the beginning). */
  decode(raw, index, before, written) {
    const { data, n } = this;
    const [edge, place, access, cell, value, region, locals, enabled, broken, waits, others] = raw;
    const kinds = Math.floor(edge / n);
    const fault = data.fault === "death" || data.fault === "kill";
    const step = {
      index, edge, process: edge % n, region, enabled, broken, access, cell, waits: waits === 1,
      kind: kinds === 0 ? "step" : data.choices && kinds === 1 ? "choice" : fault ? "fault" : "step",
      place, ...this.place(place), value: data.strings[value], locals: data.strings[locals],
      from: before.regions[edge % n], was: cell >= 0 ? before.cells[cell] : "",
      origin: cell >= 0 ? written[cell] : access === ALL ? Math.max(...written) : 0, stored: [], changes: [], remembered: [],
    };
    step.reads = access === READ || access === UPDATE || access === ALL;
    step.stores = access === WRITE || access === FAULT ||
      (access === UPDATE && step.value !== step.was);
    if (step.stores && cell >= 0)
      step.changes.push([cell, step.value]);
    for (let o = 0; others && o < others.length; o += 3) {
      if (others[o] === 0) step.changes.push([others[o + 1], data.strings[others[o + 2]]]);
      else step.remembered.push([others[o + 1], data.strings[others[o + 2]]]);
    }
    /* A fault, or a step over the whole variable, may store into several; otherwise what else changed is
     * the checker's doing. */
    const killed = ([c]) => /^(kills$|alive\[)/.test(data.cells[c]);
    const stored = access === ALL || (access === FAULT && data.fault !== "kill") ? step.changes :
      access === FAULT ? step.changes.filter(killed) : step.changes.slice(0, Number(step.stores));
    step.renumbered = stored.length < step.changes.length || step.remembered.length > 0;
    step.stores = step.stores || (access === ALL && step.changes.length > 0);
    step.stored = stored.map(([c]) => c);
    return step;
  }

  place(number) {
    const [label, file, line] = number < 0 ? [-1, -1, 0] : this.data.places[number];
    return { label: label < 0 ? "" : this.data.strings[label],
             file: file < 0 ? "" : this.data.strings[file], line };
  }

  after(state, step) {
    const next = { ...state, enabled: step.enabled, broken: step.broken };
    if (step.region !== step.from) {
      next.regions = state.regions.slice();
      next.regions[step.process] = step.region;
    }
    if (step.locals !== state.locals[step.process] || step.remembered.length > 0) {
      next.locals = state.locals.slice();
      next.locals[step.process] = step.locals;
      step.remembered.forEach(([p, locals]) => { next.locals[p] = locals; });
    }
    if (step.changes.length > 0) {
      next.cells = state.cells.slice();
      step.changes.forEach(([cell, value]) => { next.cells[cell] = value; });
    }
    return next;
  }

  /* As it is drawn: a trying process that is enabled is shown as that. */
  region(s, p) {
    const state = this.states[s], region = state.regions[p];
    const trying = region === TRYING || region === DOORWAY;
    return trying && state.enabled > 0 && (state.enabled >> p & 1) ? ENABLED : region;
  }

  /* A read is stale from the first step by which another process changes what was read; it was acted
   * on if its reader does more than wait after that, before it reads the same again or rests. */
  findStale() {
    const open = this.data.cells.map(() => []); /* reads that are still relied on */
    this.steps.forEach((step) => {
      if (!step) return;
      open.forEach((reads) => reads.forEach((read) => {
        if (read.process !== step.process) return;
        const again = step.reads && step.cell === read.cell;
        if (read.stale && !read.acted && !again && !step.waits && step.kind !== "fault")
          read.acted = step.index;
      }));
      const rests = step.region === REMAINDER || step.region === DEAD || step.kind === "fault";
      open.forEach((reads, cell) => {
        open[cell] = reads.filter((read) => {
          const over = read.process === step.process && (rests || (step.cell === cell && step.reads));
          if (over) read.until = step.index;
          return !over;
        });
      });
      step.changes.filter(([cell]) => step.stored.includes(cell)).forEach(([cell, value]) =>
        open[cell].forEach((read) => {
          if (read.process !== step.process && !read.stale && value !== read.value) read.stale = step.index;
        }));
      if (step.reads && step.cell >= 0 && !rests && !step.stores && !step.waits) open[step.cell].push(step);
    });
  }

  /* What process p has read since it was last in its remainder, the last time for each variable. */
  believes(s, p) {
    const seen = new Map();
    for (let i = s; i > 0; i--) {
      const step = this.steps[i];
      if (step.process !== p) continue;
      if (step.region === REMAINDER || step.region === DEAD || step.kind === "fault") break;
      if (step.reads && step.cell >= 0 && !step.stores && !seen.has(step.cell))
        seen.set(step.cell, step);
      if (step.from === REMAINDER) break;
    }
    return [...seen.values()].sort((a, b) => a.index - b.index);
  }

  /* Where p is: the place of its next step. */
  stands(s, p) {
    for (let i = s + 1; i <= this.length; i++)
      if (this.steps[i].process === p) return this.place(this.steps[i].place);
    return this.place(this.standing[p]);
  }

  /* The last step up to s by which p came into its critical region. */
  entered(s, p) {
    for (let i = s; i > 0; i--) {
      const step = this.steps[i];
      if (step.process === p && step.region === CRITICAL && step.from !== CRITICAL) return step;
    }
    return null;
  }

  inRegion(s, region) {
    return this.states[s].regions.flatMap((r, p) => r === region ? [p] : []);
  }

  /* The first state that breaks check c; -1: none does. */
  firstBroken(c) {
    return this.states.findIndex((state) => state.broken >> c & 1);
  }

  /* The step to jump to: where something breaks, or where the cycle begins, or the end. */
  get crux() {
    const c = this.data.checks.findIndex((check) => check.name === this.property);
    const at = c >= 0 ? this.firstBroken(c) : this.states.findIndex((state) => state.broken > 0);
    if (at >= 0 && (c >= 0 || !this.property)) return at;
    if (this.cycle) return this.stem + 1;
    return this.property ? this.length : -1;
  }
}
