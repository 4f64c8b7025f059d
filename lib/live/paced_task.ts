/** The task and the times of a {@link PacedTask}. */
export interface PacedTaskOptions {
  /** Begins a run, which ends when the promise is fulfilled. */
  readonly run: () => void | Promise<void>;
  /** Milliseconds between the end of a run and the begin of the next, from the milliseconds that the run took. */
  readonly rest: (took: number) => number;
  /** Runs a task after some milliseconds. */
  readonly after: (milliseconds: number, task: () => void) => void;
  /** Milliseconds from any time on. */
  readonly now: () => number;
  /** Runs within the request that comes after the rest, instead of collecting those that follow at once. */
  readonly isUrgent?: boolean;
}

/**
 * Runs a task soon after it is requested, once for all requests until then, and rests between two runs. Requests that
 * never end do not put a run off: the first of them decides when it is due.
 */
export class PacedTask {
  readonly #options: PacedTaskOptions;
  #isDue = false;
  #isRunning = false;
  /** The end of the rest after the last run. */
  #restedAt = -Infinity;

  constructor(options: PacedTaskOptions) {
    this.#options = options;
  }

  /** Runs the task after the rest. */
  request(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    if (!this.#isRunning) this.#schedule();
  }

  #schedule(): void {
    const { after, now, isUrgent = false } = this.#options;
    const rest = Math.max(0, this.#restedAt - now());
    if (isUrgent && rest === 0) this.#run();
    else after(rest, () => this.#run());
  }

  #run(): void {
    this.#isDue = false;
    this.#isRunning = true;
    const started = this.#options.now(), running = this.#options.run();
    if (running === undefined) this.#ended(started);
    else void running.then(() => this.#ended(started));
  }

  #ended(started: number): void {
    const { rest, now } = this.#options, ended = now();
    this.#restedAt = ended + rest(ended - started);
    this.#isRunning = false;
    if (this.#isDue) this.#schedule();
  }
}
