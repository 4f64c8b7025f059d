import type { Scheduler } from "../ports.ts";

/** An evaluation pauses after so many milliseconds: a request that came meanwhile waits no longer. */
const sliceMilliseconds = 10;

/**
 * Timers that end one after the other in a pause. During the first the runtime notices what callers have sent, and
 * Postern answers it during the second. With one timer, or with `setImmediate`, others waited for several slices
 * (median of requests beside a mutation of 3 MB: 48 ms with one timer and slices of 25 ms, 9 ms with these).
 */
const timers = 2;

/**
 * Shares the event loop: an evaluation that has run for a slice waits until Postern has answered other requests and
 * health checks. Of the evaluations that pause, one continues at a time, in the order in which they paused;
 * `beforeSlice` is called before each continues.
 */
export function eventLoopScheduler(beforeSlice: () => void = () => {}): Scheduler {
  const waiting: (() => void)[] = [];
  let isTurning = false;
  return { sliceMilliseconds, beforeSlice, pause: () => new Promise((resolve) => add(resolve)) };

  function add(resume: () => void): void {
    waiting.push(resume);
    if (isTurning) return;
    isTurning = true;
    afterTimers(timers, next);
  }

  function next(): void {
    const resume = waiting.shift();
    isTurning = resume !== undefined;
    if (resume === undefined) return;
    beforeSlice();
    resume();
    afterTimers(timers, next);
  }
}

/**
 * As {@link eventLoopScheduler}, for platforms that end the timers of a request with its answer: there no evaluation
 * may wait for the timers of another one. Those that pause together continue together.
 */
export function separateScheduler(): Scheduler {
  return { sliceMilliseconds, pause: () => new Promise((resolve) => afterTimers(timers, resolve)) };
}

function afterTimers(count: number, then: () => void): void {
  setTimeout(count > 1 ? () => afterTimers(count - 1, then) : then, 0);
}
