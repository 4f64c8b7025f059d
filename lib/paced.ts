import { completed, type Stages } from "./json/mod.ts";
import type { Scheduler } from "./ports.ts";

/**
 * Does work in stages, and lets others work whenever a slice of the scheduler is used up. Without a scheduler it does
 * all at once.
 */
export async function paced<T>(stages: Stages<T>, scheduler: Scheduler | undefined): Promise<T> {
  if (scheduler === undefined) return completed(stages);
  let until = performance.now() + scheduler.sliceMilliseconds;
  for (;;) {
    const stage = stages.next();
    if (stage.done === true) return stage.value;
    if (performance.now() < until) continue;
    await scheduler.pause();
    until = performance.now() + scheduler.sliceMilliseconds;
  }
}
