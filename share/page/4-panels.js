/* Everything below the diagram: the state after a step, in tables. */

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

const byId = (id) => document.getElementById(id);

function stepLink(step, text) {
  const link = make("a", "", text || `step ${step}`);
  link.href = `#step=${step}`;
  return link;
}

/* A sentence in which each "step 7" is a link. */
function linked(text) {
  return text.split(/(\bstep \d+)/).map((part) =>
    /^step \d+$/.test(part) ? stepLink(Number(part.slice(5)), part) : part);
}

function regionBadge(region) {
  return make("span", `badge r${region}`, make("b", "", LETTERS[region]), " " + REGIONS[region]);
}

function row(tag, ...cells) {
  return make("tr", "", ...cells.map((cell) => make(tag, "", ...[cell].flat())));
}

function beliefs(run, s, p) {
  const reads = run.believes(s, p);
  if (reads.length === 0) return make("span", "dim", "nothing");
  return make("ul", "beliefs", ...reads.slice(-6).map((read) => {
    const cell = run.data.cells[read.cell];
    const stale = read.stale && read.stale <= s;
    const item = make("li", stale ? "untrue" : "", make("code", "", `${cell} = ${read.value}`), " at ",
      stepLink(read.index));
    if (stale)
      item.append(make("strong", "", ` \u2717 now ${run.states[s].cells[read.cell]}`), ", since ",
        stepLink(read.stale));
    return item;
  }));
}

function showProcesses(run, s) {
  const body = run.states[s].regions.map((_, p) => {
    const place = run.stands(s, p);
    const tr = row("td", make("strong", "", run.who(p)), regionBadge(run.region(s, p)),
      place.line ? [make("code", "", place.label), make("span", "dim", ` line ${place.line}`)] : "",
      make("code", "", run.states[s].locals[p] || "\u2013"), beliefs(run, s, p));
    ["process", "region", "next step", "own variables", "last read"].forEach((name, i) => {
      tr.children[i].dataset.name = name;
    });
    if (s > 0 && run.steps[s].process === p) tr.className = "moved";
    return tr;
  });
  byId("processes").replaceChildren(
    make("thead", "", row("th", "", "region", "next step", "own variables", "last read, since its remainder")),
    make("tbody", "", ...body));
}

function showCells(run, s) {
  const shown = run.data.cells.map((_, c) => c).filter((c) => run.data.values[c] > 1);
  const body = shown.map((c) => {
    let writer = null;
    for (let i = s; i > 0 && !writer; i--)
      if (run.steps[i].stored.includes(c)) writer = run.steps[i];
    const tr = row("td", make("code", "", run.data.cells[c]), make("code", "", run.states[s].cells[c]),
      writer ? [`${run.who(writer.process)} at `, stepLink(writer.index)] : make("span", "dim", "as at the beginning"));
    if (writer && writer.index === s) tr.className = "moved";
    return tr;
  });
  byId("cells").replaceChildren(make("thead", "", row("th", "variable", "value", "written by")),
    make("tbody", "", ...body));
}

function check(holds, name, text) {
  return make("li", holds ? "holds" : "fails", make("b", "", holds ? "\u2713 " : "\u2717 "),
    make("strong", "", name), ...linked(` ${text}`));
}

function showChecks(run, s) {
  const items = [];
  run.data.checks.forEach((entry, c) => {
    if (!entry.applies) return;
    const broken = run.states[s].broken >> c & 1, first = run.firstBroken(c);
    items.push(check(!broken, entry.name, (broken ? "is broken here. " : "holds here. ") + entry.meaning +
      (first >= 0 && !broken ? ` It breaks at step ${first}.` : "")));
  });
  if (run.moves.length > 0 && s === run.length) {
    const steps = run.moves.filter((move) => move.kind === "step");
    const idle = steps.every((move) => move.waits);
    items.push(check(!idle, idle ? "stuck" : "moving", idle ?
      "Any process that makes a step finds that it has to wait, and nothing changes any more." :
      "Somebody can do something that changes something."));
  }
  const enabled = run.states[s].enabled;
  const who = run.states[s].regions.flatMap((_, p) => enabled > 0 && (enabled >> p & 1) ? [`P${p}`] : []);
  items.push(make("li", "plain", make("strong", "", "enabled "), enabled < 0 ?
    `is not shown: ${run.data.unknown || "this state was not looked at"}.` :
    who.length > 0 ? `${who.length === 1 ? "is" : "are"} ${list(who)}: nothing that another does can keep ` +
      `${who.length === 1 ? "it" : "them"} out any more.` :
      run.states[s].regions.some((r) => r === TRYING || r === DOORWAY) ?
        "is nobody: of those who try, each can still be kept out." : "is nobody, since nobody tries."));
  byId("checks").replaceChildren(...items);
}

function showNow(run, s) {
  const step = run.steps[s];
  byId("nowtitle").textContent = s === 0 ? "Before the first step" : `Step ${s} of ${run.length}`;
  byId("sentence").textContent = s === 0 ? "Everybody is where it begins." : sentence(run, step);
  byId("hint").replaceChildren(...(s === 0 ? [] : linked(hint(run, step))));
}

function showVerdict(run) {
  const crux = run.crux, bad = crux >= 0;
  byId("verdict").className = "verdict " + (!bad ? "plain" : run.claimed === false ? "known" : "bad");
  byId("headline").textContent = headline(run);
  byId("meaning").textContent = meaning(run);
  byId("why").replaceChildren(...why(run).map((reason) =>
    make("li", reason.cause ? "cause" : reason.strong ? "strong" : "", ...linked(reason.text))));
  const jump = byId("jump");
  jump.hidden = !bad;
  jump.textContent = run.cycle ? "To the cycle" : "To where it breaks";
}

function stepLine(run, s) {
  const step = run.steps[s];
  const item = make("li", run.states[s].broken ? "broken" : "", stepLink(s, sentence(run, step)));
  item.value = s;
  return item;
}

function showList(run) {
  byId("steps").replaceChildren(...run.steps.slice(1).flatMap((_, i) =>
    run.cycle && i === run.stem ? [make("li", "mark", "From here on for ever:"), stepLine(run, i + 1)] :
      [stepLine(run, i + 1)]));
}
