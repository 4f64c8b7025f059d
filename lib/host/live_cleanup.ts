import type { Snapshot } from "../engine/mod.ts";
import { asString } from "../json/mod.ts";
import {
  Cleaner,
  type CleanerOptions,
  Expirer,
  type ExpirerOptions,
  type LivePolicies,
  type PolicyEvent,
} from "../live/mod.ts";
import type { ClusterMetrics } from "../server/mod.ts";

/** The ports and receivers of {@link LiveCleanup}. */
export interface LiveCleanupOptions
  extends Omit<CleanerOptions, "events">, Pick<ExpirerOptions, "cluster" | "clock"> {
  readonly metrics: ClusterMetrics;
  /** Milliseconds between two searches for objects whose time to live is over. */
  readonly lookForExpired: number;
  /** Receives the events of cleanup policies. */
  readonly events: (events: readonly PolicyEvent[]) => void;
}

/** Deletes the objects that cleanup policies select, and those whose time to live is over, and counts both. */
export class LiveCleanup {
  readonly #cleaner: Cleaner;
  readonly #expirer: Expirer;

  constructor(options: LiveCleanupOptions) {
    const { metrics, events, lookForExpired: every } = options;
    this.#cleaner = new Cleaner({
      ...options,
      events: (cleaned) => {
        events(cleaned);
        countDeletions(cleaned, metrics);
      },
    });
    this.#expirer = new Expirer({
      ...options,
      every,
      deleted: ({ group, plural }) => metrics.expired(group, plural),
    });
  }

  /** Puts cleanup policies in force. */
  policiesChanged(policies: ReturnType<LivePolicies["cleanupPolicies"]>, { others }: Snapshot): void {
    this.#cleaner.policies(policies, others);
  }

  /** Ends the deletions. */
  close(): void {
    this.#cleaner.close();
    this.#expirer.close();
  }
}

function countDeletions(events: readonly PolicyEvent[], metrics: ClusterMetrics): void {
  for (const { action, regarding: { name, namespace } } of events) {
    if (action !== "Resource Cleaned Up") continue;
    metrics.cleanedUp({ name: asString(name) ?? "", namespace: asString(namespace) });
  }
}
