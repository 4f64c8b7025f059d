import type { LoadTracker } from "./load_tracker.ts";

/**
 * Runs an evaluation until it meets no pending value. A request without external values runs once and touches no
 * promise. Evaluation is repeated, not resumed, so it must have no effects.
 */
export function untilLoaded<T>(tracker: LoadTracker, evaluate: () => T): T | Promise<T> {
  const result = evaluate();
  return tracker.waiting ? again(tracker, evaluate) : result;
}

async function again<T>(tracker: LoadTracker, evaluate: () => T): Promise<T> {
  for (;;) {
    await tracker.awaitLoads();
    const result = evaluate();
    if (!tracker.waiting) return result;
  }
}
