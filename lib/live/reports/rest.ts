import { pause } from "../../pause.ts";

/** The longest rest, in milliseconds. */
const longestRest = 60_000;

/**
 * Rests as long as the work has taken that began at this time of `performance.now()`: half of the time is then others'.
 */
export async function restAfter(began: number, signal: AbortSignal): Promise<void> {
  await pause(Math.min(performance.now() - began, longestRest), signal);
}
