/* The space-time diagram: a lane for each process, a row for each shared variable, a column for each
 * step. Only what is in view is drawn, so it does not matter how long the run is. */

const SVG = "http://www.w3.org/2000/svg";

function draw(parent, tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

/* How high the band of a region is, as a part of the lane: its color is not all that tells it. */
const HEIGHT = [0.06, 0.3, 0.44, 0.84, 0.3, 0.06, 0.06, 0.6];
const SIGNS = ["", "\u25CB", "\u25CF", "\u25D0", "\u2715"]; /* read, write, update, fault */

/* What a step's box says: its label, and what it did to which variable. */
function boxText(run, step) {
  const cell = step.cell >= 0 ? run.data.cells[step.cell] : "";
  if (step.kind === "fault" || step.access === FAULT) return [SIGNS[FAULT] + " " + step.label, ""];
  if (step.access === ALL)
    return [`${SIGNS[step.stores ? UPDATE : READ]} ${step.label}`, step.stores ? step.changes.map(([c, value]) =>
      `${run.data.cells[c]} := ${value}`).join(", ") : "looks"];
  if (step.cell < 0) return [step.label, ""];
  const stored = step.stores || step.access === WRITE;
  const sign = SIGNS[step.access === UPDATE && !stored ? READ : step.access];
  return [`${sign} ${step.label}${step.kind === "choice" ? "?" : ""}`,
          `${cell} ${stored ? ":=" : "="} ${step.value}`];
}

class Diagram {
  constructor(run, zoom) {
    this.run = run;
    this.unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 * zoom;
    const u = this.unit;
    this.axis = 30 * u;
    this.lane = 60 * u;
    this.row = 25 * u;
    this.pad = 14 * u;
    this.font = 12 * u;
    const context = document.createElement("canvas").getContext("2d");
    const family = getComputedStyle(document.documentElement).getPropertyValue("--mono");
    const width = (text, bold) => {
      context.font = `${bold ? "600 " : ""}${this.font}px ${family}`;
      return context.measureText(text).width;
    };
    this.cells = run.data.cells.map((_, c) => c).filter((c) => run.data.values[c] > 1 &&
      (run.accessed.has(c) || run.length === 0));
    this.texts = [null];
    this.x = [0, this.pad];
    for (let s = 1; s <= run.length; s++) {
      const text = boxText(run, run.steps[s]);
      const wide = Math.max(width(text[0], true), width(text[1]), 22 * u) + 16 * u;
      this.texts.push(text);
      this.x.push(this.x[s] + Math.min(wide, 190 * u));
    }
    this.room = Math.max(60 * u, ...REGIONS.map((name) => width(name) + 14 * u));
    this.total = this.x[run.length + 1] + this.room;
    this.wordWidth = REGIONS.map((name) => width(name));
    this.measure = width;
    this.height = this.axis + run.n * this.lane + (this.cells.length > 0 ? 16 * u : 0) +
      this.cells.length * this.row + 4;
    this.gutter = Math.max(width("P10", true) + 40 * u,
      ...this.cells.map((c) => width(run.data.cells[c]) + 18 * u));
  }

  middle(s) { return s < 1 ? 0 : s > this.run.length ? this.total : (this.x[s] + this.x[s + 1]) / 2; }
  top(p) { return this.axis + p * this.lane; }
  cellTop(i) { return this.axis + this.run.n * this.lane + 14 * this.unit + i * this.row; }

  /* The step whose column is at x, by bisection; from 1 to the length of the run. */
  at(x) {
    let low = 1, high = this.run.length;
    while (low < high) {
      const half = (low + high + 1) >> 1;
      if (this.x[half] <= x) low = half; else high = half - 1;
    }
    return low;
  }

  fit(text, room) {
    if (this.measure(text) <= room) return text;
    const length = Math.max(1, Math.floor(room / (this.font * 0.61)) - 1);
    return text.slice(0, length) + "\u2026";
  }

  drawNames(svg) {
    const u = this.unit;
    svg.replaceChildren();
    svg.setAttribute("width", this.gutter);
    svg.setAttribute("height", this.height);
    for (let p = 0; p < this.run.n; p++)
      draw(svg, "text", { x: 10 * u, y: this.top(p) + this.lane / 2 + 5 * u, class: "lane-name",
                          "font-size": 15 * u }, this.run.who(p));
    this.cells.forEach((c, i) =>
      draw(svg, "text", { x: 10 * u, y: this.cellTop(i) + this.row / 2 + 4 * u, class: "cell-name",
                          "font-size": this.font }, this.run.data.cells[c]));
  }

  /* Draws the part from x = left, `width` wide, with the cursor at state `now`. */
  draw(svg, left, width, now) {
    const { run } = this;
    const first = Math.max(1, this.at(left) - 1), last = Math.min(run.length, this.at(left + width) + 1);
    const view = { first: Math.min(first, run.length), last, left, right: left + width, now };
    svg.replaceChildren();
    svg.setAttribute("width", width);
    svg.setAttribute("height", this.height);
    svg.setAttribute("viewBox", `${left} 0 ${width} ${this.height}`);
    this.drawMarks(svg, view);
    for (let p = 0; p < run.n; p++) this.drawBand(svg, view, p);
    this.cells.forEach((c, i) => this.drawCell(svg, view, c, i));
    const arrows = draw(svg, "g", { class: "arrows" });
    for (let s = first; s <= last; s++) if (s <= run.length) this.drawStep(svg, arrows, view, s);
    if (now > 0 && now < run.length) /* before the first step, all of it is yet to be looked at */
      draw(svg, "rect", { x: this.x[now + 1], y: this.axis, height: this.height - this.axis, class: "future",
                          width: Math.max(0, Math.min(this.total, view.right + 40) - this.x[now + 1]) });
    if (now > 0)
      draw(svg, "rect", { x: this.x[now], y: 1, width: this.x[now + 1] - this.x[now],
                          height: this.height - 3, rx: 5, class: "cursor" });
  }

  /* What lies behind: the cycle, the moment that matters, and the numbers of the steps. */
  drawMarks(svg, view) {
    const { run, unit: u } = this, crux = run.crux;
    if (run.cycle) {
      const from = this.x[run.stem + 1], to = this.x[run.length + 1];
      draw(svg, "rect", { x: from, y: 0, width: to - from, height: this.height, class: "cycle" });
      draw(svg, "text", { x: Math.max(from, view.left) + 6 * u, y: this.axis - 18 * u, class: "mark cycle-mark",
                          "font-size": 11 * u }, "\u21BB for ever");
    }
    if (crux > 0 && !run.cycle) {
      draw(svg, "rect", { x: this.x[crux], y: 0, width: this.x[crux + 1] - this.x[crux],
                          height: this.height, class: "crux" });
      draw(svg, "text", { x: this.middle(crux), y: 11 * u, class: "mark crux-mark", "text-anchor": "middle",
                          "font-size": 11 * u }, "\u2717 breaks");
    }
    for (let s = view.first; s <= view.last; s++)
      if (s > 0) draw(svg, "text", { x: this.middle(s), y: this.axis - 6 * u, "text-anchor": "middle",
                          class: s === view.now ? "tick now" : "tick", "font-size": 11 * u }, s);
  }

  drawBand(svg, view, p) {
    const { run, unit: u } = this, base = this.top(p) + this.lane / 2;
    draw(svg, "line", { x1: view.left, x2: view.right, y1: this.top(p), y2: this.top(p), class: "rule" });
    const from = Math.max(0, view.first - 1);
    for (let s = from, start = from; s <= view.last; s++) {
      const region = run.region(s, p);
      if (s < view.last && run.region(s + 1, p) === region) continue;
      const x1 = this.middle(start), x2 = s >= run.length ? this.total : this.middle(s + 1);
      const high = this.lane * HEIGHT[region];
      draw(svg, "rect", { x: x1, y: base - high / 2, width: Math.max(1, x2 - x1), height: high,
                          class: `band r${region}` });
      if (region !== REMAINDER && region !== DEAD && region !== SUPERVISOR)
        draw(svg, "rect", { x: x1, y: base - high / 2, width: Math.max(1, x2 - x1), height: high,
                            class: "pattern", fill: `url(#pattern${region})` });
      start = s + 1;
    }
    /* Between two boxes of the process, the name of the region; others may enable it in between. */
    let gap = Math.max(view.left, 0);
    for (let s = Math.max(1, view.first); s <= view.last + 1; s++) {
      const beyond = s > run.length || s > view.last;
      const own = !beyond && run.steps[s].process === p;
      if (!own && !beyond && run.region(s, p) === run.region(s - 1, p)) continue;
      const end = own ? this.x[s] : beyond ? Math.min(view.right, this.total) : this.middle(s);
      this.drawWord(svg, run.region(s - 1, p), gap, end, base);
      gap = Math.max(gap, own ? this.x[s + 1] : end);
    }
  }

  /* As much of a region's name as there is room for. */
  drawWord(svg, region, from, to, base) {
    const u = this.unit, whole = to - from > this.wordWidth[region] + 12 * u;
    if (to - from <= 16 * u) return;
    draw(svg, "text", { x: from + (whole ? 6 : 4) * u, y: base + 4 * u, class: `word r${region}`,
                        "font-size": this.font }, whole ? REGIONS[region] : LETTERS[region]);
  }

  drawCell(svg, view, c, i) {
    const { run, unit: u } = this, y = this.cellTop(i);
    const from = Math.max(0, view.first - 1);
    let alternate = 0;
    for (let s = from, start = from; s <= view.last; s++) {
      const value = run.states[s].cells[c];
      if (s < view.last && run.states[s + 1].cells[c] === value) continue;
      const x1 = this.middle(start), x2 = s >= run.length ? this.total : this.middle(s + 1);
      const changed = start > 0 && run.states[start - 1].cells[c] !== value;
      draw(svg, "rect", { x: x1, y: y + 2, width: Math.max(1, x2 - x1), height: this.row - 4,
                          class: `value v${alternate ^= 1}` });
      if (changed) draw(svg, "rect", { x: x1, y: y + 2, width: 3 * u, height: this.row - 4, class: "change" });
      const x = Math.max(x1 + 4 * u, view.left + 4 * u), room = Math.min(x2, view.right) - x - 4 * u;
      if (room > 8 * u)
        draw(svg, "text", { x: x + 2 * u, y: y + this.row / 2 + 4 * u, class: "cell-value",
                            "font-size": this.font }, this.fit(value, room));
      start = s + 1;
    }
  }

  drawStep(svg, arrows, view, s) {
    const { run, unit: u } = this, step = run.steps[s], [label, text] = this.texts[s];
    const high = 40 * u, y = this.top(step.process) + (this.lane - high) / 2;
    const x = this.x[s] + 2 * u, width = this.x[s + 1] - this.x[s] - 4 * u;
    const classes = ["box", "r" + run.region(s, step.process)];
    if (step.waits) classes.push("waits");
    if (step.kind === "fault") classes.push("fault");
    if (s === view.now) classes.push("now");
    const group = draw(svg, "g", { class: classes.join(" "), "data-step": s });
    draw(group, "title", {}, `${s}: ${sentence(run, step)}`);
    draw(group, "rect", { x, y, width, height: high, rx: 4 * u });
    if (step.region !== step.from)
      draw(group, "rect", { x: x + width - 4 * u, y, width: 4 * u, height: high, class: `edge r${run.region(s, step.process)}` });
    draw(group, "text", { x: x + 6 * u, y: y + (text ? 16 : 25) * u, class: "label", "font-size": this.font }, label);
    if (text)
      draw(group, "text", { x: x + 6 * u, y: y + 32 * u, "font-size": this.font }, this.fit(text, width - 10 * u));
    this.drawArrow(arrows, view, step);
    this.drawStale(svg, view, step);
  }

  /* From the writer of a value to the process that reads it. */
  drawArrow(arrows, view, step) {
    const { run, unit: u } = this, writer = step.reads && step.origin > 0 ? run.steps[step.origin] : null;
    if (!writer || writer.process === step.process) return;
    const down = writer.process < step.process, edge = (this.lane - 40 * u) / 2;
    const x1 = this.middle(writer.index), x2 = this.middle(step.index);
    const y1 = this.top(writer.process) + (down ? this.lane - edge : edge);
    const y2 = this.top(step.process) + (down ? edge - 2 * u : this.lane - edge + 2 * u);
    const bend = Math.max(Math.abs(y2 - y1) * 0.5, 12 * u) * (down ? 1 : -1);
    const lit = view.now === step.index || view.now === writer.index;
    draw(arrows, "path", { d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`,
                           class: lit ? "arrow lit" : "arrow", "marker-end": `url(#head${lit ? "-lit" : ""})` });
  }

  /* Under the lane: from a read whose value did not last to where it was acted on. */
  drawStale(svg, view, step) {
    if (!step.acted) return;
    const { run, unit: u } = this, y = this.top(step.process) + this.lane - 5 * u;
    const x1 = this.middle(step.index), x2 = this.x[step.stale] + 2 * u, x3 = this.middle(step.acted);
    const group = draw(svg, "g", { class: "stale" });
    draw(group, "title", {}, hint(run, step));
    draw(group, "path", { d: `M${x1} ${y - 5 * u}V${y}H${x2}`, class: "fresh" });
    draw(group, "path", { d: `M${x2} ${y}H${x3}V${y - 5 * u}`, class: "gone" });
    draw(group, "text", { x: x2, y: y + 4 * u, class: "gone-mark", "font-size": 11 * u }, "\u2717");
  }
}

/* The whole run, small: lanes as lines, and where one is. */
class Overview {
  constructor(svg, run) {
    this.run = run;
    this.svg = svg;
    const rows = run.n, wide = Math.max(1, run.length);
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${wide} ${rows * 10}`);
    svg.setAttribute("preserveAspectRatio", "none");
    if (run.cycle)
      draw(svg, "rect", { x: run.stem, y: 0, width: run.length - run.stem, height: rows * 10, class: "cycle" });
    for (let p = 0; p < run.n; p++) {
      for (let s = 1, start = 1; s <= run.length; s++) {
        const region = run.region(s, p);
        if (s < run.length && run.region(s + 1, p) === region) continue;
        const high = 10 * HEIGHT[region];
        draw(svg, "rect", { x: start - 1, y: p * 10 + 5 - high / 2, width: s - start + 1, height: high,
                            class: `band r${region}` });
        start = s + 1;
      }
    }
    if (run.crux > 0 && !run.cycle)
      draw(svg, "rect", { x: run.crux - 0.5, y: 0, width: wide / 250, height: rows * 10, class: "crux-line" });
    this.view = draw(svg, "rect", { y: 0, height: rows * 10, class: "window" });
    this.cursor = draw(svg, "rect", { y: 0, height: rows * 10, width: wide / 250, class: "cursor-line" });
  }

  show(first, last, now) {
    this.view.setAttribute("x", first - 1);
    this.view.setAttribute("width", Math.max(0, last - first + 1));
    this.cursor.setAttribute("x", Math.max(0, now - 0.5));
  }
}
