/**
 * Runs at most `most` tasks at a time. Further tasks wait and start in the order in which they came. `CallTurns` also
 * divides the turns between servers.
 *
 * ```ts
 * import { TaskTurns } from "./task_turns.ts";
 * import assert from "node:assert/strict";
 * const turns = new TaskTurns(1), order: string[] = [];
 * const task = (name: string) => async () => {
 *   order.push(`${name} begins`);
 *   await Promise.resolve();
 *   order.push(`${name} ends`);
 * };
 * await Promise.all([turns.run(task("a")), turns.run(task("b"))]);
 * assert.deepEqual(order, ["a begins", "a ends", "b begins", "b ends"]);
 * ```
 */
export class TaskTurns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs a task as soon as fewer than `most` tasks run. Returns the task's value or throws its exception. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      // The first waiting task replaces this one without a gap, so that no later task overtakes it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
