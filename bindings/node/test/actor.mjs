// An actor of bindings/conformance, by the Node binding.
import readline from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "../berth.mjs";

const pools = new Map();
const grants = new Map();

async function acquire(word, pool, milliseconds) {
  if (word === "try") {
    const grant = pool.tryAcquire();
    if (grant === null) throw Object.assign(new Error("no slot is free"), { code: "EBUSY" });
    return grant;
  }
  if (word === "for") return pool.acquire({ timeout: Number(milliseconds) });
  if (word === "cancel") {
    const controller = new AbortController();
    setTimeout(() => controller.abort(
      Object.assign(new Error("it was aborted"), { code: "ECANCELED" })), Number(milliseconds));
    return pool.acquire({ signal: controller.signal });
  }
  return pool.acquire();
}

async function answer([word, name, key, more]) {
  if (word === "open") return void pools.set(name, new Pool(key, { slots: Number(more) }));
  const pool = pools.get(name);
  switch (word) {
    case "close": return pool.close();
    case "slots": return pool.slots;
    case "resize": return pool.resize(Number(key));
    case "release": return grants.get(key).release();
    case "token": return grants.get(key).token;
    case "drop":
      grants.delete(key);
      for (let i = 0; i < 10; i++) { // the collector is JavaScript's way of noticing
        globalThis.gc();
        await sleep(2);
      }
      return undefined;
    default: {
      const grant = await acquire(word, pool, more);
      grants.set(key, grant);
      return grant.slot;
    }
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  try {
    console.log(`ok ${(await answer(line.split(" "))) ?? ""}`);
  } catch (error) {
    console.log(`error ${error.code} ${error.message}`);
  }
}
