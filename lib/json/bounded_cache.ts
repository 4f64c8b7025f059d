/**
 * The one cache of this project: it keeps values by text, up to a bound. A value that was read since half of
 * the cache last filled up stays. A hit costs one read of a map, because requests read caches all the time.
 *
 * `size` is the most that all values weigh together. `weigh` returns the weight of a value, such as its bytes; when it
 * is absent each value weighs 1, so `size` is their number. A value above half of `size` stays only until the next one
 * comes; one above `size` is not kept.
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
  readonly #size: number;
  readonly #half: number;
  readonly #weigh: (value: V, key: string) => number;
  #recent = new Map<string, V>();
  #recentWeight = 0;
  /** The entries of {@link #recent} before it filled up. They are dropped when it fills up again. */
  #older = new Map<string, V>();

  constructor(size: number, weigh: (value: V, key: string) => number = () => 1) {
    this.#size = size;
    this.#half = Math.ceil(size / 2);
    this.#weigh = weigh;
  }

  /** The value of a text; `undefined` when it is not cached. A value that is read stays longer. */
  get(key: string): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  /** Keeps the value of a text. When all values weigh too much, those that were not read lately are dropped. */
  set(key: string, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value, key);
    if (weight > this.#size) return;
    if (this.#recentWeight + weight > this.#half) {
      const isFull = Math.max(this.#recentWeight, weight) > this.#half;
      this.#older = isFull ? new Map() : this.#recent;
      this.#recent = new Map();
      this.#recentWeight = 0;
    }
    this.#recent.set(key, value);
    this.#recentWeight += weight;
  }

  /** Returns the value of a text: the cached one, or a new one that `make` computes. */
  getOrMake(key: string, make: () => V): V {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** Drops the value of a text. */
  delete(key: string): void {
    const value = this.#recent.get(key);
    if (value !== undefined) this.#recentWeight -= this.#weigh(value, key);
    this.#recent.delete(key);
    this.#older.delete(key);
  }
}
