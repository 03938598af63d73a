/// <reference lib="esnext.disposable" />
export class BerthError extends Error {
  readonly errno: number;
  readonly code: string;
}
export interface Options {
  slots?: number;
  seats?: number;
  mode?: number;
  existing?: boolean;
  store?: string | null;
  command?: string | null;
}
export interface Waiting {
  /** Milliseconds. */
  timeout?: number;
  signal?: AbortSignal;
}
export class Grant {
  readonly slot: number;
  readonly token: bigint;
  readonly held: boolean;
  release(): void;
  /** `using grant = await pool.acquire()` releases it at the end of the block. */
  [Symbol.dispose](): void;
}
export class Pool {
  constructor(name: string, options?: Options);
  readonly name: string;
  readonly slots: number;
  tryAcquire(): Grant | null;
  acquire(waiting?: Waiting): Promise<Grant>;
  use<T>(body: (grant: Grant) => T | Promise<T>, waiting?: Waiting): Promise<T>;
  resize(slots: number): void;
  close(): void;
}
