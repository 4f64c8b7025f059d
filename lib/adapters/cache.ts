import type { Clock } from "../ports.ts";

/** The bounds of a {@link Cache}. */
export interface CacheOptions<T> {
  readonly clock: Clock;
  /** How many milliseconds a value may be used; 0 or less: not kept, only shared by those who wait for it now. */
  readonly ttl: (value: T) => number;
  /** The bytes that a value counts for. */
  readonly sizeOf: (value: T) => number;
  /** Above this sum of sizes the values that were unused for longest are dropped. */
  readonly maxBytes: number;
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
  readonly expires: number;
}

/**
 * Values that are dear to get, bounded in age and in bytes. All callers for a value that is loading wait for the same
 * load. A load that rejects is not kept.
 *
 * ```ts
 * import { Cache } from "./cache.ts";
 * import assert from "node:assert/strict";
 * let now = 0, loads = 0;
 * const cache = new Cache<string>({
 *   clock: { now: () => now }, ttl: () => 10, sizeOf: (text) => text.length, maxBytes: 100,
 * });
 * const load = () => Promise.resolve(`load ${++loads}`);
 * assert.deepEqual(await Promise.all([cache.get("a", load), cache.get("a", load)]), ["load 1", "load 1"]);
 * now = 11;
 * assert.equal(await cache.get("a", load), "load 2");
 * ```
 */
export class Cache<T> {
  readonly #options: CacheOptions<T>;
  /** In the order of last use, which is the order in which entries are dropped. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #loading = new Map<string, Promise<T>>();
  #bytes = 0;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
  }

  /** The bytes that all values and keys count for. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of values. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key: a fresh one, or the result of `load` for all callers meanwhile. */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      this.#drop(key, entry);
      if (entry.expires > this.#options.clock.now()) {
        this.#put(key, entry);
        return Promise.resolve(entry.value);
      }
    }
    const loading = this.#loading.get(key);
    if (loading !== undefined) return loading;
    const started = load().then(
      (value) => {
        // A key that was forgotten meanwhile must not come back with what was read before.
        if (this.#loading.get(key) === started) this.#keep(key, value);
        return value;
      },
    ).finally(() => {
      if (this.#loading.get(key) === started) this.#loading.delete(key);
    });
    this.#loading.set(key, started);
    return started;
  }

  /** Drops a value; a load of it under way still answers those who wait, and is not kept. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#drop(key, entry);
    this.#loading.delete(key);
  }

  #keep(key: string, value: T): void {
    const ttl = this.#options.ttl(value);
    if (!(ttl > 0)) return;
    const bytes = this.#options.sizeOf(value) + key.length;
    if (bytes > this.#options.maxBytes) return;
    this.#put(key, { value, bytes, expires: this.#options.clock.now() + ttl });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#options.maxBytes) break;
      this.#drop(oldest, entry);
    }
  }

  #put(key: string, entry: Entry<T>): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #drop(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
