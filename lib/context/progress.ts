import type { Json } from "../json/mod.ts";

/**
 * How far the loops of a rule have come, and the random numbers that it drew. A rule that pauses or waits for a value
 * is evaluated again from its beginning; its loops continue where they stopped. Each evaluation enters the loops in
 * the same order, so that order identifies a loop.
 */
export class Progress {
  /** Whether the rule's steps were used up: it has no result then, even if a part of it took the fault for a value. */
  isExhausted = false;
  readonly #loops: LoopProgress<unknown>[] = [];
  readonly #numbers: number[] = [];
  #next = 0;
  #drawn = 0;

  /** Notes that the rule is evaluated again. */
  restart(): void {
    this.#next = 0;
    this.#drawn = 0;
  }

  /** Whether an earlier evaluation entered the next loop. */
  get isResuming(): boolean {
    return this.#next < this.#loops.length;
  }

  /** Returns the next loop; a new one starts with the given state. */
  loop<T>(begin: () => T): LoopProgress<T> {
    const index = this.#next++;
    const loop = this.#loops[index] ??= new LoopProgress<unknown>(begin(), () => this.#drawn);
    this.#drawn = Math.max(this.#drawn, loop.drawn);
    return loop as LoopProgress<T>;
  }

  /** Returns the random number that an earlier evaluation drew here: with another the rule might never end. */
  draw(next: () => number): number {
    return this.#numbers[this.#drawn++] ??= next();
  }
}

/** The progress of one loop. */
export class LoopProgress<T> {
  /** The elements, once all are loaded: to make the list again may take longer than the rest of them. */
  elements: readonly Json[] | undefined;
  /** The number of finished elements. */
  done = 0;
  /** The result of the elements that are done. */
  state: T;
  /** The random numbers that were drawn before the next element. */
  drawn = 0;
  #inner: Progress | undefined;
  readonly #drawnSoFar: () => number;

  constructor(state: T, drawnSoFar: () => number = () => 0) {
    this.state = state;
    this.#drawnSoFar = drawnSoFar;
  }

  /** The progress of the loops inside the next element. */
  get inner(): Progress {
    return this.#inner ??= new Progress();
  }

  /** Notes that all elements before this one are finished, with their result. */
  advanceTo(element: number, state: T): void {
    this.done = element;
    this.state = state;
    this.drawn = this.#drawnSoFar();
    this.#inner = undefined;
  }
}
