// The Node binding, against the real library.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BerthError, Pool } from "../berth.mjs";

function store(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "berth-node-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("a slot is taken, used and given back", async (t) => {
  const pool = new Pool("p", { slots: 1, store: store(t) });
  assert.equal(await pool.use((grant) => grant.slot), 0);
  const grant = pool.tryAcquire();
  assert.equal(pool.tryAcquire(), null);
  grant.release();
  assert.throws(() => grant.release(), { code: "EPERM" });
  pool.close();
  assert.throws(() => pool.tryAcquire(), { code: "EBADF" });
});

test("errors have a code and a sentence", (t) => {
  assert.throws(() => new Pool("a/b", { store: store(t) }),
    (error) => error instanceof BerthError && error.code === "EINVAL" && /a\/b/.test(error.message));
  assert.throws(() => new Pool("p", { slots: -1 }), RangeError);
  assert.throws(() => new Pool(7), TypeError);
  assert.throws(() => new Pool("a\0b", { slots: 1 }), TypeError);
});

test("the event loop goes on while many wait, and all are served", async (t) => {
  const pool = new Pool("p", { slots: 1, store: store(t) });
  const held = await pool.acquire();
  const order = [];
  const waits = [];
  for (let i = 0; i < 12; i++) {
    waits.push(pool.use(() => order.push(i)));
    await sleep(20);
  }
  assert.deepEqual(order, []);
  assert.throws(() => pool.close(), { code: "EBUSY" });
  held.release();
  await Promise.all(waits);
  assert.deepEqual(order.sort((a, b) => a - b), [...Array(12).keys()]);
  pool.close();
});

test("an AbortSignal ends a wait, and leaves no place behind", async (t) => {
  const pool = new Pool("p", { slots: 1, store: store(t) });
  const held = await pool.acquire();
  for (const after of [0, 1, 5, 50]) {
    await assert.rejects(pool.acquire({ signal: AbortSignal.timeout(after) }), { name: "TimeoutError" });
  }
  await assert.rejects(pool.acquire({ timeout: 20 }), { code: "ETIMEDOUT" });
  held.release();
  (await pool.acquire({ timeout: 1000 })).release();
  pool.close();
});

test("the slot of a killed process comes back", async (t) => {
  const folder = store(t);
  const code = `import { Pool } from ${JSON.stringify(new URL("../berth.mjs", import.meta.url).href)};
    globalThis.held = await new Pool("p", { slots: 1, store: ${JSON.stringify(folder)} }).acquire();
    console.log("held"); setInterval(() => held, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const pool = new Pool("p", { slots: 1, store: folder });
  assert.equal(pool.tryAcquire(), null);
  const wait = pool.acquire({ timeout: 10000 });
  child.kill("SIGKILL");
  (await wait).release();
  pool.close();
});
