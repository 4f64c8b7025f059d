/** The most reviews that wait in the lane, the one under way with them. */
const mostWaiting = 4;

/** The longest rest after a review, in milliseconds. */
const longestRest = 2_000;

/**
 * Does work that holds the event loop for long: one piece at a time, with a rest after each that is as long as it took.
 * Whoever may write policies can have as many reviewed as he likes, with dry runs too, and others wait meanwhile.
 */
export class SlowLane {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Does the work when its turn comes; `undefined` when too much waits already. */
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
