/* Puts the page together: which run, which step, and what follows from keys and clicks. */

const ZOOMS = [0.55, 0.7, 0.85, 1, 1.25, 1.6];

/* The size of a check, as far as it is not the least possible; in the words of the options. */
function sizeOf(data) {
  const words = [`n=${data.n}`];
  if (data.l > 1) words.push(`l=${data.l}`);
  if (data.k > 1) words.push(`k=${data.k}`);
  if (data.fault !== "none") words.push(`fault=${data.fault}`);
  Object.entries(data.options ?? {}).forEach(([name, value]) => words.push(`${name}=${value}`));
  return words;
}

const page = {
  data: null, runs: [], number: 0, now: 0, zoom: innerWidth < 1800 ? 2 : 3, run: null, diagram: null, overview: null, source: null,
  explorer: null, drawn: 0, of: "", restoring: false,

  start() {
    this.data = this.choose(JSON.parse(byId("data").textContent));
    this.definePatterns();
    this.takeData(this.data);
    if ("schedule" in this.data && location.protocol.startsWith("http"))
      this.explorer = new Explorer(this.data, (data) => { this.takeData(data); this.go(this.run.length); });
    this.source = new Source(this.data);
    this.fill();
    this.listen();
    byId("list").open = innerHeight > 1300 && this.run && this.run.length <= 300; /* where there is room */
    this.followAddress(true);
  },

  /* The data of one protocol at one size. A book has several, and "#of=NAME" says which. */
  choose(whole) {
    if (!whole.book) return whole;
    const names = Object.keys(whole.book), wanted = new URLSearchParams(location.hash.slice(1)).get("of");
    this.of = names.includes(wanted) ? wanted : names[0];
    const data = whole.book[this.of], select = byId("book");
    select.hidden = false;
    select.replaceChildren(...names.map((name) => new Option(`${whole.book[name].protocol}, ${sizeOf(whole.book[name]).join(" ")}`, name)));
    select.value = this.of;
    select.addEventListener("change", () => { location.hash = `#of=${select.value}`; });
    byId("home").hidden = false;
    byId("home").href = whole.home;
    document.title = `${data.protocol} - berth`;
    return { ...data, files: Object.fromEntries(data.files.map((path) => [path, whole.files[path]])) };
  },

  takeData(data) {
    this.data = data;
    this.runs = data.runs.map((run) => new Run(data, run));
    if (this.runs.length === 0) return;
    this.select(Math.min(this.number, this.runs.length - 1));
  },

  select(number) {
    this.number = number;
    this.run = this.runs[number];
    this.now = Math.min(this.now, this.run.length);
    byId("length").textContent = this.run.length;
    byId("runs").value = number;
    showVerdict(this.run);
    byId("steps").replaceChildren();
    if (byId("list").open) showList(this.run);
    this.layOut();
  },

  /* What does not change while one steps. */
  fill() {
    const { data } = this;
    byId("over").textContent = [data.protocol, ...sizeOf(data)].join("  \u00B7  ");
    byId("title").textContent = titled(data.title);
    byId("about").textContent = `${titled(data.about)}.`;
    byId("cite").textContent = data.citation;
    byId("never").textContent = neverDone(data.coverage);
    byId("never").hidden = byId("never").textContent === "";
    byId("made").textContent = `Made by ${data.program}. Nothing on this page is loaded from elsewhere.`;
    const select = byId("runs");
    select.hidden = this.runs.length < 2;
    select.replaceChildren(...this.runs.map((run, i) => {
      const option = make("option", "", `${run.property || "run"} (${plural(run.length, "step")})`);
      option.value = i;
      return option;
    }));
    select.value = this.number;
    this.fillLegend();
    if (this.runs.length > 0) return;
    document.body.classList.add("empty");
    byId("verdict").className = "verdict good";
    byId("headline").textContent = "Nothing that was asked for fails: there is no run to show";
  },

  fillLegend() {
    const texts = ["not interested", "trying, in the bounded part before it waits", "trying: it wants to get in",
      "in: it has what it wanted", "on its way out", "stopped; the others may find out", "trying, and nobody can keep it out any more"];
    const order = [REMAINDER, DOORWAY, TRYING, ENABLED, CRITICAL, EXIT, DEAD];
    byId("legend").replaceChildren(
      make("p", "", "Time goes to the right. Each row is a process, and each box one step: its label in the " +
        "source, and the one shared variable that it touches. ", make("b", "", SIGNS[READ]), " reads, ",
      make("b", "", SIGNS[WRITE]), " writes, ", make("b", "", SIGNS[UPDATE]), " reads and writes in one, ",
      make("b", "", SIGNS[FAULT]), " fails. An arrow leads from the write of a value to its read. A dashed box " +
        "found nothing to do and waits. A line below a row that turns red and dashed at \u2717 is a value that " +
        "was read, then changed by another, and still acted on. The rows below are the shared variables."),
      make("ul", "regions", ...order.map((region) =>
        make("li", "", regionBadge(region), " " + texts[region]))));
  },

  definePatterns() {
    const svg = draw(document.body, "svg", { width: 0, height: 0, class: "hidden", "aria-hidden": "true" });
    const defs = draw(svg, "defs", {});
    const shapes = { [DOORWAY]: "M2 0V8M6 0V8", [TRYING]: "M-1 5L5 -1M1 9L9 1", [ENABLED]: "M2 2h1.4v1.4h-1.4zM6 6h1.4v1.4h-1.4z",
                     [CRITICAL]: "", [EXIT]: "M-1 3L5 9M3 -1L9 5" };
    for (const region in shapes) {
      const pattern = draw(defs, "pattern", { id: `pattern${region}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" });
      draw(pattern, "path", { d: shapes[region], class: region == ENABLED ? "dots" : "lines" });
    }
    for (const name of ["head", "head-lit"]) {
      const marker = draw(defs, "marker", { id: name, viewBox: "0 0 8 8", refX: 7, refY: 4, orient: "auto-start-reverse",
        markerUnits: "userSpaceOnUse", markerWidth: 10, markerHeight: 8 });
      draw(marker, "path", { d: "M0 0L8 4L0 8z", class: name });
    }
  },

  /* ---- the diagram ---- */

  layOut() {
    this.diagram = new Diagram(this.run, ZOOMS[this.zoom]);
    byId("spacer").style.width = `${this.diagram.total}px`;
    byId("scroll").style.height = `${this.diagram.height + 14}px`;
    this.diagram.drawNames(byId("names"));
    this.overview = new Overview(byId("overview"), this.run);
    byId("less").disabled = this.zoom === 0;
    byId("more").disabled = this.zoom === ZOOMS.length - 1;
  },

  paint() {
    const scroll = byId("scroll"), { diagram } = this, width = scroll.clientWidth;
    const left = Math.max(0, Math.min(scroll.scrollLeft, Math.max(0, diagram.total - width)));
    diagram.draw(byId("canvas"), left, width, this.now);
    this.overview.show(diagram.at(left), diagram.at(left + width), this.now);
    byId("overview").classList.toggle("small", diagram.total <= width);
  },

  paintSoon() {
    if (this.drawn) return;
    this.drawn = requestAnimationFrame(() => { this.drawn = 0; this.paint(); });
  },

  /* ---- steps ---- */

  go(step) {
    if (!this.run) return;
    this.now = Math.max(0, Math.min(step, this.run.length));
    const { run, now } = this;
    byId("number").value = now;
    byId("first").disabled = byId("back").disabled = now === 0;
    byId("forth").disabled = byId("last").disabled = now === run.length;
    showNow(run, now);
    showProcesses(run, now);
    showCells(run, now);
    showChecks(run, now);
    this.source.show(run, now);
    this.keepInView();
    this.paint();
    const here = `#${this.of ? `of=${this.of}&` : ""}step=${now}${this.number > 0 ? `&run=${this.number + 1}` : ""}`;
    byId("link").textContent = here;
    if (this.explorer) this.explorer.show_moves(run, now);
    /* A run that somebody plays is in the address too, so that it is there again after a reload. */
    const played = this.explorer ? this.explorer.schedule : [];
    const address = here + (played.length > 0 ? `&schedule=${played.join("+")}` : "");
    if (location.hash !== address && !this.restoring) history.replaceState(null, "", address);
  },

  keepInView() {
    const scroll = byId("scroll"), { diagram, now } = this, margin = Math.min(80, scroll.clientWidth / 6);
    const left = now === 0 ? 0 : diagram.x[now] - margin, right = diagram.x[now + 1] + margin;
    if (left < scroll.scrollLeft) scroll.scrollLeft = left;
    else if (right > scroll.scrollLeft + scroll.clientWidth) scroll.scrollLeft = right - scroll.clientWidth;
  },

  sameProcess(by) {
    const { run, now } = this, process = now > 0 ? run.steps[now].process : 0;
    for (let s = now + by; s > 0 && s <= run.length; s += by)
      if (run.steps[s].process === process) return this.go(s);
  },

  resize(by) {
    this.zoom = Math.max(0, Math.min(ZOOMS.length - 1, this.zoom + by));
    this.layOut();
    this.keepInView();
    this.paint();
  },

  /* The run of a schedule, at a step, or at its end. Until it is there the address stays as it is. */
  async restore(schedule, step, loading) {
    this.restoring = true;
    if (loading) this.go(0);
    await this.explorer.restore(schedule, () => {
      this.restoring = false;
      this.go(step >= 0 ? step : this.run.length);
    });
    this.restoring = false;
  },

  /* "#step=17", "#run=2&step=17", "#step=3&schedule=0+1+1!" where somebody plays; on loading, without one, to where it breaks. */
  followAddress(loading) {
    if (!this.run) return;
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (this.of && (wanted.get("of") || this.of) !== this.of) return location.reload();
    const run = parseInt(wanted.get("run"), 10), step = parseInt(wanted.get("step"), 10);
    const schedule = this.explorer ? wanted.get("schedule") : null;
    if (schedule !== null && schedule !== this.explorer.schedule.join(" ")) return this.restore(schedule, step, loading);
    if (run >= 1 && run <= this.runs.length && run - 1 !== this.number) this.select(run - 1);
    if (step >= 0) this.go(step);
    else if (loading) this.go(this.run.crux >= 0 ? this.run.crux : 0);
  },

  listen() {
    const click = (id, action) => byId(id).addEventListener("click", action);
    click("first", () => this.go(0));
    click("back", () => this.go(this.now - 1));
    click("forth", () => this.go(this.now + 1));
    click("last", () => this.go(this.run.length));
    click("jump", () => this.go(this.run.crux));
    click("less", () => this.resize(-1));
    click("more", () => this.resize(1));
    click("theme", () => this.nextTheme());
    byId("number").addEventListener("change", (event) => {
      const step = parseInt(event.target.value, 10);
      this.go(step >= 0 ? step : this.now);
    });
    byId("runs").addEventListener("change", (event) => {
      this.select(Number(event.target.value));
      this.go(this.run.crux >= 0 ? this.run.crux : 0);
    });
    byId("list").addEventListener("toggle", () => {
      if (byId("list").open && this.run && byId("steps").childElementCount === 0) showList(this.run);
    });
    byId("scroll").addEventListener("scroll", () => this.paintSoon(), { passive: true });
    byId("canvas").addEventListener("click", (event) => {
      const x = event.clientX - byId("canvas").getBoundingClientRect().left + byId("scroll").scrollLeft;
      if (this.run.length > 0) this.go(this.diagram.at(x));
    });
    byId("overview").addEventListener("click", (event) => {
      const box = byId("overview").getBoundingClientRect();
      this.go(Math.round((event.clientX - box.left) / box.width * this.run.length));
    });
    addEventListener("resize", () => { if (this.run) { this.layOut(); this.paint(); } });
    addEventListener("hashchange", () => this.followAddress(false));
    addEventListener("beforeprint", () => this.forPaper());
    document.addEventListener("keydown", (event) => this.key(event));
  },

  /* What a key is for, or nothing. */
  action(key) {
    const actions = {
      ArrowRight: () => this.go(this.now + 1), ArrowLeft: () => this.go(this.now - 1),
      PageDown: () => this.go(this.now + 10), PageUp: () => this.go(this.now - 10),
      Home: () => this.go(0), End: () => this.go(this.run.length),
      "]": () => this.sameProcess(1), "[": () => this.sameProcess(-1),
      b: () => { if (this.run.crux >= 0) this.go(this.run.crux); },
      "+": () => this.resize(1), "=": () => this.resize(1), "-": () => this.resize(-1),
    };
    return Object.hasOwn(actions, key) ? actions[key] : this.explorer?.action(key);
  },

  key(event) {
    if (!this.run || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea")) return;
    const action = this.action(event.key), { explorer } = this;
    if (!action) return;
    event.preventDefault();
    if (!explorer) action();
    else if (!(event.repeat && explorer.busy)) explorer.later(action); /* held down: as fast as it goes */
  },

  nextTheme() {
    const themes = ["", "light", "dark"], root = document.documentElement;
    root.dataset.theme = themes[(themes.indexOf(root.dataset.theme || "") + 1) % themes.length];
    byId("theme").textContent = root.dataset.theme ? `Theme: ${root.dataset.theme}` : "Theme";
  },

  /* Paper does not scroll: the diagram in lines, around the moment that matters if it is long. */
  forPaper() {
    if (!this.run) return;
    const { run } = this, most = 150, crux = run.crux >= 0 ? run.crux : this.now;
    const from = run.length <= most ? 1 : Math.max(1, crux - 40), to = run.length <= most ? run.length : Math.min(run.length, crux + 20);
    const diagram = new Diagram(run, 0.7), paper = byId("paper"), width = 640;
    paper.replaceChildren();
    if (run.length > most) paper.append(make("p", "", `Steps ${from} to ${to} of ${run.length}:`));
    for (let s = from; s <= to;) {
      let end = s;
      while (end < to && diagram.x[end + 2] - diagram.x[s] <= width) end++;
      const line = make("div", "line-of-paper"), nameSvg = draw(line, "svg", {}), svg = draw(line, "svg", {});
      diagram.drawNames(nameSvg);
      diagram.draw(svg, diagram.x[s] - 4, Math.max(diagram.x[end + 1] - diagram.x[s] + 8, 40), -1);
      svg.querySelectorAll(".future, .cursor").forEach((e) => e.remove());
      paper.append(line);
      s = end + 1;
    }
    byId("list").open = true;
    if (byId("steps").childElementCount === 0) showList(run);
  },
};

page.start();
