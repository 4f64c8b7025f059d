/**
 * Waits for some milliseconds and returns `true`; returns `false` at once when the signal aborts. A signal that lives
 * as long as the process does not collect the listeners of all pauses.
 *
 * ```ts
 * import { pause } from "./pause.ts";
 * import assert from "node:assert/strict";
 * assert.equal(await pause(1), true);
 * assert.equal(await pause(60_000, AbortSignal.abort()), false);
 * ```
 */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve(true);
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
