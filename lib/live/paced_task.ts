/** The task and the times of a {@link PacedTask}. */
export interface PacedTaskOptions {
  readonly run: () => void;
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
  /** The end of the rest after the last run. */
  #restedAt = -Infinity;

  constructor(options: PacedTaskOptions) {
    this.#options = options;
  }

  /** Runs the task after the rest. */
  request(): void {
    if (this.#isDue) return;
    const { after, now, isUrgent = false } = this.#options;
    const rest = Math.max(0, this.#restedAt - now());
    this.#isDue = true;
    if (isUrgent && rest === 0) this.#run();
    else after(rest, () => this.#run());
  }

  #run(): void {
    const { run, rest, now } = this.#options;
    this.#isDue = false;
    const started = now();
    run();
    const ended = now();
    this.#restedAt = ended + rest(ended - started);
  }
}
