import type { Snapshot } from "../engine/mod.ts";
import { type Clock, elapsedOn } from "../ports.ts";
import type { StatusFacts } from "./policy_statuses.ts";

/** The ports and the writer of {@link StatusRounds}. */
export interface StatusRoundsOptions {
  readonly clock: Clock;
  /** Runs a task after some milliseconds. */
  readonly after: (milliseconds: number, task: () => void) => void;
  /** Whether a snapshot is the one in force. */
  readonly isNewest: (snapshot: Snapshot) => boolean;
  /** Writes the statuses of all policies. */
  readonly write: (facts: StatusFacts) => Promise<void>;
}

/** Milliseconds after the last round before statuses are written although policies are still changing. */
const longestWait = 1_000;

/**
 * Writes the statuses of all policies in rounds: one round writes each policy's status once, for one snapshot, so that
 * changes in quick succession cost one round. While policies change all the time, each snapshot is replaced before its
 * round is due; a round is then written for a snapshot that is no longer the newest, at most once a second. A round
 * waits for the end of the running one, so that no older status of a policy follows a newer one.
 */
export class StatusRounds {
  readonly #options: StatusRoundsOptions;
  /** The end of the last round, by `elapsedOn`. */
  #endedAt = -Infinity;
  #isWriting = false;
  /** The facts of the newest round that waits for the running one. */
  #next: StatusFacts | undefined;

  constructor(options: StatusRoundsOptions) {
    this.#options = options;
  }

  /** Writes statuses at a time of `elapsedOn`. */
  add(facts: StatusFacts, at: number): void {
    const { clock, after, isNewest } = this.#options;
    after(Math.max(0, at - elapsedOn(clock)), () => {
      const isOverdue = !this.#isWriting && elapsedOn(clock) - this.#endedAt >= longestWait;
      if (isNewest(facts.snapshot) || isOverdue) void this.#write(facts);
    });
  }

  async #write(facts: StatusFacts): Promise<void> {
    this.#next = facts;
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      for (let next = this.#taken(); next !== undefined; next = this.#taken()) {
        await this.#options.write(next);
      }
    } finally {
      // Otherwise one exception would end all further rounds.
      this.#isWriting = false;
    }
    this.#endedAt = elapsedOn(this.#options.clock);
  }

  #taken(): StatusFacts | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next;
  }
}
