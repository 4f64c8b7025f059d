import type { Effect, PolicyRequest, PolicyResult } from "../engine/mod.ts";
import type { Failure } from "./failure.ts";

/** What became of a request's effects: for events, reports and whoever waits for them. */
export interface WorkOutcome {
  /** `failing`: several tries did not help, and others follow. */
  readonly state: "done" | "failing" | "given up";
  /** The request, with the stored object in place of the reviewed one where it could be read. */
  readonly request: PolicyRequest;
  /** What the rules said at the last try. */
  readonly results: readonly PolicyResult[];
  /** What was carried out, by the last try or one before. */
  readonly carried: readonly Effect[];
  /** What could not be done; empty when all is done. */
  readonly failures: readonly Failure[];
}
