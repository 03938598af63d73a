// What the tests of the pages share: the command, a browser, and what the checker says of a run.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

const BERTH = process.env.BERTH;
export const folder = mkdtempSync(path.join(tmpdir(), "berth-page-"));

export function berth(...words) {
  try {
    return execFileSync(BERTH, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if (error.status === 1) return error.stdout; // a claim was refuted: that is why we look at it
    throw error;
  }
}

// A run as a page, and as the JSON of the same run.
export function traced(name, ...words) {
  const file = path.join(folder, name);
  berth("trace", ...words, `${file}.html`);
  berth("trace", ...words, `${file}.json`);
  return { url: `file://${file}.html`, file: `${file}.html`, json: JSON.parse(readFileSync(`${file}.json`, "utf8")) };
}

export function checked(name, ...words) {
  const file = path.join(folder, name);
  berth("check", ...words, "--threads", "1", "--witness", `${file}.html`);
  berth("check", ...words, "--threads", "1", "--witness", `${file}.json`);
  return { url: `file://${file}.html`, file: `${file}.html`, json: JSON.parse(readFileSync(`${file}.json`, "utf8")) };
}

// The states that the steps of a run lead through, from its JSON: variables and regions.
export function replay(run, n) {
  const states = [{ cells: { ...run.initial }, regions: Array(n).fill("remainder") }];
  for (const step of run.steps) {
    const last = states.at(-1);
    const next = { cells: { ...last.cells, ...step.changes }, regions: last.regions.slice() };
    next.regions[step.process] = step.region;
    states.push(next);
  }
  return states;
}

let browser, plain;
async function newPage(options) {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: process.getuid() === 0 ? ["--no-sandbox"] : [], // Chromium refuses to have root in one
  });
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") page.problems.push(message.text()); });
  page.on("request", (request) => { if (request.url() !== "about:blank") page.asked.push(request.url()); });
  return page;
}

// One page at a time. Without options it is always the same one, which keeps nothing from one address to the next: a
// browser spends five times as much on a new one.
export async function open(url, options) {
  const page = options ? await newPage(options) : plain ??= await newPage({});
  page.problems = [];
  page.asked = [];
  await page.unrouteAll();
  await page.emulateMedia({ media: null });
  await page.goto("about:blank");
  await page.goto(url);
  return page;
}

export async function done() {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}

// What is on the page now.
export async function shown(page) {
  return page.evaluate(() => {
    const text = (id) => document.getElementById(id).textContent;
    const rows = (id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => [...row.children].map((cell) => cell.textContent));
    return {
      step: Number(document.getElementById("number").value),
      length: Number(text("length")),
      headline: text("headline"), sentence: text("sentence"), why: [...document.querySelectorAll("#why li")].map((e) => e.textContent),
      cells: Object.fromEntries(rows("cells").map((row) => [row[0], row[1]])),
      regions: rows("processes").map((row) => row[1].split(" ").at(-1)),
      broken: [...document.querySelectorAll("#checks .fails strong")].map((e) => e.textContent),
      done: document.querySelector(".line.done .text")?.textContent ?? "",
      marks: [...document.querySelectorAll("#code .who")].map((e) => e.textContent).sort(),
      hash: location.hash,
    };
  });
}

// Waits until a function is true on the page. (Playwright's own way needs eval, which the page forbids.)
export async function becomes(page, condition, argument) {
  for (const end = Date.now() + 60000; Date.now() < end;) {
    if (await page.evaluate(condition, argument)) return;
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
  throw new Error(`it never becomes so: ${condition}`);
}

export function explorer(...words) {
  const child = spawn(BERTH, ["explore", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.stdout.once("data", (text) => resolve({ url: String(text).trim(), end: () => child.kill() }));
  });
}
