import type { LoadTracker } from "./load_tracker.ts";

/**
 * Runs an evaluation until it meets no pending value. A request without external values runs once and touches no
 * promise. Evaluation is repeated, not resumed, so it must have no effects.
 */
export function untilLoaded<T>(store: LoadTracker, evaluate: () => T): T | Promise<T> {
  const result = evaluate();
  return store.waiting ? again(store, evaluate) : result;
}

async function again<T>(store: LoadTracker, evaluate: () => T): Promise<T> {
  for (;;) {
    await store.awaitLoads();
    const result = evaluate();
    if (!store.waiting) return result;
  }
}
