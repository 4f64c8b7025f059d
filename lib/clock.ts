import type { Clock } from "./ports.ts";

/** The system's clock, for the port {@link Clock}. */
export function systemClock(): Clock {
  return { now: () => Date.now(), elapsed: () => performance.now() };
}
