import { setImmediate } from "node:timers";

/** The longest time, in milliseconds, that an answer waits for other answers. */
const longestWait = 1;

/**
 * Collects the answers of one round of the event loop and writes them together at its end.
 *
 * A write also wakes the caller that waits for it, and waking takes about as long as the write itself. When writes
 * follow each other, the first one wakes a caller with many connections, and the caller is awake for the others.
 * `deno task bench --only throughput` shows that a request takes 14 to 18 % less processor time at 16 connections.
 * The outbox writes a single answer at once.
 */
export class Outbox {
  readonly #now: () => number;
  #writes: (() => void)[] = [];
  /** When the outbox received the first of these writes. */
  #since = 0;
  /** How many answers the last flush wrote. */
  #lastCount = 0;

  /** `now` is the clock that measures the longest wait, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Writes an answer. The outbox delays it to the end of the round when the request came with others, or when the last
   * round had several answers, because this round then probably has several, too.
   */
  add(write: () => void, came: "alone" | "with others"): void {
    if (came === "alone" && this.#lastCount < 2) return write();
    if (this.#writes.push(write) === 1) {
      this.#since = this.#now();
      setImmediate(this.flush);
    } else if (this.#now() - this.#since > longestWait) this.flush();
  }

  /** Writes the answers that wait. */
  readonly flush = (): void => {
    const writes = this.#writes;
    if (writes.length === 0) return;
    this.#writes = [];
    this.#lastCount = writes.length;
    for (const write of writes) write();
  };
}
