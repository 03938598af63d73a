// A thread that waits for slots, one after the other, so that the event loop need not.
import os from "node:os";
import { parentPort } from "node:worker_threads";
import * as library from "./library.mjs";

const { ENOTSUP } = os.constants.errno;

// The deadline is a time of CLOCK_MONOTONIC, as process.hrtime is.
function deadlineAfter(milliseconds) {
  if (milliseconds === undefined) return null;
  const end = process.hrtime.bigint() + BigInt(Math.round(milliseconds * 1e6));
  return { tv_sec: end / 1000000000n, tv_nsec: end % 1000000000n };
}

parentPort.on("message", ({ pool, timeout, stop }) => {
  const grant = {};
  let error = library.acquireUnless(pool, grant, deadlineAfter(timeout), new Int32Array(stop));
  if (error === ENOTSUP) { // a pool in etcd: the wait cannot be stopped
    error = timeout === undefined
      ? library.acquire(pool, grant)
      : library.acquireFor(pool, grant,
        { tv_sec: Math.floor(timeout / 1000), tv_nsec: Math.round((timeout % 1000) * 1e6) });
  }
  parentPort.postMessage({ error, grant, reason: error === 0 ? "" : library.reason() });
});
