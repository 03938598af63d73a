// The results page: from the catalogue to the run that shows why something fails, by clicking.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import { becomes, done, folder, open } from "./support.mjs";

after(done);

before(() => {
  execFileSync(path.join(process.env.SRC, "tools/results"),
    ["--html", "--out", folder, "--only", "rp-n,burns-bit,concurrent-producer-consumer/first-found", "--most", "2000"]);
});

const places = ["#wrong li:has-text('rp-n/printed,')", ".entry:has-text('rp-n/printed') >> nth=0", "#rp-n-printed + .wide"];

test("from the results to a witness and its reasons", async () => {
  for (const [width, colorScheme] of [[360, "dark"], [1366, "light"], [3840, "dark"]]) {
    const page = await open(`file://${folder}/results.html`, { viewport: { width, height: 900 }, colorScheme });
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(await fits(), `${width}: too wide`);
    // From the list of what does not hold, from the catalogue, and from the table of sizes.
    for (const place of places.slice(0, width === 1366 ? 3 : 1)) {
      await page.goto(`file://${folder}/results.html`);
      await page.click(`${place} >> a[href^='witnesses.html']`);
      await page.waitForURL(/witnesses\.html#of=rp-n-printed-1/);
      assert.match(await page.textContent("#headline"), /^Two processes are in their critical region at step 14/);
      assert.equal(await page.title(), "rp-n/printed - berth");
    }
    assert.ok(await fits(), `${width}: the witness is too wide`);
    // The steps keep to the witness; the address leads there again.
    await page.click("#why a >> nth=0");
    await becomes(page, () => location.hash === "#of=rp-n-printed-1&step=12");
    await page.reload();
    assert.equal(await page.inputValue("#number"), "12");
    assert.match(await page.textContent("#code"), /SUB\(race/);
    // Another one from the list, and back to the results.
    await Promise.all([page.waitForEvent("load"), page.selectOption("#book", { label: "rp-n/split-r-first, n=3 fault=death" })]);
    assert.equal(await page.title(), "rp-n/split-r-first - berth");
    await page.click("#home");
    await page.waitForURL(/results\.html/);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test("a search in the results", async () => {
  const page = await open(`file://${folder}/results.html`);
  const seen = (selector) => page.evaluate((s) => [...document.querySelectorAll(s)].filter((e) => e.checkVisibility()).map((e) => e.textContent), selector);
  const all = await seen("main > section, main h2");
  const names = await seen(".entry > a");
  assert.ok(names.length >= 7 && !(await seen("#space tr")).length);
  // By the name of an author, which is not in the entry itself; by a property; by both, in any case.
  await page.keyboard.press("/");
  await page.keyboard.type("rivest PRINTED");
  assert.deepEqual(await seen(".entry > a"), ["rp-n/printed", "rp-n/printed-fetch"]);
  assert.deepEqual(await seen("h3 > code"), ["rp-n/printed", "rp-n/printed-fetch"]);
  assert.equal((await seen("#wrong li")).length, 2);
  assert.equal(await page.textContent("#found"), `2 of ${names.length} algorithms and variants`);
  assert.deepEqual(await seen("main h2"), ["Claims that do not hold", "The algorithms", "Size by size", "n processes that may die and revive"]);
  // What is folded away is opened where it has what is looked for, and closed again.
  await page.fill("#search", "burns-bit");
  assert.ok((await seen("#space tbody tr")).length > 0);
  assert.ok((await seen("#space tbody tr")).every((row) => row.startsWith("burns-bit")));
  await page.fill("#search", "no-such-thing");
  assert.equal(await page.textContent("#found"), "Nothing has all of these words.");
  assert.deepEqual(await seen("main > section"), []);
  await page.keyboard.press("Escape");
  assert.deepEqual(await seen("main > section, main h2"), all);
  assert.deepEqual(await seen("#space tr"), []);
  assert.equal(await page.textContent("#found"), "");
  // A link to what is hidden ends the search.
  await page.fill("#search", "burns-bit");
  await page.click("#burns-bit + .wide >> text=exclusion");
  await becomes(page, () => document.getElementById("exclusion").checkVisibility() && document.getElementById("search").value === "");
  assert.ok(await page.evaluate(() => { const box = document.getElementById("exclusion").getBoundingClientRect(); return box.top >= 0 && box.top < innerHeight; }));
  assert.deepEqual(page.problems, []);
});
