/* Where a person plays the scheduler: each move is asked of `berth explore`, which serves the page. It
 * is sent the whole schedule, so to undo is to send a shorter one. What is wished while an answer is on
 * its way is done after it, in order, from the state that it leads to. */

class Explorer {
  constructor(data, show) {
    this.data = data;
    this.show = show; /* given new data, shows it at its end */
    this.schedule = data.schedule === "" ? [] : data.schedule.split(" ");
    this.wishes = [];
    this.busy = false;
    this.run = null;
    byId("play").hidden = false;
    const click = (id, action) => byId(id).addEventListener("click", () => this.later(action));
    click("undo", () => this.undo());
    click("restart", () => this.ask([]));
    click("fair", () => this.fair());
    click("adversary", () => this.adversary());
    click("starve", () => this.ask(this.kept(), { go: "out", count: 40,
      victim: Number(byId("victim").value), seed: this.schedule.length + 1 }));
    byId("victim").replaceChildren(...Array.from({ length: data.n }, (_, p) => {
      const option = make("option", "", `P${p}`);
      option.value = p;
      return option;
    }));
    byId("faultsbox").hidden = data.fault !== "death" && data.fault !== "kill";
  }

  /* Does it, after what has been wished before. Where that fails, what comes after it is dropped. */
  async later(action) {
    this.wishes.push(action);
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.wishes.length > 0) await this.wishes.shift()();
    } catch (error) {
      this.wishes = [];
      this.say(error.status === 400 ? "berth explore refuses that: there is no such move, or the run would be too long." :
        `berth explore does not answer (${error.message}). Is it still running?`);
    } finally {
      this.busy = false;
    }
  }

  /* The moves up to where one is. */
  kept() { return this.schedule.slice(0, this.now); }
  undo() { return this.now > 0 && this.ask(this.schedule.slice(0, this.now - 1)); }
  fair() { return this.ask(this.kept(), { go: "fair", count: 20, seed: this.schedule.length + 1 }); }
  adversary() { return this.ask(this.kept(), { go: "break", faults: byId("faults").checked }); }

  async ask(schedule, wish) {
    byId("play").setAttribute("aria-busy", "true");
    try {
      const answer = await fetch("play", { method: "POST",
        body: JSON.stringify({ ...wish, schedule: schedule.join(" ") }) });
      if (!answer.ok) throw Object.assign(new Error(`${answer.status} ${answer.statusText}`), { status: answer.status });
      const data = await answer.json();
      data.files = this.data.files;
      this.data = data;
      this.schedule = data.schedule === "" ? [] : data.schedule.split(" ");
      this.show(data);
      this.say(data.note);
    } finally {
      byId("play").removeAttribute("aria-busy");
    }
  }

  /* A run that the page's address names, after a reload or by a link; `then` is called when it is there. */
  restore(text, then) {
    return this.later(async () => {
      try {
        await this.ask(text.split(" "));
        then();
      } catch (error) {
        if (error.status !== 400) throw error;
        then();
        this.say("The address of this page names a schedule that is no run of this protocol.");
      }
    });
  }

  say(text) { byId("says").textContent = text; }

  /* Called whenever another step is shown. */
  show_moves(run, s) {
    this.run = run;
    this.now = s;
    const atEnd = s === run.length;
    byId("undo").disabled = s === 0;
    byId("command").textContent = this.command();
    if (!atEnd) {
      const button = make("button", "strong", `Play on from step ${s}`);
      button.id = "branch";
      button.addEventListener("click", () => this.later(() => this.ask(this.kept())));
      byId("moves").replaceChildren(make("p", "", "The steps after this one are dropped: "), button);
      return;
    }
    byId("moves").replaceChildren(...run.states[s].regions.map((_, p) => this.card(run, s, p)));
  }

  card(run, s, p) {
    const moves = run.moves.filter((move) => move.process === p);
    const card = make("div", "card", make("h3", "", `${run.who(p)} `, regionBadge(run.region(s, p))));
    moves.forEach((move) => {
      const word = run.data.fault === "kill" ? `Kill P${p}` : `Let P${p} die`;
      const revives = move.kind === "step" && move.access === FAULT;
      const text = move.kind === "fault" ? word : move.kind === "choice" ? `P${p} chooses otherwise` :
        revives ? `Revive P${p}` : `${run.who(p)} moves`;
      const button = make("button", move.kind === "fault" ? "kill" : "", text);
      button.dataset.edge = move.edge;
      button.title = sentence(run, move);
      button.addEventListener("click", () => this.later(() => this.make(move.process, move.kind)));
      const about = move.kind === "fault" ? "" : capital(`${move.label && !revives ? `at ${move.label} ` : ""}` +
        `${revives ? "comes back" : access(run, move)} ${consequence(move)}`.trimEnd() + ".");
      card.append(make("div", move.waits ? "move idle" : "move", button, make("span", "", about)));
    });
    if (moves.length === 0) card.append(make("p", "dim", "It cannot move."));
    return card;
  }

  /* The process may have moved since the button was shown; where it cannot do this any more, nothing is done. */
  make(process, kind) {
    const atEnd = this.now === this.run.length;
    if (!atEnd || !this.run.moves.some((move) => move.process === process && move.kind === kind)) return null;
    return this.ask([...this.kept(), `${process}${{ step: "", choice: "?", fault: "!" }[kind]}`]);
  }

  command() {
    const { data } = this, word = [`berth trace ${data.protocol} -n ${data.n}`];
    if (data.l > 1) word.push(`-l ${data.l}`);
    if (data.k > 1) word.push(`-k ${data.k}`);
    Object.entries(data.options ?? {}).forEach(([name, value]) => word.push(`--${name} ${value === "given" ? "FILE" : value}`));
    word.push(`--fault ${data.fault}`);
    if (data.fault === "kill") word.push(`--kills ${data.kills}`);
    if (data.limit > 0) word.push(`--limit ${data.limit}`);
    return `${word.join(" ")} --schedule '${this.kept().join(" ")}' run.html`;
  }

  /* What a key is for, or nothing. */
  action(key) {
    if (/^[0-9]$/.test(key)) return () => this.make(Number(key), "step");
    const actions = { u: () => this.undo(), f: () => this.fair(), x: () => this.adversary() };
    return Object.hasOwn(actions, key) ? actions[key] : undefined;
  }
}
