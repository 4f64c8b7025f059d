import { pause } from "../pause.ts";

/** Milliseconds after which a request has waited long. */
const longWait = 250;

/** The source of the waits, and the listener. */
export interface LongWaitsOptions {
  /** The milliseconds for which the oldest request has waited; `undefined` when none waits. */
  readonly longestWait: () => number | undefined;
  /** Called when a request has waited for a quarter of a second, and again each quarter while one has. */
  readonly reported: () => void;
  /** Ends the waits for the next look. */
  readonly signal: AbortSignal;
}

/** Reports requests that wait long for their effects: they would be lost with this process. */
export class LongWaits {
  readonly #options: LongWaitsOptions;
  #isWatching = false;

  constructor(options: LongWaitsOptions) {
    this.#options = options;
  }

  /** Looks every quarter of a second, until no request waits. Call it with each request that begins to wait. */
  watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { longestWait, reported, signal } = this.#options;
    void pause(longWait, signal).then((isDue) => {
      this.#isWatching = false;
      const waited = longestWait();
      if (!isDue || waited === undefined) return;
      if (waited >= longWait) reported();
      this.watch();
    });
  }
}
