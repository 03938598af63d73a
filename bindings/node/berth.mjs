// Slots of a named resource, in arrival order, among processes that may be killed at any instant.
//
//     import { Pool } from "berth";
//     const pool = new Pool("gpu", { slots: 4 });
//     await pool.use(async (grant) => train(grant.slot), { timeout: 30000 });
//
// A slot whose process is killed comes back by itself; nobody overtakes. Waiting never blocks the event
// loop: each wait has a thread, and its place in the line from when that thread has begun to wait.
import os from "node:os";
import { Worker } from "node:worker_threads";
import * as library from "./library.mjs";

const { errno } = os.constants;
const codes = new Map(Object.entries(errno).map(([code, number]) => [number, code]));

/** A call of libberth that failed: `code` is EBUSY and so on, `message` the library's sentence. */
export class BerthError extends Error {
  constructor(number, reason) {
    super(reason || codes.get(number));
    this.name = "BerthError";
    this.errno = number;
    this.code = codes.get(number);
  }
}

function check(number) {
  if (number !== 0) throw new BerthError(number, library.reason());
}

// ---- threads that wait ----

const idle = [];

function takeWaiter() {
  const waiter = idle.pop() ?? new Worker(new URL("./waiter.mjs", import.meta.url));
  waiter.ref();
  return waiter;
}

function putWaiter(waiter) {
  waiter.unref();
  idle.push(waiter);
}

function wait(pool, timeout, signal) {
  return new Promise((resolve, reject) => {
    const waiter = takeWaiter();
    const stop = new Int32Array(new SharedArrayBuffer(4));
    let timer;
    const abort = () => {
      Atomics.store(stop, 0, 1);
      timer ??= setInterval(() => library.interrupt(pool.handle), 1);
    };
    signal?.addEventListener("abort", abort, { once: true });
    const end = () => {
      clearInterval(timer);
      signal?.removeEventListener("abort", abort);
      waiter.removeAllListeners("message");
      waiter.removeAllListeners("error");
    };
    waiter.once("message", ({ error, grant, reason }) => {
      end();
      putWaiter(waiter);
      if (error === 0 && signal?.aborted) { // it got the slot, and nobody wants it any more
        library.release(pool.handle, grant);
        error = errno.ECANCELED;
      }
      if (error === 0) resolve(grant);
      else if (error === errno.ECANCELED) reject(signal.reason);
      else reject(new BerthError(error, reason));
    });
    waiter.once("error", (error) => {
      end();
      reject(error);
    });
    waiter.postMessage({ pool: pool.handle, timeout, stop: stop.buffer });
  });
}

// ---- what is for users ----

const dropped = new FinalizationRegistry(({ pool, raw }) => {
  if (pool.handle !== null) library.release(pool.handle, raw);
});

/** A slot that is held: release it, or let `using` or Pool.use do it. */
export class Grant {
  #pool;
  #raw;

  constructor(pool, raw) {
    this.#pool = pool;
    this.#raw = raw;
    dropped.register(this, { pool, raw }, this);
  }

  /** The number of the slot, from 0. */
  get slot() { return this.#raw.slot; }

  /** Grows from grant to grant: a fencing token for the protected resource. A BigInt. */
  get token() { return BigInt(this.#raw.token); }

  /** Whether it has not been released. */
  get held() { return this.#pool !== null; }

  /** Gives the slot back, to the next in line. */
  release() {
    const pool = this.#pool;
    if (pool === null) throw new BerthError(errno.EPERM, "the slot was given back already");
    this.#pool = null;
    dropped.unregister(this);
    check(library.release(pool.open(), this.#raw));
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    if (this.held) this.release();
  }
}

/** A handle on a pool, made if it does not exist. */
export class Pool {
  #state;

  constructor(name, { slots = 0, seats = 0, mode = 0, existing = false, store = null,
    command = null } = {}) {
    if (typeof name !== "string") throw new TypeError("the name of a pool is a string");
    for (const value of [name, store, command]) {
      if (value?.includes("\0")) throw new TypeError("a null character in a name");
    }
    for (const [what, value] of Object.entries({ slots, seats, mode })) {
      if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
        throw new RangeError(`${what} is a whole number from 0 up`);
      }
    }
    const handle = [0];
    check(library.open(handle, name, {
      size: library.optionsSize, slots, seats, mode, flags: existing ? 1 : 0, store, command,
      reserved: [null, null, null],
    }));
    this.name = name;
    this.#state = {
      handle: BigInt(handle[0]),
      waits: 0,
      open() {
        if (this.handle === null) throw new BerthError(errno.EBADF, "the pool is closed");
        return this.handle;
      },
    };
  }

  /** A slot that is free and for which nobody waits; or null. */
  tryAcquire() {
    const raw = {};
    const error = library.tryAcquire(this.#state.open(), raw);
    if (error === errno.EBUSY) return null;
    check(error);
    return new Grant(this.#state, raw);
  }

  /** Waits in arrival order, at most `timeout` milliseconds, or until the AbortSignal `signal`. */
  async acquire({ timeout, signal } = {}) {
    signal?.throwIfAborted();
    if (timeout !== undefined && !(timeout >= 0)) throw new RangeError("the timeout is negative");
    const grant = this.tryAcquire();
    if (grant !== null) return grant;
    this.#state.waits += 1;
    try {
      return new Grant(this.#state, await wait(this.#state, timeout, signal));
    } finally {
      this.#state.waits -= 1;
    }
  }

  /** Runs `body` with a slot, and gives the slot back whatever comes of it. */
  async use(body, options) {
    const grant = await this.acquire(options);
    try {
      return await body(grant);
    } finally {
      if (grant.held) grant.release();
    }
  }

  /** How many slots the pool has now. */
  get slots() { return library.slots(this.#state.open()); }

  /** Changes the number of slots: more at once, fewer as they come free. */
  resize(slots) {
    if (!Number.isInteger(slots) || slots < 0) throw new RangeError("slots is a whole number");
    check(library.resize(this.#state.open(), slots));
  }

  /** Gives back all slots of the handle. Not while an acquire is under way. */
  close() {
    const handle = this.#state.open();
    if (this.#state.waits > 0) throw new BerthError(errno.EBUSY, "an acquire is under way");
    this.#state.handle = null;
    check(library.close(handle));
  }
}
