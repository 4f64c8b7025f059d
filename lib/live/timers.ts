/** Runs tasks later. After {@link Timers.close} no task runs. */
export class Timers {
  readonly #running = new Set<ReturnType<typeof setTimeout>>();
  #closed = false;

  /** Runs a task after some milliseconds. */
  after(milliseconds: number, task: () => void): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      task();
    }, milliseconds);
    this.#running.add(timer);
  }

  /** Drops all tasks that have not run. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#running) clearTimeout(timer);
  }
}
