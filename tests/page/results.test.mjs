// The results page: from the catalogue to the run that shows why something fails, by clicking.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { after, test } from "node:test";
import { becomes, done, folder, open } from "./support.mjs";

after(done);

test("from the results to a witness and its reasons", async () => {
  execFileSync(path.join(process.env.SRC, "tools/results"), ["--html", "--out", folder, "--only", "rp-n", "--most", "2000"]);
  for (const [width, colorScheme] of [[390, "dark"], [1366, "light"], [3840, "dark"]]) {
    const page = await open(`file://${folder}/results.html`, { viewport: { width, height: 900 }, colorScheme });
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(await fits(), `${width}: too wide`);
    // From the list of what does not hold, from the catalogue, and from the table of sizes.
    for (const place of ["#wrong li:has-text('rp-n/printed,')", ".entry:has-text('rp-n/printed') >> nth=0", "#rp-n-printed + .wide"]) {
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
