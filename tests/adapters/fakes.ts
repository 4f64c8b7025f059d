/** Ports with fixed answers, for tests of the adapters. */
import type { Clock, Entropy } from "../../lib/ports.ts";

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  advance(milliseconds: number): void;
}

export function fixedClock(start = Date.UTC(2026, 0, 1)): TestClock {
  let now = start;
  return { now: () => now, advance: (milliseconds) => void (now += milliseconds) };
}

/** Numbers that look random and are the same in every run. */
export function countingEntropy(): Entropy {
  let state = 1;
  return {
    next: () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    },
  };
}
