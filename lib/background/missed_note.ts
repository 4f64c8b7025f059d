import type { Json, JsonObject } from "../json/mod.ts";
import { annotationsOf } from "../kube/mod.ts";

/** The annotation of the Lease with the time since when effects of a replica that does not lead are missing. */
const missedNote = "postern.dev/effects-missed-since";

/** The longest time, in milliseconds, that a request may have been in progress when a worker lost or refused it. */
export const longestReview = 60_000;

/** The time in the annotation, in milliseconds since 1970; `undefined` when there is none. */
export function missedSinceOf(lease: Json): number | undefined {
  const since = Number(annotationsOf(lease)[missedNote] ?? NaN);
  return Number.isFinite(since) ? since : undefined;
}

/** Annotations with the time, or without any time. */
export function withMissedSince(annotations: JsonObject, since: number | undefined): JsonObject {
  const { [missedNote]: _, ...others } = annotations;
  return since === undefined ? others : { ...others, [missedNote]: String(Math.floor(since)) };
}

/** The earlier of two times; either may be absent. */
export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? one ?? other : Math.min(one, other);
}
