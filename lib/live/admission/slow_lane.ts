import { FairQueue, type Ticket } from "../../background/mod.ts";
import { pause } from "../../pause.ts";

/** The longest rest after a review, in milliseconds. */
const longestRest = 2_000;

/** Milliseconds after which a review is no longer begun: its caller waits 10 seconds. */
const longestWait = 8_000;

/** The bound and the clock of a {@link SlowLane}; tests replace the clock. */
export interface SlowLaneOptions {
  /** The most tasks in the lane, with the running one. */
  readonly most: number;
  /** Milliseconds from any time on. */
  readonly now?: () => number;
  /** Waits for some milliseconds. */
  readonly rest?: (milliseconds: number) => Promise<unknown>;
}

interface Waiting {
  readonly since: number;
  readonly begin: () => Promise<void>;
  readonly refuse: () => void;
}

/**
 * Runs work that blocks the event loop for long: one task at a time, with a rest after each that is as long as the
 * task. Every author of policies can send any number of policies, also as dry runs; other requests run during the
 * rests. Owners of tasks take turns, and when the lane is full, the owner with the most tasks gives way.
 */
export class SlowLane {
  readonly #queue: FairQueue<Waiting>;
  readonly #now: () => number;
  readonly #rest: (milliseconds: number) => Promise<unknown>;
  #isRunning = false;

  constructor({ most, now = () => performance.now(), rest = pause }: SlowLaneOptions) {
    this.#queue = new FairQueue(most);
    this.#now = now;
    this.#rest = rest;
  }

  /** Runs a task when it is its owner's turn; `undefined` when there was no room for it, or its turn came too late. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const item = {
        since: this.#now(),
        begin: () => work().then(resolve, reject),
        refuse: () => resolve(undefined),
      };
      // Each task counts as one of the queue's bytes.
      for (const { item: { refuse } } of this.#queue.add({ item, lane: owner, bytes: 1 })) refuse();
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#queue.next(); next !== undefined; next = this.#queue.next()) {
      await this.#runOne(next);
    }
    this.#isRunning = false;
  }

  async #runOne(ticket: Ticket<Waiting>): Promise<void> {
    const { since, begin, refuse } = ticket.item, started = this.#now();
    if (started - since > longestWait) refuse();
    else await begin();
    this.#queue.release(ticket);
    const took = this.#now() - started;
    if (took > 0) await this.#rest(Math.min(took, longestRest));
  }
}
