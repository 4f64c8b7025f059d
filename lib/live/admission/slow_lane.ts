/** The most reviews in the lane, with the running one. */
const mostWaiting = 4;

/** The longest rest after a review, in milliseconds. */
const longestRest = 2_000;

/**
 * Runs work that blocks the event loop for long: one task at a time, with a rest after each that is as long as the
 * task. Every author of policies can send any number of large policies, also as dry runs; other requests run during the
 * rests.
 */
export class SlowLane {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Runs a task after the tasks before it; `undefined` when the lane is full. */
  run<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.#waiting >= mostWaiting) return undefined;
    this.#waiting++;
    let started = 0;
    const result = this.#last.then(() => {
      started = performance.now();
      return work();
    });
    const rest = (): Promise<void> => {
      this.#waiting--;
      const took = Math.min(performance.now() - started, longestRest);
      return new Promise((resolve) => setTimeout(resolve, took));
    };
    this.#last = result.then(rest, rest);
    return result;
  }
}
