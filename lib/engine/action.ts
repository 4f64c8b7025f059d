import type { JsonObject } from "../json/mod.ts";
import { compileWildcard } from "../kube/mod.ts";
import { labelTest } from "../match/mod.ts";
import type { ActionOverride, FailureAction, Policy, Rule } from "../policy/mod.ts";

/** What a failure of a rule means in a namespace. */
export type ActionOf = (namespace: string, namespaceLabels: JsonObject) => FailureAction;

/**
 * Compiles a rule's failure action with its overrides; the rule's own settings come before the policy's, and the first
 * override that is for the namespace wins.
 */
export function compileAction(policy: Policy, rule: Rule): ActionOf {
  const usual = rule.failureAction ?? policy.failureAction;
  const overrides = (rule.overrides.length > 0 ? rule.overrides : policy.overrides).map(compileOverride);
  if (overrides.length === 0) return () => usual;
  return (namespace, labels) =>
    overrides.find((override) => override.applies(namespace, labels))?.action ?? usual;
}

function compileOverride(
  override: ActionOverride,
): { action: FailureAction; applies(namespace: string, labels: JsonObject): boolean } {
  const { action, namespaces, namespaceSelector } = override;
  const wildcards = namespaces.map(compileWildcard);
  const selects = namespaceSelector === undefined ? undefined : labelTest(namespaceSelector);
  if (wildcards.length === 0 && selects === undefined) return { action, applies: () => true };
  return {
    action,
    applies: (namespace, labels) =>
      wildcards.some((matches) => matches(namespace)) || (selects?.(labels) ?? false),
  };
}
