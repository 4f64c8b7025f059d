import type { CompiledPolicy } from "../../engine/mod.ts";
import { type Rule, ruleFilters } from "../../policy/mod.ts";
import type { RuleBody } from "../../rules/mod.ts";

/** The rules that the user wrote. */
export function writtenRules({ policy }: CompiledPolicy): readonly Rule<RuleBody>[] {
  return policy.rules.filter(({ generatedFor }) => generatedFor === undefined);
}

/** The kinds of a rule's match and exclude blocks, as they are written. */
export function matchedKinds(rule: Rule): string[] {
  return ruleFilters(rule).flatMap(({ resources }) => resources.kinds);
}

/** Rules that a background scan evaluates. */
export function isScanned({ body }: Rule): boolean {
  return !["mutateForeach", "mutateExisting", "generate"].includes(body.kind);
}
