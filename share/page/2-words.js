/* What is said about a run, for readers who do not know the paper. */

const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"];

function list(words) {
  return words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words.at(-1);
}

const names = (run, processes) => list(processes.map((p) => run.who(p)));
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
/* A name such as "n" or "l" stays small. */
const titled = (text) => text.replace(/^[a-z](?=[a-z])/, (letter) => letter.toUpperCase());
/* Where somebody is, as "P1 is ...". */
const WHERE = ["in its remainder region", "in its doorway", "trying to get in", "in its critical region", "on its way out",
  "dead", "watching", "trying and enabled"];
/* The checker counts processes as "process 0"; here they are P0. */
const named = (text) => capital(text.replace(/\bprocess (\d+)/g, "P$1").replace(/\b1 times\b/, "once"));

function access(run, step) {
  const cell = step.cell >= 0 ? run.data.cells[step.cell] : "";
  if (step.kind === "fault" || step.access === FAULT) return step.label;
  if (step.access === ALL)
    return step.stores ? `sets, in one step, ${list(step.changes.map(([c, value]) =>
      `${run.data.cells[c]} to ${value}`))}` : "looks at the whole variable";
  if (step.cell < 0 || step.access === NONE) return "moves";
  if (step.access === READ || (step.access === UPDATE && !step.stores)) return `reads ${cell} = ${step.value}`;
  if (step.access === UPDATE) return `finds ${cell} = ${step.was} and sets it to ${step.value}`;
  return step.value === step.was ? `sets ${cell} to ${step.value}, as it was` :
    `sets ${cell} to ${step.value} (it was ${step.was})`;
}

function consequence(step) {
  const { from, region } = step;
  if (step.waits && step.kind !== "fault") return "and has to wait";
  if (from === region) return "";
  if (region === CRITICAL) return "and enters its critical region";
  if (region === REMAINDER && step.kind === "fault") return "and is back in its remainder region";
  if (region === REMAINDER) return from === EXIT || from === CRITICAL ?
    "and is back in its remainder region" : "and gives up";
  if (region === EXIT) return from === CRITICAL ? "and starts to leave" : "and starts to put things in order";
  if (from === REMAINDER) return region === DOORWAY ? "and so enters its doorway" : "and so begins to try";
  if (from === DOORWAY) return "and has passed its doorway";
  return "";
}

function sentence(run, step) {
  const at = step.label && step.kind !== "fault" && step.access !== FAULT ? ` at ${step.label}` : "";
  const other = step.kind === "choice" ? ", by its other choice," : "";
  return `${run.who(step.process)}${at}${other} ${access(run, step)} ${consequence(step)}`.trimEnd() + ".";
}

/* Where what was read comes from, and what became of it. */
function hint(run, step) {
  const parts = [], cell = run.data.cells[step.cell];
  if (step.reads && step.cell >= 0) {
    const writer = step.origin > 0 ? run.steps[step.origin] : null;
    if (!writer) parts.push(`${cell} has been so from the beginning.`);
    else if (writer.process === step.process) parts.push(`It wrote that itself at step ${writer.index}.`);
    else parts.push(`${run.who(writer.process)} wrote that at step ${writer.index}.`);
  }
  if (step.access === ALL && step.origin > 0)
    parts.push(`${run.who(run.steps[step.origin].process)} changed the variable before, at step ${step.origin}.`);
  if (step.stale) {
    const writer = run.steps[step.stale];
    parts.push(`The value read does not last: P${writer.process} changes ${cell} at step ${step.stale}` +
      (step.acted ? `, and P${step.process} acts on the old one at step ${step.acted}.` : "."));
  }
  if (step.renumbered)
    parts.push("The checker then renumbered what only counts upwards, so other values changed too.");
  return parts.join(" ");
}

/* What the checker says in the words of a paper, in plain ones. */
function plainly(run) {
  const outside = run.states[run.stem].regions.flatMap((r, p) => r === REMAINDER || r === SUPERVISOR ? [] : [p]);
  const alone = /^process (\d+) moves for ever and never leaves its region$/.exec(run.about);
  if (alone)
    return `P${alone[1]} takes steps for ever and never gets ` +
      (run.states[run.stem].regions[alone[1]] === EXIT ? "out" : "in");
  if (/^the processes outside their remainder move for ever/.test(run.about))
    return `Nobody gets on any more: ${names(run, outside)} ${outside.length === 1 ? "takes" : "take"} steps for ever and ` +
      `${outside.length === 1 ? "stays where it is" : "each stays where it is"}`;
  if (run.about === "from here on nobody can be critical")
    return `From step ${run.length} on nobody can get in any more, whatever they do`;
  const fewer = /^from here on no (\d+) processes can be critical at once$/.exec(run.about);
  if (fewer) return `From step ${run.length} on no ${fewer[1]} processes can be in at once any more: a slot is lost`;
  const invariant = /^a state is reached (?:in which not: (.*)|that violates it)$/.exec(run.about);
  if (invariant) return `What should always be so is not: ${invariant[1] || run.property}`;
  const ranks = /^(\d+) (asked for its rank when|has a higher rank than) (\d+)/.exec(run.about);
  if (ranks) return `Number ${ranks[1]} ${ranks[2]} number ${ranks[3]}${run.about.slice(ranks[0].length)}`;
  return named(run.about);
}

function headline(run) {
  const c = run.data.checks.findIndex((check) => check.name === (run.property || "exclusion"));
  const at = c >= 0 ? run.firstBroken(c) : -1;
  if (at >= 0 && run.data.checks[c].name === "exclusion") {
    const inside = run.inRegion(at, CRITICAL), { l } = run.data;
    const many = `${NUMBERS[inside.length] || inside.length} processes`;
    return `${many} are in their critical region at step ${at}: ${names(run, inside)}` + (inside.length <= l ||
      "graph" in run.data ? `, ${inside.length === 2 ? "which" : "some of which"} exclude each other` :
      `, and there is room for ${l === 1 ? "one" : l}`);
  }
  if (run.property) {
    const text = plainly(run);
    if (run.cycle)
      return text + (run.stem + 1 === run.length ? `: step ${run.length} repeats for ever` :
        `: steps ${run.stem + 1} to ${run.length} repeat for ever`);
    return run.crux > 0 && !/\bstep \d/.test(text) ? `${text}, at step ${run.crux}` : text;
  }
  const broken = run.data.checks.flatMap((check, i) => run.firstBroken(i) >= 0 ?
    [`${check.name} breaks at step ${run.firstBroken(i)}`] : []);
  if (broken.length > 0) return capital(list(broken));
  if (run.length === 0) return "Nothing has happened yet";
  return `A run of ${plural(run.length, "step")}. Nothing breaks in it`;
}

/* The processes that failed on the way. */
function failures(run, at) {
  const kill = run.data.fault === "kill";
  return run.steps.slice(1, at + 1).filter((step) => step.kind === "fault").slice(-6).map((step) => {
    const before = run.steps.findLast((other) => other && other.process === step.process && other.index < step.index);
    return { step: step.index, cause: kill, text: `P${step.process} ${step.label} at step ${step.index}, when it was ` +
      `${WHERE[step.from]}` + (kill && before ? `: the last that it did, at step ${before.index}, is that it ` +
      `${access(run, before)}.` : ".") };
  });
}

/* Why two are in: what each had read before, and what of it was out of date. */
function whyInside(run, at) {
  const reasons = failures(run, at);
  const entries = run.inRegion(at, CRITICAL).map((p) => run.entered(at, p)).filter(Boolean);
  entries.sort((a, b) => a.index - b.index).forEach((came) => {
    const p = came.process;
    reasons.push({ step: came.index, strong: true,
                   text: `P${p} gets in at step ${came.index}${came.label ? `, at ${came.label}` : ""}: ` +
                     `it ${access(run, came)}.` });
    if (came.access === ALL) { /* it looked at everything at once, so nothing is out of date */
      const before = came.origin > 0 ? run.steps[came.origin] : null;
      if (before && before.process !== p)
        reasons.push({ step: before.index, text: `Before that, at step ${before.index}, ${run.who(before.process)} ` +
          `${access(run, before)}.` });
      return;
    }
    const reads = run.believes(came.index, p).filter((read) => read.stale && read.stale <= at);
    reads.forEach((read) => {
      const cell = run.data.cells[read.cell], writer = run.steps[read.stale];
      const [, value] = writer.changes.find(([c]) => c === read.cell);
      const when = read.stale < came.index ? `before P${p} got in, but P${p} did not look again` :
        `when P${p} was in already`;
      reasons.push({ step: read.index, cause: read.stale < came.index, text: `P${p} relied on ${cell} = ${read.value}, read at step ` +
        `${read.index}. P${writer.process} changed it to ${value} at step ${read.stale}, ${when}.` });
    });
    if (reads.length === 0 && run.believes(came.index, p).length === 0)
      reasons.push({ step: came.index, text: `P${p} had read nothing since it left its remainder region.` });
    else if (reads.length === 0)
      reasons.push({ step: came.index, text: `All that P${p} has read is still true: ` +
        list(run.believes(came.index, p).slice(-3).map((read) =>
          `${run.data.cells[read.cell]} = ${read.value}`)) + ". By its code that is enough to get in." });
  });
  return reasons;
}

/* Why it goes on for ever: what each process does in the cycle. Processes that do the same share a sentence. */
function whyForEver(run) {
  const inside = run.steps.slice(run.stem + 1), alike = new Map(), reasons = failures(run, run.stem);
  const add = (p, text, more) => {
    if (!alike.has(text)) alike.set(text, { who: [], ...more });
    alike.get(text).who.push(p);
  };
  run.states[run.stem].regions.forEach((region, p) => {
    const own = inside.filter((step) => step.process === p);
    const visits = own.filter((step) => step.region === CRITICAL && step.from !== CRITICAL).length;
    const seen = new Set(own.map((step) => step.region));
    const looks = [...new Set(own.filter((step) => step.reads && !step.stores && step.cell >= 0)
      .map((step) => `${run.data.cells[step.cell]} = ${step.value}`))];
    const stays = seen.size === 1 && seen.has(region);
    if (own.length === 0 && (region === REMAINDER || region === DEAD || region === SUPERVISOR))
      add(p, `takes no part: it is ${WHERE[region]}.`);
    else if (own.length === 0)
      add(p, `stops when it is ${WHERE[region]}, and takes no step any more. That is allowed here, and the others cannot ` +
        `tell it from a slow one.`, { cause: true });
    else if (visits > 0)
      add(p, `gets in ${visits === 1 ? "once" : `${visits} times`} in each round, and out again.`);
    else
      add(p, `makes ${plural(own.length, "step")} in each round and ` + (region === SUPERVISOR ? "changes nothing" :
        stays ? `is ${WHERE[region]} all the time` : "does not get in") +
        (looks.length > 0 ? `: each time it looks it finds ${list(looks.slice(0, 4))}.` : "."), { strong: true });
  });
  alike.forEach((about, text) => {
    const one = about.who.length === 1;
    reasons.push({ ...about, step: run.stem + 1, text: `${names(run, about.who)}${one ? "" : ", each:"} ${text}` });
  });
  return reasons;
}

/* Why it is not in order: since when i waits, and when j, who came later, got in. */
function whyOvertaken(run, i, j) {
  const steps = run.steps.slice(1), reasons = [];
  const since = steps.findLast((step) => step.process === i && step.from !== step.region &&
    (step.region === TRYING || step.region === DOORWAY || step.region === EXIT));
  if (since)
    reasons.push({ step: since.index, text: `P${i} is ${REGIONS[since.region]} from step ${since.index} on` +
      (since.region === TRYING && since.from === DOORWAY ? ": it has passed its doorway." : ".") });
  steps.filter((step) => step.process === j && since && step.index > since.index && step.from !== step.region &&
    (step.from === REMAINDER || step.region === CRITICAL)).forEach((step) => {
    const enters = step.region === CRITICAL;
    reasons.push({ step: step.index, cause: enters, text: enters ?
      `P${j} gets in at step ${step.index}, and P${i} still waits.` :
      `P${j} does not even begin before step ${step.index}.` });
  });
  return reasons;
}

/* What may have led here where nothing better is known: who failed, and where everybody is. */
function whyLeft(run, at) {
  const where = run.states[at].regions.flatMap((region, p) => region === SUPERVISOR ? [] :
    [`${run.who(p)} is ${WHERE[run.region(at, p)]}`]);
  const last = at > 0 && run.steps[at].kind !== "fault" ? [{ step: at, strong: true, text: `The last is step ${at}: ${sentence(run, run.steps[at])}` }] : [];
  return [...failures(run, at), ...last, { step: at, text: `Then ${list(where)}.` }];
}

function why(run) {
  const at = run.crux;
  if (at < 0) return [];
  const exclusion = run.data.checks.findIndex((check) => check.name === "exclusion");
  if (run.states[at].broken >> exclusion & 1) return whyInside(run, at);
  if (run.cycle) return whyForEver(run);
  const pair = /^while process (\d+) waits, process (\d+)/.exec(run.about);
  return pair ? whyOvertaken(run, Number(pair[1]), Number(pair[2])) : whyLeft(run, at);
}

function meaning(run) {
  if ("schedule" in run.data)
    return "You say who moves: by a button, or by the number of a process as a key. Can you break it? Keys: u to undo, " +
      "f for the fair scheduler, x for the adversary.";
  if (!run.property) return "This is one run of many; berth check looks at all of them.";
  const broken = /^broken\b/.test(run.data.about);
  const claim = run.claimed && broken ? `This variant is broken on purpose, so it ought to fail (${run.source}).` :
    run.claimed ? `It is claimed (${run.source}), and it fails.` :
    run.claimed === false ? `It is known that it fails (${run.source}).` : "Nobody claims it.";
  return `${run.property}: ${run.meaning} ${claim}`;
}

/* What no run of the protocol ever did, as a sentence; "" where nothing is missing, or it is not known. */
function neverDone(coverage) {
  if (!coverage) return "";
  const made = (coverage.never_made || []).map(one => `${one.label} (line ${one.line})`);
  const taken = (coverage.never_taken || []).map(one => `${one.what === "ON" ? `ON(${one.condition})` :
    `${one.condition} ${one.what}`} (line ${one.line})`);
  return [...coverage.regions_never_reached.map(region => `Nobody is ever ${region}.`),
    ...(made.length > 0 ? [`Never made: ${made.join(", ")}.`] : []),
    ...(taken.length > 0 ? [`Never: ${taken.join(", ")}.`] : [])].join(" ");
}
