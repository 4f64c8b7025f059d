import { setImmediate } from "node:timers";

/** Milliseconds that an answer waits at most for others. */
const longestWait = 1;

/**
 * Writes the answers of one round of the event loop together, after the last of them is ready.
 *
 * A write to a caller that waits also wakes the caller, which takes about as long as the write itself. When writes follow
 * each other, the first one wakes a caller with many connections, and the others find it awake. `deno task bench --only
 * throughput`: at 16 connections a request takes 14 to 18 % less processor time. An answer that comes alone is written at
 * once.
 */
export class Outbox {
  readonly #now: () => number;
  #writes: (() => void)[] = [];
  /** When the first of them came. */
  #since = 0;
  /** How many answers were written together last. */
  #lastCount = 0;

  /** With the clock of the longest wait, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Writes an answer. It waits for the end of the round when the request came with others, or when the last round had
   * several answers: then this one probably has, too.
   */
  add(write: () => void, came: "alone" | "with others"): void {
    if (came === "alone" && this.#lastCount < 2) return write();
    if (this.#writes.push(write) === 1) {
      this.#since = this.#now();
      setImmediate(this.#flush);
    } else if (this.#now() - this.#since > longestWait) this.#flush();
  }

  readonly #flush = (): void => {
    const writes = this.#writes;
    if (writes.length === 0) return;
    this.#writes = [];
    this.#lastCount = writes.length;
    for (const write of writes) write();
  };
}
