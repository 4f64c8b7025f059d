import type { Observe } from "../condition/mod.ts";
import type { Selection } from "../match/mod.ts";

/** Takes what happens while a rule is evaluated; only evaluations that shall be explained have one. */
export interface RuleTrace {
  selected(selection: Selection): void;
  readonly condition: Observe;
}
