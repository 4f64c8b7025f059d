import type { JsonObject } from "../json/mod.ts";
import type { Policy } from "../policy/mod.ts";
import type { CompiledRule } from "./compiled.ts";
import type { RuleResult } from "./decision.ts";

/**
 * Is called around each evaluation of a rule, for durations and spans. Evaluation is synchronous between loads, so at most one
 * rule is begun at a time.
 */
export interface RuleWatch {
  /** A rule is about to be evaluated. */
  begin(policy: Policy, rule: CompiledRule): void;
  /** The rule that was begun waits for values, and will begin again. */
  postpone(): void;
  /** The rule that was begun has its results, none when it is not about the request; `object` is what it was evaluated on. */
  finish(results: readonly RuleResult[], object: JsonObject | undefined): void;
}
