// The results page: from the catalogue to the run that shows why something fails, by clicking.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { after, test } from "node:test";
import { done, folder, open } from "./support.mjs";

after(done);

test("from the results to a witness and its reasons", async () => {
  execFileSync(path.join(process.env.SRC, "tools/results"), ["--html", "--out", folder, "--only", "rp-n", "--most", "2000"]);
  for (const [width, colorScheme] of [[390, "dark"], [1366, "light"], [3840, "dark"]]) {
    const page = await open(`file://${folder}/results.html`, { viewport: { width, height: 900 }, colorScheme });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: too wide`);
    await page.click("#rp-n-printed + .wide a:has-text('fails')");
    await page.waitForURL(/witness\/rp-n-printed-1\.html/);
    assert.match(await page.textContent("#headline"), /^Two processes are in their critical region at step 14/);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});
