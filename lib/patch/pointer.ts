import { formatPointer } from "../json/mod.ts";

/** The most cached pointers, and the length of the longest: requests choose names, so both are bounded. */
const mostCached = 4096, longestCached = 256;

/**
 * An RFC 6901 pointer. Objects of one kind have the same pointers, so pointers near the root are cached: V8 then
 * flattens their text once, and not on every read. tests/bench/patch_bench.ts: without the cache a diff takes 23 %
 * more.
 */
export class Pointer {
  static readonly root = new Pointer("", true);
  static #count = 0;

  readonly text: string;
  readonly #isCached: boolean;
  #below: Map<string | number, Pointer> | undefined;

  private constructor(text: string, isCached: boolean) {
    this.text = text;
    this.#isCached = isCached;
  }

  /** Returns the pointer of a field or an element below this one. */
  below(token: string | number): Pointer {
    const existing = this.#below?.get(token);
    if (existing !== undefined) return existing;
    const text = this.text + formatPointer([token]);
    if (!this.#isCached || Pointer.#count >= mostCached || text.length > longestCached) {
      return new Pointer(text, false);
    }
    const pointer = new Pointer(text, true);
    Pointer.#count++;
    (this.#below ??= new Map()).set(token, pointer);
    return pointer;
  }
}
