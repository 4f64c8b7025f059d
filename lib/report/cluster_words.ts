/** The reasons of events that a server writes to the cluster, in Kyverno's words. */
export const eventReasons = ["PolicyViolation", "PolicyApplied", "PolicyError", "PolicySkipped"] as const;

/** One of {@link eventReasons}. */
export type EventReason = (typeof eventReasons)[number];

/** The results that a row of a report in the cluster can have, in the order of summaries. */
export const rowResults: readonly string[] = ["pass", "fail", "warn", "error", "skip"];
