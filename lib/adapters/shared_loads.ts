import { BoundedCache } from "../json/mod.ts";
import { type Clock, isYounger } from "../ports.ts";

/** The bounds of {@link SharedLoads}. */
export interface SharedLoadsOptions<T> {
  readonly clock: Clock;
  /** Milliseconds for which a value is cached; with 0 or less, only the callers that wait for it now share it. */
  readonly ttl: (value: T) => number;
  /** The size of a value in bytes. */
  readonly sizeOf: (value: T) => number;
  /** The most bytes of all cached values and keys. */
  readonly maxBytes: number;
}

interface Entry<T> {
  readonly value: T;
  /** When it was loaded, in milliseconds since 1970. */
  readonly at: number;
  readonly ttl: number;
}

/**
 * Loads a value once for all callers that need it at the same time, and caches it for a while in a
 * {@link BoundedCache}. It does not cache a load that rejects.
 *
 * ```ts
 * import { SharedLoads } from "./shared_loads.ts";
 * import assert from "node:assert/strict";
 * let now = 0, count = 0;
 * const loads = new SharedLoads<string>({
 *   clock: { now: () => now }, ttl: () => 10, sizeOf: (text) => text.length, maxBytes: 100,
 * });
 * const load = () => Promise.resolve(`load ${++count}`);
 * assert.deepEqual(await Promise.all([loads.get("a", load), loads.get("a", load)]), ["load 1", "load 1"]);
 * now = 11;
 * assert.equal(await loads.get("a", load), "load 2");
 * ```
 */
export class SharedLoads<T> {
  readonly #options: SharedLoadsOptions<T>;
  readonly #kept: BoundedCache<Entry<T>>;
  readonly #loading = new Map<string, Promise<T>>();

  constructor(options: SharedLoadsOptions<T>) {
    const { maxBytes, sizeOf } = options;
    this.#options = options;
    this.#kept = new BoundedCache(maxBytes, ({ value }, key) => sizeOf(value) + key.length);
  }

  /** Returns the cached value of a key if it is fresh, otherwise the result of `load`, which all callers share. */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const entry = this.#kept.get(key);
    if (entry !== undefined) {
      if (isYounger(this.#options.clock, entry.at, entry.ttl)) return Promise.resolve(entry.value);
      this.#kept.delete(key);
    }
    const loading = this.#loading.get(key);
    if (loading !== undefined) return loading;
    const started = load().then(
      (value) => {
        // If `forget` dropped the key during the load, the value may be old and is not cached.
        if (this.#loading.get(key) === started) this.#keep(key, value);
        return value;
      },
    ).finally(() => {
      if (this.#loading.get(key) === started) this.#loading.delete(key);
    });
    this.#loading.set(key, started);
    return started;
  }

  /** Drops a value. A load in progress still answers the callers that wait for it, but its value is not cached. */
  forget(key: string): void {
    this.#kept.delete(key);
    this.#loading.delete(key);
  }

  #keep(key: string, value: T): void {
    const ttl = this.#options.ttl(value);
    if (ttl > 0) this.#kept.set(key, { value, at: this.#options.clock.now(), ttl });
  }
}
