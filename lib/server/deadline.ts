/**
 * The deadline of a request's loads. It starts a timer only when the signal is used; {@link release} stops the timer.
 */
export class Deadline {
  readonly #milliseconds: number;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Aborts the loads now. */
  end(): void {
    this.signal();
    this.#controller?.abort(passed());
  }

  /** The signal that is aborted when the time is over, counted from the first call. */
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

  /** Stops the timer: the request was answered. */
  release(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }
}

function passed(): DOMException {
  return new DOMException("the request's deadline passed", "TimeoutError");
}
