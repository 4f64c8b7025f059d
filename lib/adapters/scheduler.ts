import type { Scheduler } from "../ports.ts";

/**
 * Shares the event loop: after 25 milliseconds of work whoever works waits for the next turn of the loop, in which other
 * requests, health checks among them, are answered.
 */
export function eventLoopScheduler(): Scheduler {
  return {
    sliceMilliseconds: 25,
    pause: () => new Promise((resolve) => setTimeout(resolve, 0)),
  };
}
