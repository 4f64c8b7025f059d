/**
 * Bounds how many loads of one request are under way; further ones begin in their order. Whoever creates a Pod names
 * its images, and a policy that verifies them would call thousands of registries at once.
 *
 * ```ts
 * import { LoadTurns } from "./load_turns.ts";
 * import assert from "node:assert/strict";
 * const turns = new LoadTurns(1), order: string[] = [];
 * const load = (name: string) => async () => {
 *   order.push(`${name} begins`);
 *   await Promise.resolve();
 *   order.push(`${name} ends`);
 * };
 * await Promise.all([turns.begin(load("a")), turns.begin(load("b"))]);
 * assert.deepEqual(order, ["a begins", "a ends", "b begins", "b ends"]);
 * assert.equal(turns.begin(() => "in memory"), "in memory");
 * ```
 */
export class LoadTurns {
  readonly #most: number;
  #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Begins a load at its turn. A value that is there at once is returned at once, unless others wait. */
  begin<T>(load: () => Promise<T> | T): Promise<T> | T {
    if (this.#underWay >= this.#most) {
      const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
      return this.#ended(turn.then(load));
    }
    const loaded = load();
    if (!(loaded instanceof Promise)) return loaded;
    this.#underWay++;
    return this.#ended(loaded);
  }

  /** Drops the loads that have not begun: their promises stay open. */
  clear(): void {
    this.#waiting = [];
  }

  async #ended<T>(loaded: Promise<T>): Promise<T> {
    try {
      return await loaded;
    } finally {
      // The first that waits begins in its place, so that no later one overtakes it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay--;
      else next();
    }
  }
}
