/**
 * The end of a request's loads. It costs nothing until somebody asks for the signal, and after {@link release} no timer
 * is left behind.
 */
export class Deadline {
  readonly #milliseconds: number;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Aborts now. */
  end(): void {
    this.signal();
    this.#controller?.abort(passed());
  }

  /** Aborts when the time is over; counted from the first time that it is asked for. */
  signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.#timer = setTimeout(
        () => controller.abort(passed()),
        this.#milliseconds,
      );
    }
    return this.#controller.signal;
  }

  /** The request was answered. */
  release(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }
}

function passed(): DOMException {
  return new DOMException("the request's deadline passed", "TimeoutError");
}
