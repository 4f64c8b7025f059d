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
 * When so many evaluations of a lane wait, a new one waits, too. Each runs a rule before it pauses, which may take a
 * fifth of a second: requests of others would wait behind all that one namespace sends at once.
 */
const crowd = 4;

type Resume = () => void;

/** The evaluations of one lane that wait: those that have not begun, and those that pause. */
interface Lane {
  readonly fresh: Resume[];
  readonly pausing: Resume[];
}

/**
 * Shares the event loop: an evaluation that has run for a slice waits until Postern has answered other requests and
 * health checks. Of the evaluations that wait, one continues at a time. Lanes take turns. Four of a lane take turns,
 * and others begin when one of them has ended, or leave when their time is over. `beforeSlice` is called before each
 * continues.
 */
export function eventLoopScheduler(beforeSlice: () => void = () => {}): Scheduler {
  const lanes = new Map<string, Lane>();
  let isTurning = false;
  return {
    sliceMilliseconds,
    beforeSlice,
    pause: (lane = "") => new Promise((resolve) => add(lane, "pausing", resolve)),
    begin(lane = "", signal) {
      if (waitingIn(lanes.get(lane)) < crowd) return undefined;
      return new Promise((resolve) => {
        add(lane, "fresh", resolve);
        signal?.().addEventListener("abort", () => leave(lane, resolve), { once: true });
      });
    },
  };

  function add(name: string, queue: "fresh" | "pausing", resume: Resume): void {
    const lane = lanes.get(name) ?? { fresh: [], pausing: [] };
    lane[queue].push(resume);
    lanes.set(name, lane);
    if (isTurning) return;
    isTurning = true;
    afterTimers(timers, next);
  }

  function leave(name: string, resume: Resume): void {
    const lane = lanes.get(name), at = lane?.fresh.indexOf(resume) ?? -1;
    if (lane === undefined || at < 0) return;
    lane.fresh.splice(at, 1);
    if (waitingIn(lane) === 0) lanes.delete(name);
    resume();
  }

  function next(): void {
    const [first] = lanes;
    isTurning = first !== undefined;
    if (first === undefined) return;
    const [name, lane] = first, { fresh, pausing } = lane;
    const resume = (fresh.length > 0 && pausing.length < crowd ? fresh : pausing).shift()!;
    lanes.delete(name);
    if (waitingIn(lane) > 0) lanes.set(name, lane);
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

function waitingIn(lane: Lane | undefined): number {
  return lane === undefined ? 0 : lane.fresh.length + lane.pausing.length;
}

function afterTimers(count: number, then: () => void): void {
  setTimeout(count > 1 ? () => afterTimers(count - 1, then) : then, 0);
}
