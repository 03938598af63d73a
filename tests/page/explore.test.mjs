// A person plays the scheduler; what the page shows is what berth trace makes of the same schedule.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { becomes, berth, done, explorer, open, replay, shown, traced } from "./support.mjs";

after(done);

async function until(page, length) {
  await becomes(page, (wanted) => document.getElementById("length").textContent === String(wanted), length);
}

async function move(page, edge) {
  const length = (await shown(page)).length;
  await page.click(`#moves [data-edge="${edge}"]`);
  await until(page, length + 1);
}

test("moves, a death, undo, and the run again as a file", async () => {
  const server = await explorer("rp-n/printed", "-n", "2");
  try {
    const page = await open(server.url);
    for (const edge of [0, 1, 0, 1, 3, 1]) await move(page, edge);
    let seen = await shown(page);
    const words = (await page.textContent("#command")).match(/'(.*)'/)[1];
    assert.equal(words, "0 1 0 1 1! 1");
    const { json } = traced("again", "rp-n/printed", "-n", "2", "--schedule", words), states = replay(json, 2);
    assert.deepEqual(seen.cells, { "P[0]": states[6].cells["P[0]"], "P[1]": states[6].cells["P[1]"] });
    assert.equal(json.steps[4].label, "dies");
    await page.click("#undo");
    await until(page, 5);
    seen = await shown(page);
    assert.deepEqual(seen.cells["P[1]"], states[5].cells["P[1]"]);
    await page.keyboard.press("u");
    await until(page, 4);
    // Back in time, and on from there.
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.click("#branch");
    await until(page, 1);
    await page.keyboard.press("1");
    await until(page, 2);
    assert.equal((await page.textContent("#command")).match(/'(.*)'/)[1], "0 1");
    assert.deepEqual(page.problems, []);
    assert.ok(page.asked.every((url) => url.startsWith(server.url)), page.asked.join());
  } finally {
    server.end();
  }
});

test("the adversary breaks what can be broken, and exclusion flips", async () => {
  const server = await explorer("rp-n/printed", "-n", "2");
  try {
    const page = await open(server.url);
    assert.deepEqual((await shown(page)).broken, []);
    await page.click("#adversary");
    const report = JSON.parse(berth("check", "rp-n/printed", "-n", "2", "--fault", "none", "--only", "exclusion", "--json"));
    await until(page, report.claims[0].witness_steps);
    const seen = await shown(page);
    assert.deepEqual(seen.broken, ["exclusion"]);
    assert.match(seen.headline, /^Two processes are in their critical region/);
    await page.keyboard.press("ArrowLeft");
    assert.deepEqual((await shown(page)).broken, []);
  } finally {
    server.end();
  }
});

test("what holds cannot be broken; a fair scheduler goes on; somebody is kept out", async () => {
  const server = await explorer("burns-bit", "-n", "2");
  try {
    const page = await open(server.url);
    await page.click("#adversary");
    await becomes(page, () => document.getElementById("says").textContent !== "");
    assert.match(await page.textContent("#says"), /^Nothing that can happen from here breaks anything/);
    await page.click("#fair");
    await until(page, 20);
    await page.click("#restart");
    await until(page, 0);
    // burns-bit does not keep anybody from waiting for ever: process 1 never gets in.
    await page.selectOption("#victim", "1");
    await page.click("#starve");
    await until(page, 40);
    const { json } = traced("starved", "burns-bit", "-n", "2", "--schedule", (await page.textContent("#command")).match(/'(.*)'/)[1]);
    assert.ok(json.steps.some((step) => step.process === 1));
    assert.ok(json.steps.every((step) => step.process !== 1 || step.region !== "critical"));
    assert.ok(json.steps.some((step) => step.process === 0 && step.region === "critical"));
  } finally {
    server.end();
  }
});

test("a kill; and the command ends while the page is open", async () => {
  const server = await explorer("pool", "-n", "2", "--kills", "1");
  try {
    const page = await open(server.url);
    await move(page, 0);
    await page.click("#moves .kill >> nth=0");
    await until(page, 2);
    assert.equal((await shown(page)).regions[0], "dead");
    assert.equal(await page.locator("#moves .kill").count(), 0, "one kill was all");
    await page.locator("#moves button", { hasText: "Revive P0" }).click();
    await until(page, 3);
    assert.notEqual((await shown(page)).regions[0], "dead");
    // As long as somebody can do something it is not stuck; if all had to wait, it would be.
    assert.match(await page.textContent("#checks"), /moving Somebody can do something/);
    await page.evaluate(() => { page.run.moves.forEach((m) => { m.waits = true; }); showChecks(page.run, page.now); });
    assert.deepEqual((await shown(page)).broken, ["stuck"]);
    server.end();
    await page.click("#fair");
    await becomes(page, () => document.getElementById("says").textContent.includes("does not answer"));
    assert.equal((await shown(page)).length, 3, "what was there stays");
  } finally {
    server.end();
  }
});
