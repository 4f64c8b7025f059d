import type { CompiledRule } from "./compiled.ts";

/** Whether the match of a rule names the operation DELETE: the rule then acts for the deletion of its trigger. */
export function matchesDeletions({ selector }: CompiledRule): boolean {
  return selector.match.filters.some(({ operations }) => operations.includes("DELETE"));
}

/**
 * Whether the downstream of a generate rule is deleted with its trigger. Kyverno parity: a rule that names DELETE
 * generates for the deletion instead, and a classic rule that names other operations does not match the deletion.
 * Pinned by "the downstream of a rule that names its operations outlives the trigger" and "the deletion of a trigger
 * withdraws what a GeneratingPolicy made for it, unless the policy names DELETE".
 */
export function withdrawsOnDeletion(rule: CompiledRule): boolean {
  if (matchesDeletions(rule)) return false;
  const { filters } = rule.selector.match;
  return rule.rule.body.kind !== "generate" || filters.some(({ operations }) => operations.length === 0);
}
