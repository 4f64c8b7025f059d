import type { JsonObject } from "../json/mod.ts";
import type { Policy } from "../policy/mod.ts";
import type { RuleBody } from "../rules/mod.ts";
import type { CompiledRule } from "./compiled.ts";
import type { RuleResult } from "./decision.ts";

/**
 * Called around each evaluation of a rule, for durations and spans. Evaluation is synchronous between loads, so at
 * most one rule runs at a time.
 */
export interface RuleWatch {
  /** The evaluation of a rule begins. */
  begin(policy: Policy<RuleBody>, rule: CompiledRule): void;
  /** The rule waits for values; its evaluation will begin again. */
  postpone(): void;
  /** The rule has its results, none when it does not match. `object` is the object that it was evaluated for. */
  finish(results: readonly RuleResult[], object: JsonObject | undefined): void;
}
