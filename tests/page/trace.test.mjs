// The page of a run, as somebody uses it: keys, clicks and links, compared with the JSON of the run.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, test } from "node:test";
import { becomes, berth, checked, done, open, replay, shown, traced } from "./support.mjs";

after(done);

// A link is followed a little later than it is clicked.
const at = (page, step) => becomes(page, (wanted) => document.getElementById("number").value === String(wanted), step);

// Everything that the page says of step s, against the run.
function agree(seen, run, states, s) {
  const step = run.steps[s - 1];
  assert.equal(seen.step, s);
  for (const [cell, value] of Object.entries(seen.cells)) assert.equal(value, states[s].cells[cell], `${cell} at step ${s}`);
  seen.regions.forEach((region, p) => {
    const expected = states[s].regions[p];
    if (region !== "enabled") assert.equal(region, expected, `P${p} at step ${s}`);
    else assert.ok(expected === "trying" || expected === "doorway");
  });
  if (!step) return;
  assert.ok(seen.sentence.startsWith(`P${step.process} `), seen.sentence);
  if (step.access === "fault") assert.ok(seen.sentence.includes(step.label));
  else {
    assert.ok(seen.sentence.includes(`at ${step.label} `), seen.sentence);
    assert.ok(seen.sentence.includes(step.value) && seen.sentence.includes(step.cell), seen.sentence);
    assert.ok(seen.done.includes(`(${step.label},`), `line of ${step.label}: ${seen.done}`);
  }
}

test("a witness of exclusion, step by step", async () => {
  const { url, json } = checked("printed", "rp-n/printed", "-n", "2");
  const run = json.witnesses[0], states = replay(run, 2), last = run.steps.length;
  const page = await open(url);
  let seen = await shown(page);
  assert.equal(seen.length, last);
  assert.equal(seen.step, last, "it opens where it breaks");
  const inside = states[last].regions.flatMap((region, p) => (region === "critical" ? [`P${p}`] : []));
  assert.equal(seen.headline, `Two processes are in their critical region at step ${last}: ${inside.join(" and ")}, and there is room for one`);
  assert.equal(await page.textContent("#about"), "As printed: the fetches take only R_j = D for dead.");
  assert.deepEqual(seen.broken, ["exclusion"]);
  await page.keyboard.press("Home");
  for (let s = 0; s <= last; s++) {
    seen = await shown(page);
    agree(seen, run, states, s);
    assert.equal(seen.hash, `#step=${s}`);
    assert.deepEqual(seen.broken, s === last ? ["exclusion"] : [], `step ${s}`);
    await page.keyboard.press("ArrowRight");
  }
  for (let s = last; s > 0; s--) {
    assert.equal((await shown(page)).step, s);
    await page.click("#back");
  }
  await page.keyboard.press("b");
  assert.equal((await shown(page)).step, last);
  await page.click("#first");
  await page.click("#forth");
  assert.equal((await shown(page)).step, 1);
  await page.click("#jump");
  assert.equal((await shown(page)).step, last);
  assert.deepEqual(page.problems, []);
  assert.equal(page.asked.length, 1, "nothing is loaded but the page");
});

test("the reasons name what was out of date", async () => {
  const { url, json } = checked("why", "rp-n/printed", "-n", "2");
  const { steps } = json.witnesses[0];
  const page = await open(url);
  const { why } = await shown(page);
  for (const reason of why) {
    const stale = /^P(\d) relied on (\S+) = (.+), read at step (\d+)\. P(\d) changed it to (.+) at step (\d+),/.exec(reason);
    const entry = /^P(\d) gets in at step (\d+)/.exec(reason);
    assert.ok(stale || entry, reason);
    if (entry) assert.equal(steps[entry[2] - 1].region, "critical");
    else {
      const [, reader, cell, value, read, writer, now, changed] = stale;
      const seen = steps[read - 1], store = steps[changed - 1];
      assert.deepEqual([seen.process, seen.access, seen.cell, seen.value], [Number(reader), "read", cell, value]);
      assert.deepEqual([store.process, store.access, store.cell, store.value], [Number(writer), "write", cell, now]);
      assert.ok(Number(read) < Number(changed) && reader !== writer);
    }
  }
  assert.ok(why.some((reason) => reason.includes("but P1 did not look again")), why.join("\n"));
  const link = page.locator("#why a").first(), step = Number((await link.textContent()).slice(5));
  await link.click();
  await at(page, step);
});

test("who was overtaken, and by whom", async () => {
  const { url, json } = checked("overtaken", "burns-b", "-n", "3");
  const run = json.witnesses.find((witness) => witness.property === "fifo"), states = replay(run, 3);
  const [, waiting, faster] = /^while process (\d) waits, process (\d)/.exec(run.about);
  const { why } = await shown(await open(url));
  const since = Number(/^P(\d) is trying from step (\d+) on/.exec(why[0])[2]);
  assert.ok(why[0].startsWith(`P${waiting} `));
  assert.equal(states[since].regions[waiting], "trying");
  assert.equal(states[since - 1].regions[waiting], "remainder");
  const entry = /^P(\d) gets in at step (\d+), and P(\d) still waits/.exec(why.at(-1));
  assert.deepEqual([entry[1], entry[3]], [faster, waiting]);
  assert.equal(run.steps[entry[2] - 1].region, "critical");
  assert.equal(states[entry[2]].regions[waiting], "trying");
});

// With LONG=1 also the pool, which has more than a million states.
const lost = [["door/no-sweep", "-n", "2"], ...(process.env.LONG ? [["pool/no-sweep", "-n", "2"]] : [])];
for (const words of lost)
  test(`a slot that is lost names the kill: ${words[0]}`, async () => {
    const { url, json } = checked("lost", ...words, "--only", "no-slot-lost");
    const run = json.witnesses[0], kills = run.steps.flatMap((step, i) => (step.label === "is killed" ? [i + 1] : []));
    const { why } = await shown(await open(url));
    assert.ok(kills.length > 0);
    assert.deepEqual(why.filter((reason) => reason.includes("is killed")).map((reason) => Number(/step (\d+)/.exec(reason)[1])), kills);
    // And the last thing that the killed process did before.
    const own = run.steps.findLastIndex((step, i) => i < kills[0] - 1 && step.process === run.steps[kills[0] - 1].process) + 1;
    assert.ok(own > 0);
    assert.ok(why[0].includes(`the last that it did, at step ${own},`), why[0]);
  });

const broken = [["etcd-pool/no-guard", "a slot is handed over without looking whether the waiter is still there"],
  ...(process.env.LONG ? [["pool/no-help", "what the last draw meant is not written down"]] : [])];
for (const [name, about] of broken)
  test(`a broken variant is said to be one, and how: ${name}`, async () => {
    const { url, json } = checked("broken", name, "-n", "2", "--only", "no-slot-lost");
    const page = await open(url), last = json.witnesses[0].steps.length;
    assert.equal((await shown(page)).headline, `From step ${last} on nobody can get in any more, whatever they do`);
    assert.equal(await page.textContent("#about"), `Broken: ${about}.`);
    assert.match(await page.textContent("#meaning"), /broken on purpose, so it ought to fail/);
  });

test("who stops silently is named, and what is claimed for a smaller k is not refuted", async () => {
  const { url, json } = checked("sleeper", "flbb-bank/a", "-n", "3", "--fault", "sleep", "--only", "kl-deadlock-free");
  const page = await open(url), seen = await shown(page), [run] = json.witnesses;
  const moving = new Set(run.steps.slice(run.stem).map((step) => step.process));
  const began = new Set(run.steps.map((step) => step.process));
  const asleep = [...began].filter((p) => !moving.has(p));
  assert.ok(asleep.length > 0 && run.cycle && run.stem + 1 === run.steps.length);
  for (const p of asleep) assert.ok(seen.why.some((reason) => reason.startsWith(`P${p} stops when it is trying`)), seen.why.join("\n"));
  assert.ok(seen.headline.endsWith(`: step ${run.steps.length} repeats for ever`), seen.headline);
  assert.match(await page.textContent("#over"), /n=3 .* k=2 .* fault=sleep/);
  assert.equal(await page.locator("#verdict.known").count(), 1, "not claimed for k = 2");
});

test("a supervisor, the workers, and where in the source each is", async () => {
  const { url } = checked("supervisor", "flbb-buckets/greedy", "-n", "3", "--only", "exclusion");
  const page = await open(url), { why } = await shown(page);
  assert.ok(why.some((reason) => /^Before that, at step \d+, S sets, in one step, enb/.test(reason)), why.join("\n"));
  const files = await page.evaluate(() => [...document.querySelectorAll("#tabs button")].map((tab) => [tab.title, [...tab.querySelectorAll(".who")].map((e) => e.textContent).join()]));
  assert.equal(Object.fromEntries(files)["src/protocol/flbb/supervised.inc"], "S");
  assert.equal(Object.fromEntries(files)["src/protocol/flbb/workers.inc"], "P0,P1,P2");
});

test("who exclude each other, where not all do; and ranks by their numbers", async () => {
  const dining = await shown(await open(checked("dining", "dining/grey-compared", "--only", "exclusion").url));
  assert.match(dining.headline, /^Two processes are in their critical region at step \d+: P\d and P\d, which exclude each other$/);
  const ranks = await shown(await open(checked("ranks", "ranker-0/black-first", "--only", "precedence").url));
  assert.match(ranks.headline, /^Number \d asked for its rank when number \d had one, and does not have a lower one, at step \d+$/);
});

test("what a protocol stands on is named, and who wait for each other", async () => {
  const { url } = checked("ranker", "mutex", "-n", "2", "--ranker", "0", "--only", "deadlock-free");
  const page = await open(url);
  assert.match(await page.textContent("#over"), /ranker=0/);
  assert.match((await shown(page)).headline, /^Nobody gets on any more: P0 and P1 take steps for ever and each stays where it is: steps/);
});

test("a lockout has its cycle marked", async () => {
  const { url, json } = checked("lockout", "burns-c/printed", "-n", "5");
  const run = json.witnesses.find((witness) => witness.property === "lockout-free");
  const page = await open(url), seen = await shown(page);
  assert.ok(run.cycle);
  assert.equal(seen.step, run.stem + 1);
  assert.match(seen.headline, /^P\d takes steps for ever and never gets in: /);
  assert.ok(seen.headline.endsWith(`steps ${run.stem + 1} to ${run.steps.length} repeat for ever`), seen.headline);
  assert.equal(await page.locator("#canvas .cycle").count(), 1);
  // After the last step all is as it was before the first of the cycle.
  await page.goto(`${url}#step=${run.stem}`);
  await at(page, run.stem);
  const before = await shown(page);
  await page.keyboard.press("End");
  const end = await shown(page);
  assert.deepEqual([end.cells, end.regions], [before.cells, before.regions]);
});

test("a link to a step, and to a step of another run", async () => {
  const { url, json } = checked("links", "peterson", "-n", "3");
  assert.ok(json.witnesses.length > 1);
  const page = await open(`${url}#step=3&run=2`);
  const seen = await shown(page), option = await page.locator("#runs option:checked").textContent();
  assert.equal(seen.step, 3);
  assert.ok(json.witnesses.some((witness) => option === `${witness.property} (${witness.steps.length} steps)`), option);
  assert.equal(seen.hash, "#step=3&run=2");
  await page.selectOption("#runs", "0");
  assert.notEqual(await page.locator("#runs option:checked").textContent(), option);
  await page.evaluate(() => { location.hash = "#step=2"; });
  await at(page, 2);
  for (const odd of ["#step=-1", "#step=zz", "#run=99&step=1e9", "#%ff", "#step=99999"]) await page.goto(url + odd);
  assert.deepEqual(page.problems, []);
});

test("two thousand steps", async () => {
  const { url, file, json } = traced("long", "rp-n", "-n", "3", "--random", "4", "--steps", "2000");
  const states = replay(json, 3);
  assert.ok(statSync(file).size < 300000, `${statSync(file).size} bytes`);
  const began = Date.now(), page = await open(url);
  assert.ok(Date.now() - began < 30000, "it takes too long to load");
  for (const s of [1, 17, 500, 1003, 1999, 2000]) {
    await page.fill("#number", String(s));
    await page.press("#number", "Enter");
    agree(await shown(page), json, states, s);
    const drawn = await page.locator("#canvas *").count();
    assert.ok(drawn > 50 && drawn < 2500, `${drawn} elements are drawn at step ${s}`);
    assert.equal(await page.locator(`#canvas [data-step="${s}"]`).count(), 1, `step ${s} is in view`);
  }
  // Scrolled by hand, and a click on what is in the middle then.
  await page.evaluate(() => { document.getElementById("scroll").scrollLeft = 30000; });
  await becomes(page, () => document.querySelector('#canvas [data-step="2000"]') === null);
  const box = await page.locator("#scroll").boundingBox();
  const middle = await page.evaluate(([x, y]) => Number(document.elementsFromPoint(x, y).map((e) => e.closest("[data-step]")?.dataset.step).find(Boolean) ?? 0),
    [box.x + box.width / 2, box.y + 60]);
  await page.mouse.click(box.x + box.width / 2, box.y + 60);
  const { step } = await shown(page);
  if (middle) assert.equal(step, middle);
  assert.ok(step > 100 && step < 1900, `a click led to step ${step}`);
  await page.keyboard.press("PageDown");
  assert.equal((await shown(page)).step, step + 10);
  const overview = await page.locator("#overview").boundingBox();
  await page.mouse.click(overview.x + overview.width / 2, overview.y + overview.height / 2);
  assert.ok(Math.abs((await shown(page)).step - 1000) <= 2);
  // By keys along the steps of one process.
  const { process } = json.steps[(await shown(page)).step - 1];
  await page.keyboard.press("]");
  assert.equal(json.steps[(await shown(page)).step - 1].process, process);
  await page.click("#list summary");
  await becomes(page, () => document.querySelectorAll("#steps li").length === 2000);
});

test("enabled is what the checker says", async () => {
  // Of the pool's tickets the first is enabled from when it is drawn; with one slot, the second is not.
  const { url, json } = traced("enabled", "flbb-queue", "-n", "3", "--steps", "12");
  const page = await open(url);
  let enabled = 0;
  for (let s = 0; s <= json.steps.length; s++) {
    await page.goto(`${url}#step=${s}`);
    await at(page, s);
    const seen = await shown(page);
    // The head of the queue, and nobody else, is enabled; or in already.
    const head = seen.cells.length === "0" ? -1 : Number(seen.cells["queue[0]"]);
    seen.regions.forEach((region, p) => {
      if (region === "enabled") { assert.equal(p, head, `step ${s}`); enabled++; }
      if (region === "trying") assert.notEqual(p, head, `step ${s}`);
    });
  }
  assert.ok(enabled > 0);
  const large = await open(traced("large", "pool", "-n", "3", "--steps", "5").url);
  assert.match(await large.textContent("#checks"), /enabled is not shown: it has too many states/);
});

test("the line of each process is marked in the source", async () => {
  const { url, json } = traced("source", "burns-b", "-n", "3", "--random", "2", "--steps", "120");
  const page = await open(`${url}#step=0`);
  const files = new Set();
  // All of it at once: to ask the browser about each step takes long.
  const marked = await page.evaluate(() => Array.from({ length: 120 }, (_, i) => {
    page.go(i + 1);
    return {
      done: document.querySelector(".line.done .text")?.textContent ?? "",
      file: document.querySelector("#tabs [aria-selected=true]").firstChild.textContent,
      lines: page.run.states[0].regions.map((_, p) => page.run.stands(page.now, p).line),
    };
  }));
  marked.forEach((seen, i) => {
    assert.ok(seen.done.includes(`(${json.steps[i].label},`), `step ${i + 1}: ${seen.done}`);
    files.add(seen.file);
    assert.ok(seen.lines.every((line) => line > 0), `step ${i + 1}: everybody stands somewhere`);
  });
  assert.ok(files.has("burns/b.c") && files.has("burns/move.inc"), [...files].join());
  assert.equal((await page.locator("#tabs .who").allTextContents()).sort().join(), "P0,P1,P2", "each is on the tab of its file");
  await page.click("#tabs button:has-text('burns/elect.inc')");
  assert.match(await page.textContent("#code"), /elect the next controller/);
});

test("nothing fails: a page that says so", async () => {
  const page = await open(checked("nothing", "burns-bit", "-n", "2", "--only", "exclusion").url);
  assert.match((await shown(page)).headline, /there is no run to show/);
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(page.problems, []);
});

test("on paper", async () => {
  const page = await open(checked("paper", "rp-n/printed", "-n", "2").url);
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 10000);
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator("#paper .box").evaluateAll((boxes) => new Set(boxes.map((b) => b.dataset.step)).size), 14);
  assert.ok(await page.locator("#paper").isVisible());
  assert.ok(!(await page.locator(".controls").isVisible()));
  assert.equal(await page.locator("#steps li").count(), 14);
  assert.equal(berth("--version").slice(0, 6), "berth ");
});
