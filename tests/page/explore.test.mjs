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

const commandOf = async (page) => (await page.textContent("#command")).match(/'(.*)'/)[1];

test("keys pressed faster than the answers come are done in their order", async () => {
  const server = await explorer("burns-bit", "-n", "3");
  try {
    const page = await open(server.url);
    let asked = 0;
    await page.route("**/play", async (route) => {
      asked++;
      await new Promise((resolve) => { setTimeout(resolve, 100); });
      await route.continue();
    });
    for (const key of ["0", "1", "2", "2", "u", "1", "ArrowLeft", "u", "0"]) await page.keyboard.press(key);
    // After 0 1 2 1 and one to the left, undo leaves 0 1; then 0.
    await becomes(page, () => document.getElementById("command").textContent.includes("'0 1 0'"));
    assert.equal((await shown(page)).step, 3);
    // A button, pressed twice before the first answer, moves the process twice.
    await page.evaluate(() => { const button = document.querySelector('#moves [data-edge="2"]'); button.click(); button.click(); });
    await until(page, 5);
    assert.equal(await commandOf(page), "0 1 0 2 2");
    // A key that is held down repeats as fast as the answers come, and does not go on afterwards.
    asked = 0;
    await page.evaluate(() => {
      for (let i = 0; i < 50; i++)
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "0", repeat: i > 0, bubbles: true }));
    });
    await until(page, 6);
    await page.waitForTimeout(300);
    assert.equal((await shown(page)).length, 6);
    assert.equal(asked, 1);
    assert.deepEqual(page.problems, []);
  } finally {
    server.end();
  }
});

test("what was pressed before berth explore ended is dropped", async () => {
  const server = await explorer("burns-bit", "-n", "2");
  try {
    const page = await open(server.url);
    let answers = 0;
    await page.route("**/play", (route) => {
      answers++;
      return route.request().postDataJSON().schedule === "0" ? route.continue() : route.abort();
    });
    await page.evaluate(() => ["0", "1", "0", "1"].forEach((key) =>
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))));
    await becomes(page, () => document.getElementById("says").textContent.includes("does not answer"));
    assert.equal(await commandOf(page), "0");
    assert.ok(answers <= 2, "one failure is enough");
    // One that answers and does not do it is still running.
    await page.unroute("**/play");
    await page.route("**/play", (route) => route.fulfill({ status: 400 }));
    await page.keyboard.press("1");
    await becomes(page, () => document.getElementById("says").textContent.startsWith("berth explore refuses that"));
    assert.equal(await commandOf(page), "0");
  } finally {
    server.end();
  }
});

test("the run is in the address, and there again after a reload", async () => {
  const server = await explorer("rp-n/printed", "-n", "2");
  try {
    let page = await open(server.url);
    for (const edge of [0, 1, 0, 3, 1]) await move(page, edge);
    await page.keyboard.press("ArrowLeft");
    const before = await shown(page), command = await commandOf(page);
    assert.equal(before.hash, "#step=4&schedule=0+1+0+1!+1");
    await page.reload();
    await until(page, 5);
    assert.deepEqual(await shown(page), before);
    assert.equal(await commandOf(page), command);
    // As a link too; and a link within the page keeps the run.
    page = await open(`${server.url}#step=2&schedule=0+1+0+1!`);
    await until(page, 4);
    assert.equal((await shown(page)).step, 2);
    await page.evaluate(() => { location.hash = "#step=3"; });
    await becomes(page, () => location.hash === "#step=3&schedule=0+1+0+1!");
    assert.equal((await shown(page)).length, 4);
    // Another run in the address, by hand: that one is shown.
    await page.evaluate(() => { location.hash = "#step=1&schedule=1+1"; });
    await until(page, 2);
    assert.equal((await shown(page)).step, 1);
    // One that is none: from the beginning, and said so.
    for (const wrong of ["7", "0+x", "1!+1!+1!+1!"]) {
      page = await open(`${server.url}#step=2&schedule=${wrong}`);
      await becomes(page, () => document.getElementById("says").textContent.includes("is no run of this protocol"));
      assert.equal((await shown(page)).length, 0, wrong);
      assert.equal((await shown(page)).hash, "#step=0");
      await page.keyboard.press("0");
      await until(page, 1);
    }
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
