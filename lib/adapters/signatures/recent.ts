/**
 * The last values that were made of texts, so that what many questions have in common is parsed once.
 *
 * ```ts
 * import { Recent } from "./recent.ts";
 * import assert from "node:assert/strict";
 * let made = 0;
 * const recent = new Recent<number>(2);
 * const length = (text: string) => recent.get(text, () => (made++, text.length));
 * assert.deepEqual(["a", "bb", "a", "ccc", "bb"].map(length), [1, 2, 1, 3, 2]);
 * assert.equal(made, 4);
 * ```
 */
export class Recent<T> {
  readonly #most: number;
  /** In the order of last use. */
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The value of a text: the one that was made before, or a new one. */
  get(text: string, make: () => T): T {
    const known = this.#values.get(text);
    const value = known ?? make();
    this.#values.delete(text);
    this.#values.set(text, value);
    if (this.#values.size > this.#most) {
      const [oldest] = this.#values.keys();
      if (oldest !== undefined) this.#values.delete(oldest);
    }
    return value;
  }
}
