import type { Json } from "../json/mod.ts";

/**
 * How far the loops of a rule have come, and the random numbers that it drew. A rule that pauses, or waits for a value, is evaluated again from its beginning;
 * its loops go on where they stopped. Evaluation takes the same way each time, so a loop is known by its turn: the first
 * that is entered, the second, and so on.
 */
export class Progress {
  readonly #loops: LoopProgress<unknown>[] = [];
  readonly #numbers: number[] = [];
  #turn = 0;
  #drawn = 0;

  /** The rule is evaluated again. */
  restart(): void {
    this.#turn = 0;
    this.#drawn = 0;
  }

  /** Whether the loop whose turn it is was entered before. */
  get isResuming(): boolean {
    return this.#turn < this.#loops.length;
  }

  /** The loop whose turn it is; a new one starts with what is given. */
  loop<T>(begin: () => T): LoopProgress<T> {
    const turn = this.#turn++;
    const loop = this.#loops[turn] ??= new LoopProgress<unknown>(begin(), () => this.#drawn);
    this.#drawn = Math.max(this.#drawn, loop.drawn);
    return loop as LoopProgress<T>;
  }

  /**
   * A random number: the one that was drawn at this point when the rule was evaluated before. With another one the
   * rule would load other values each time, and wait for ever.
   */
  draw(next: () => number): number {
    return this.#numbers[this.#drawn++] ??= next();
  }
}

/** How far one loop has come. */
export class LoopProgress<T> {
  /** The list, once all that it is made of is there: to make it again may take longer than what is left to do. */
  elements: readonly Json[] | undefined;
  /** Elements that are done. */
  done = 0;
  /** The result of the elements that are done. */
  state: T;
  /** Random numbers that were drawn before the element that is next. */
  drawn = 0;
  #inner: Progress | undefined;
  readonly #drawnSoFar: () => number;

  constructor(state: T, drawnSoFar: () => number = () => 0) {
    this.state = state;
    this.#drawnSoFar = drawnSoFar;
  }

  /** The loops inside the element that is next. */
  get inner(): Progress {
    return this.#inner ??= new Progress();
  }

  /** All elements before this one are done, and this is what they have led to. */
  advanceTo(element: number, state: T): void {
    this.done = element;
    this.state = state;
    this.drawn = this.#drawnSoFar();
    this.#inner = undefined;
  }
}
