import { BoundedCache } from "../json/mod.ts";

/** The corrections of one object that are left, and the time of the last one, in the milliseconds of `elapsedOn`. */
interface Allowance {
  readonly left: number;
  readonly at: number;
  /** Whether {@link CorrectionLimit.isFirstRefusal} was true since all corrections were left. */
  isReported: boolean;
}

/** The corrections of one object that may follow one another at once. */
const burst = 20;
/** Milliseconds between further corrections. */
const pace = 5_000;
/** The most objects whose corrections are counted: for others the count begins again. */
const mostObjects = 4_096;

/**
 * Bounds how often one object is corrected. Another program that wants the object to be different, such as a second
 * controller, changes it after each correction: without a bound both would write as fast as they can, for ever.
 *
 * ```ts
 * import { CorrectionLimit } from "./correction_limit.ts";
 * import assert from "node:assert/strict";
 * const limit = new CorrectionLimit();
 * const delays = Array.from({ length: 22 }, () => limit.delay("ConfigMap/a/b", 0));
 * assert.deepEqual(delays.slice(-3), [0, 5000, 5000]);
 * assert.equal(limit.delay("ConfigMap/a/b", 5000), 0);
 * assert.deepEqual([limit.isFirstRefusal("ConfigMap/a/b"), limit.isFirstRefusal("ConfigMap/a/b")], [true, false]);
 * ```
 */
export class CorrectionLimit {
  readonly #allowances = new BoundedCache<Allowance>(mostObjects);

  /** Takes a correction of an object, and returns 0; or returns the milliseconds until the next one is allowed. */
  delay(object: string, now: number): number {
    const last = this.#allowances.get(object) ?? { left: burst, at: now, isReported: false };
    const passed = Math.max(0, Math.floor((now - last.at) / pace));
    const left = Math.min(burst, last.left + passed);
    if (left === 0) return Math.min(pace, last.at + pace - now);
    const at = left === burst ? now : last.at + passed * pace;
    this.#allowances.set(object, { left: left - 1, at, isReported: left < burst && last.isReported });
    return 0;
  }

  /** Whether the refused correction is the first one of its object since the limit was reached; true only once. */
  isFirstRefusal(object: string): boolean {
    const last = this.#allowances.get(object);
    if (last === undefined || last.isReported) return false;
    last.isReported = true;
    return true;
  }
}
