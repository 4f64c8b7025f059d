import type { JsonObject } from "../json/mod.ts";
import { formatTimestamp } from "../kube/mod.ts";

/** The health of a global context entry. */
export interface EntryHealth {
  /** Why the entry has no data; `undefined` when it has. */
  readonly problem: string | undefined;
  /** The time of its data, in milliseconds since 1970. */
  readonly refreshed: number;
}

/**
 * The status of a GlobalContextEntry. Kyverno parity: one condition, and the time of its data, a column of `kubectl
 * get`. Pinned by "status: an entry of the global context has one condition, and the time of its data".
 */
export function entryStatus({ problem, refreshed }: EntryHealth): JsonObject {
  const isReady = problem === undefined;
  return {
    conditions: [{
      type: "Ready",
      status: isReady ? "True" : "False",
      reason: isReady ? "Succeeded" : "Failed",
      message: problem ?? "Ready",
    }],
    ...(isReady && { lastRefreshTime: formatTimestamp(refreshed) }),
  };
}
