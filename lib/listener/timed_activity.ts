/**
 * The state of a connection. A request leads from `new` or `idle` through `head`, `body` if it has one, `handling` and
 * `writing` back to `idle`. A connection that ends is `lingering`.
 */
export type Activity = "new" | "idle" | "head" | "body" | "handling" | "writing" | "lingering";

/** The activity of a connection, with the deadline at which it ends. Times are on the clock of `performance.now()`. */
export class TimedActivity {
  #current: Activity = "new";
  #until: number;
  /** The deadline of a body for which others wait. */
  #crowdedUntil = Infinity;

  /** A connection is `new` for some milliseconds. */
  constructor(milliseconds: number) {
    this.#until = performance.now() + milliseconds;
  }

  get current(): Activity {
    return this.#current;
  }

  /** The deadline of the activity. Of two equal activities, the one with the later deadline began later. */
  get until(): number {
    return this.#until;
  }

  /** Begins an activity, which may take so many milliseconds. */
  begin(activity: Activity, milliseconds: number): void {
    this.#current = activity;
    this.#until = performance.now() + milliseconds;
  }

  /** Begins to read a body, which has less time while others wait for its room. */
  beginBody(milliseconds: number, crowdedMilliseconds: number): void {
    this.begin("body", milliseconds);
    this.#crowdedUntil = performance.now() + crowdedMilliseconds;
  }

  /** Extends the deadlines, because this process itself was blocked. */
  extend(milliseconds: number): void {
    this.#until += milliseconds;
    this.#crowdedUntil += milliseconds;
  }

  /** Whether the activity has exceeded its deadline, which is earlier for a body for whose room others wait. */
  isLate(now: number, { holdsUp }: { readonly holdsUp: boolean }): boolean {
    return now > this.#until || holdsUp && now > this.#crowdedUntil;
  }
}
