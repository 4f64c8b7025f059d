import { type Clock, elapsedOn } from "../ports.ts";

/** Calls a function once, at the earliest of the times for which it was set since the last call. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = Infinity;
  #isClosed = false;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Calls the function after some milliseconds, unless it will be called before. */
  set(milliseconds: number): void {
    const at = elapsedOn(this.#clock) + milliseconds;
    if (this.#isClosed || at >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => {
      this.#dueAt = Infinity;
      this.#ring();
    }, milliseconds);
  }

  /** Calls the function no more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
