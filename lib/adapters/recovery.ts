import type { Entropy } from "../ports.ts";
import { pause } from "../pause.ts";

/** The most milliseconds after the first answer in which those that waited begin: not all at the same moment. */
const spread = 500;

/** Ends the pauses of those that got no answer from a server as soon as anybody gets one. It sends nothing itself. */
export class Recovery {
  readonly #entropy: Entropy;
  readonly #waiting = new Set<AbortController>();

  constructor(entropy: Entropy) {
    this.#entropy = entropy;
  }

  /** Says that the server answered. */
  answered(): void {
    for (const each of this.#waiting) each.abort();
    this.#waiting.clear();
  }

  /** Waits for some milliseconds, or until a moment after the server answered: then it returns true. */
  async wait(milliseconds: number, stopped: AbortSignal): Promise<boolean> {
    if (stopped.aborted) return false;
    // Not `AbortSignal.any`: of a signal that lives as long as the process it keeps something for each wait.
    const early = new AbortController(), end = (): void => early.abort();
    stopped.addEventListener("abort", end, { once: true });
    this.#waiting.add(early);
    await pause(milliseconds, early.signal);
    this.#waiting.delete(early);
    stopped.removeEventListener("abort", end);
    return early.signal.aborted && await pause(spread * this.#entropy.next(), stopped);
  }
}
