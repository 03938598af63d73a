/* The protocol's source, with the line of each process. */

const WORDS = new RegExp("\\b(READ|WRITE|WRITE_LATE|AWAIT|TEST|ON|END_TEST|CAS|UPDATE|LOCK|UNLOCK|SUPERVISOR|END_SUPERVISOR|ALIVE|CALL0?|RETURN|" +
  "OWN|FORGET|DIES|LIMIT|MAY|DUE|PAUSE|WAKE|AGAIN|AGAIN_UP_TO|TRUST|ENTRY|DOORWAY|WAITING|EXIT|REVIVAL|" +
  "DEATH|SUB|END_SUB|END|VARIANT|goto|if|else|for|while|break|continue|return)\\b", "g");

class Source {
  constructor(data) {
    this.files = new Map();
    this.current = "";
    this.shown = [];
    const tabs = Object.keys(data.files).map((path) => {
      const here = make("span", "here");
      const tab = make("button", "", path.split("/").slice(-2).join("/"), here);
      tab.title = path;
      tab.setAttribute("role", "tab");
      tab.addEventListener("click", () => this.open(path));
      this.files.set(path, { tab, here, lines: this.build(data.files[path]) });
      return tab;
    });
    byId("tabs").replaceChildren(...tabs);
    document.querySelector(".source").hidden = tabs.length === 0;
    if (tabs.length > 0) this.open(data.file);
  }

  build(text) {
    let inComment = false;
    return text.replace(/\n$/, "").split("\n").map((line, i) => {
      const code = make("span", "text");
      code.style.setProperty("--indent", line.search(/\S|$/));
      /* Comments stay whole; between them, words of the notation and of C stand out. */
      for (let rest = line; rest !== "" || code.childNodes.length === 0;) {
        const at = inComment ? rest.indexOf("*/") : rest.indexOf("/*");
        const end = at < 0 ? rest.length : inComment ? at + 2 : at;
        const part = rest.slice(0, end);
        if (inComment) code.append(make("i", "", part));
        else part.split(WORDS).forEach((piece, k) => code.append(k % 2 ? make("b", "", piece) : piece));
        rest = rest.slice(end);
        if (at >= 0) inComment = !inComment;
        if (rest === "") break;
      }
      const marks = make("span", "marks");
      const number = make("span", "number", String(i + 1));
      return { element: make("div", "line", marks, number, code), marks };
    });
  }

  open(path) {
    const file = this.files.get(path);
    if (!file || path === this.current) return;
    this.current = path;
    this.files.forEach((other, name) => other.tab.setAttribute("aria-selected", name === path));
    byId("code").replaceChildren(...file.lines.map((line) => line.element));
  }

  line(place) {
    const file = this.files.get(place.file);
    return file && place.line > 0 ? file.lines[place.line - 1] : undefined;
  }

  /* Marks where everybody is, and the line of the step that was just made. */
  show(run, s) {
    this.shown.forEach((line) => { line.marks.replaceChildren(); line.element.className = "line"; });
    this.shown = [];
    this.files.forEach((file) => file.here.replaceChildren());
    run.states[s].regions.forEach((region, p) => {
      const line = this.line(run.stands(s, p));
      if (!line) return;
      const mark = make("span", `who r${run.region(s, p)}`, run.who(p));
      mark.title = `${run.who(p)} (${REGIONS[run.region(s, p)]}): this is its next step`;
      line.marks.append(mark);
      this.files.get(run.stands(s, p).file).here.append(mark.cloneNode(true)); /* also on the tab */
      this.shown.push(line);
    });
    const step = run.steps[s], done = s > 0 ? this.line(step) : undefined;
    if (done) {
      done.element.className = "line done";
      this.shown.push(done);
    }
    const focus = done ? step : run.stands(s, 0);
    if (!this.line(focus)) return;
    this.open(focus.file);
    const code = byId("code"), element = this.line(focus).element;
    const here = this.shown.filter((line) => line.element.isConnected);
    const most = Math.max(1, ...here.map((line) => line.marks.childElementCount));
    code.style.setProperty("--marks", most); /* so that the lines stay below each other */
    const top = element.offsetTop;
    if (top < code.scrollTop + 40 || top > code.scrollTop + code.clientHeight - 80)
      code.scrollTop = top - code.clientHeight / 3;
  }
}
