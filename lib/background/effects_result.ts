import type { Effect, PolicyRequest, PolicyResult } from "../engine/mod.ts";
import type { Failure } from "./failure.ts";

/** Whether nothing is left to do: all effects are done, or the failed ones had no target. */
export function isOver({ state, failures }: EffectsResult): boolean {
  return state === "done" ||
    state === "given up" && failures.every(({ nothingToDo }) => nothingToDo !== undefined);
}

/** The result of a request's effects. {@link BackgroundWorker} reports it to events, reports and update requests. */
export interface EffectsResult {
  /** `failing`: several tries failed, and others follow. */
  readonly state: "done" | "failing" | "given up";
  /** The request, with the stored object in place of the reviewed one where it could be read. */
  readonly request: PolicyRequest;
  /** The rule results of the last try. */
  readonly results: readonly PolicyResult[];
  /** The effects that the last try or an earlier one carried out. */
  readonly carried: readonly Effect[];
  /** The effects that could not be carried out; empty when all are done. */
  readonly failures: readonly Failure[];
}
