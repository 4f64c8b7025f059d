import { type Clock, elapsedOn } from "../ports.ts";

/** The API server's clock, as its answers show it: creation times of objects are its times. */
export class ApiServerClock {
  readonly #clock: Clock;
  /** Milliseconds by which the API server's clock is ahead of this replica's. */
  #offset = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#clock.now() + this.#offset;
  }

  /** The API server's time at a moment of `elapsedOn`. */
  at(moment: number): number {
    return this.now() - (elapsedOn(this.#clock) - moment);
  }

  /**
   * Compares the clocks by the date of an answer: it was made after the call began, before now, and within a second
   * after its date.
   *
   * @param started When the call began, by this replica's clock, in milliseconds since 1970.
   */
  compare(date: number, started: number): void {
    const least = date - this.#clock.now(), most = date + 1_000 - started;
    this.#offset = Math.min(most, Math.max(least, this.#offset));
  }
}
