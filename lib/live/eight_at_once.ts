import { Slices } from "../slices.ts";
import type { Scheduler } from "../ports.ts";

/** The most calls of the API server that one round makes at a time. */
const mostAtOnce = 8;

/**
 * Runs a task for each item, eight at a time, and lets requests have their turns between them. It returns the results
 * in the order of the items.
 */
export async function eightAtOnce<T, Result>(
  items: readonly T[],
  task: (item: T) => Promise<Result>,
  scheduler?: Scheduler,
): Promise<Result[]> {
  const results: Result[] = [], waiting = items.entries();
  const slices = new Slices(scheduler);
  const runSome = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (slices.isUsedUp) await slices.next();
      results[index] = await task(item);
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, runSome));
  return results;
}
