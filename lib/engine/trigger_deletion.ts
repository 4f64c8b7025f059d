import type { CompiledRule } from "./compiled.ts";

/** Whether the match of a rule names the operation DELETE: the rule then acts for the deletion of its trigger. */
export function matchesDeletions({ selector }: CompiledRule): boolean {
  return selector.match.filters.some(({ operations }) => operations.includes("DELETE"));
}

/**
 * Whether the downstream of a generate rule is deleted with its trigger. Kyverno parity: a rule that names its
 * operations does not match the deletion unless it names DELETE, and then it generates for the deletion instead; a
 * policy in CEL always withdraws. Pinned by "the downstream of a rule that names its operations outlives the trigger".
 */
export function withdrawsOnDeletion(rule: CompiledRule): boolean {
  if (rule.rule.body.kind !== "generate") return true;
  const { filters } = rule.selector.match;
  return !matchesDeletions(rule) && filters.some(({ operations }) => operations.length === 0);
}
