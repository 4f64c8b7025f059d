/**
 * How far the loops of a rule have come. A rule that pauses, or waits for a value, is evaluated again from its beginning;
 * its loops go on where they stopped. Evaluation takes the same way each time, so a loop is known by its turn: the first
 * that is entered, the second, and so on.
 */
export class Progress {
  readonly #loops: LoopProgress<unknown>[] = [];
  #turn = 0;

  /** The rule is evaluated again. */
  restart(): void {
    this.#turn = 0;
  }

  /** The loop whose turn it is; a new one starts with what is given. */
  loop<T>(begin: () => T): LoopProgress<T> {
    const turn = this.#turn++;
    return (this.#loops[turn] ??= new LoopProgress<unknown>(begin())) as LoopProgress<T>;
  }
}

/** How far one loop has come. */
export class LoopProgress<T> {
  /** Elements that are done. */
  done = 0;
  /** What the elements that are done have led to. */
  state: T;
  #inner: Progress | undefined;

  constructor(state: T) {
    this.state = state;
  }

  /** The loops inside the element that is next. */
  get inner(): Progress {
    return this.#inner ??= new Progress();
  }

  /** All elements before this one are done, and this is what they have led to. */
  advanceTo(element: number, state: T): void {
    this.done = element;
    this.state = state;
    this.#inner = undefined;
  }
}
