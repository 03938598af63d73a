// That it can be read: at any width, light and dark, without colors, without a mouse.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checked, done, open, traced } from "./support.mjs";

after(done);
let pages;
before(() => {
  pages = {
    witness: checked("look", "rp-n/printed", "-n", "2").url,
    cycle: checked("cycle", "burns-c/printed", "-n", "5").url,
    long: `${traced("long", "pool", "-n", "3", "-l", "2", "--random", "5", "--steps", "2000").url}#step=700`,
  };
});

// All text in the HTML whose contrast with what is behind it is below what WCAG AA asks for.
function faint() {
  const parse = (color) => color.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (!text || element.closest("script, svg, [hidden], :disabled") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element), a = light(parse(style.color)), b = light(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  // Text in the diagram: on the surface, or with an edge in its color.
  const card = light(parse(getComputedStyle(document.querySelector(".stage")).backgroundColor));
  for (const element of document.querySelectorAll("#canvas text, #names text")) {
    const fill = light(parse(getComputedStyle(element).fill));
    const box = element.closest(".box");
    const ground = box ? light(parse(getComputedStyle(box.querySelector("rect")).fill)) : card;
    const ratio = (Math.max(fill, ground) + 0.05) / (Math.min(fill, ground) + 0.05);
    if (ratio < 4.5) found.push(`diagram: ${element.textContent.slice(0, 30)}: ${ratio.toFixed(2)}`);
  }
  return found;
}

// With LONG=1 each width in both.
for (const colorScheme of ["light", "dark"])
  for (const width of process.env.LONG ? [360, 1366, 3840] : colorScheme === "light" ? [360, 1366] : [1366, 3840])
    test(`${width} wide, ${colorScheme}`, async () => {
      const long = (width !== 3840) === (colorScheme === "light"); // much to look at: at each width once
      for (const [name, url] of Object.entries(pages).filter(([which]) => which !== "long" || long)) {
        const page = await open(url, { viewport: { width, height: Math.round(width * 0.5) + 500 }, colorScheme });
        await page.click(".legend summary");
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name}: ${wide} pixels too wide`);
        assert.deepEqual(await page.evaluate(faint), [], name);
        const small = await page.evaluate(() => [...document.querySelectorAll("button, select")].filter((e) => e.checkVisibility() &&
          !e.closest(".tabs") && e.getBoundingClientRect().height < 28).map((e) => e.id));
        assert.deepEqual(small, [], name);
        assert.deepEqual(page.problems, [], name);
        await page.context().close();
      }
    });

test("the source has room: for most lines on a laptop, for 80 columns on a desk; longer ones go on below", async () => {
  for (const [width, columns] of [[1280, 55], [1366, 60], [1920, 80], [3840, 80]]) {
    const page = await open(pages.witness, { viewport: { width, height: Math.round(width * 0.5625) } });
    const found = await page.evaluate(() => {
      const code = document.getElementById("code"), text = code.querySelector(".line .text"), probe = document.createElement("span");
      probe.textContent = "m".repeat(100);
      code.append(probe);
      const wide = probe.getBoundingClientRect().width / 100, style = getComputedStyle(text);
      probe.remove();
      const hanging = parseFloat(style.textIndent), room = text.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      return { columns: Math.floor((room - hanging) / wide), over: code.scrollWidth - code.clientWidth };
    });
    assert.ok(found.columns >= columns, `${width} wide: ${found.columns} columns`);
    assert.ok(found.over <= 0, `${width} wide: ${found.over} pixels are out of sight`);
    await page.context().close();
  }
});

test("a region is told by a word, by a height, and by a pattern", async () => {
  // Between these steps P0 becomes enabled by what P1 does.
  const { url } = traced("regions", "rp-n/printed", "-n", "2", "--random", "3", "--steps", "1000");
  const page = await open(`${url}#step=990`);
  const bands = await page.evaluate(() => {
    const found = {};
    for (const band of document.querySelectorAll("#canvas .band")) found[band.classList[1]] = band.getAttribute("height");
    return found;
  });
  assert.equal(new Set(Object.values(bands)).size, Object.keys(bands).length, JSON.stringify(bands));
  const words = await page.locator("#canvas .word").allTextContents();
  assert.ok(words.includes("critical") && words.includes("trying"), words.join());
  // Each word stands on the band of the region that it names.
  const astray = await page.evaluate(() => [...document.querySelectorAll("#canvas .word")].filter((word) => {
    const box = word.getBBox(), region = word.classList[1];
    return ![...document.querySelectorAll(`#canvas .band.${region}`)].some((band) => {
      const b = band.getBBox();
      return b.x <= box.x && b.x + b.width >= box.x + box.width / 2 && b.y <= box.y + box.height && b.y + b.height >= box.y;
    });
  }).map((word) => word.textContent));
  assert.deepEqual(astray, []);
  const patterns = await page.evaluate(() => [...document.querySelectorAll("pattern path")].map((e) => e.getAttribute("d")));
  assert.equal(new Set(patterns).size, patterns.length);
});

test("everything can be reached and has a name", async () => {
  const page = await open(pages.witness);
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, select, input, [tabindex]")]
    .filter((e) => e.checkVisibility() && !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML));
  assert.deepEqual(nameless, []);
  await page.click("#first");
  const reached = new Set();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id));
  }
  for (const id of ["theme", "scroll", "last", "jump", "number", "less", "code", "forth"]) assert.ok(reached.has(id), `${id} by Tab`);
  // What is read out changes with the step.
  const said = await page.textContent("#sentence[aria-live=polite]");
  await page.focus("#scroll");
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.textContent("#sentence"), said);
});

test("light and dark by hand", async () => {
  const page = await open(pages.witness, { colorScheme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click("#theme");
  assert.equal(await ground(), light);
  await page.click("#theme");
  assert.notEqual(await ground(), light);
  await page.click("#theme");
  assert.equal(await ground(), light);
});

test("larger and smaller", async () => {
  const page = await open(pages.long);
  const size = () => page.evaluate(() => document.getElementById("spacer").offsetWidth);
  const was = await size();
  await page.keyboard.press("+");
  assert.ok(await size() > was);
  await page.click("#less");
  assert.equal(await size(), was);
  assert.equal(await page.locator('#canvas [data-step="700"]').count(), 1);
});
