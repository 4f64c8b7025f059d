import type { PolicyQuery } from "../engine/mod.ts";
import type { EffectJob } from "./effect_writer.ts";
import type { ChooseRepeated } from "./once_only.ts";
import type { OnlyRule } from "./request_try.ts";

/** The rules that are evaluated for a request. */
export interface JobScope {
  /** The one rule to evaluate; all when absent. */
  readonly only?: OnlyRule;
  /**
   * Set for a change that was found in the cluster, whose effects may have been carried out before: chooses the updates
   * of targets that are carried out all the same.
   */
  readonly onceOnly?: ChooseRepeated;
  /**
   * The policies of the webhook's URL. The API server calls a webhook for each group of policies, perhaps on
   * different replicas, and each replica carries out the effects of its group.
   */
  readonly route?: Pick<PolicyQuery, "failurePolicy" | "policy">;
  /** Called once after the worker took the request: with the end of its tries, or of its room. */
  readonly ended?: (end: "over" | "refused") => void;
}

/** One request with its tries so far. */
export interface RequestJob extends JobScope, EffectJob {
  /** When the worker took the request, by `elapsedOn`. */
  readonly addedAt: number;
  tries: number;
  /** Whether a try saw the change in the cluster and only its correction waits: later changes hide it. */
  isSeen: boolean;
  /** Whether the cluster has an UpdateRequest for its effects. */
  isKept: boolean;
}
