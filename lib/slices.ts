import { completed, type Stages } from "./json/mod.ts";
import type { Scheduler } from "./ports.ts";

/**
 * Divides long work into slices, between which the process handles requests. After each step the work checks whether
 * its slice is used up. Without a scheduler it never is.
 */
export class Slices {
  readonly #scheduler: Scheduler | undefined;
  #began = performance.now();

  /** Begins the first slice. */
  constructor(scheduler: Scheduler | undefined) {
    this.#scheduler = scheduler;
  }

  /** Whether the current slice is used up. */
  get isUsedUp(): boolean {
    return performance.now() - this.#began >= (this.#scheduler?.sliceMilliseconds ?? Infinity);
  }

  /** Pauses, so that the process handles requests, and begins the next slice. */
  async next(): Promise<void> {
    await this.#scheduler?.pause();
    this.#began = performance.now();
  }
}

/**
 * Does work in stages, and pauses between two stages when a slice of the scheduler is used up. Without a scheduler it
 * does all at once.
 */
export async function inSlices<T>(stages: Stages<T>, scheduler: Scheduler | undefined): Promise<T> {
  if (scheduler === undefined) return completed(stages);
  const slices = new Slices(scheduler);
  for (;;) {
    const stage = stages.next();
    if (stage.done === true) return stage.value;
    if (slices.isUsedUp) await slices.next();
  }
}
