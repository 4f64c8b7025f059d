/**
 * Values that were made of texts, of which only so many are kept. A value that was read since the last half of the cache
 * filled up stays; a hit costs one look into a map, so that caches stand in the way of requests.
 *
 * ```ts
 * import { BoundedCache } from "./bounded_cache.ts";
 * import assert from "node:assert/strict";
 * let made = 0;
 * const cache = new BoundedCache<number>(4);
 * const length = (text: string) => cache.getOrMake(text, () => (made++, text.length));
 * assert.deepEqual(["a", "bb", "a", "ccc", "a", "dddd"].map(length), [1, 2, 1, 3, 1, 4]);
 * assert.equal(made, 4);
 * assert.deepEqual(["a", "bb"].map((text) => cache.get(text)), [1, undefined]);
 * ```
 */
export class BoundedCache<V> {
  readonly #half: number;
  #recent = new Map<string, V>();
  /** The entries of {@link #recent} before it filled up. They are dropped when it fills up again. */
  #older = new Map<string, V>();

  /** @param size The most values that it keeps. */
  constructor(size: number) {
    this.#half = Math.ceil(size / 2);
  }

  get(key: string): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: V): void {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  /** The value of a text: the one that was made before, or a new one. */
  getOrMake(key: string, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }

  delete(key: string): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }
}
