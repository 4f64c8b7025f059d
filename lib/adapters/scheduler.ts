import type { Scheduler } from "../ports.ts";

/**
 * Shares the event loop: an evaluation that has run for 25 milliseconds waits for the next turn of the loop, in which
 * Postern answers other requests and health checks.
 */
export function eventLoopScheduler(): Scheduler {
  return {
    sliceMilliseconds: 25,
    pause: () => new Promise((resolve) => setTimeout(resolve, 0)),
  };
}
