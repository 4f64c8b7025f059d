import type { JsonObject } from "../json/mod.ts";
import { compileWildcard } from "../kube/mod.ts";
import { labelTest } from "../match/mod.ts";
import type { ActionOverride, FailureAction, Policy, Rule } from "../policy/mod.ts";

/** Returns the failure action of a rule in a namespace. */
export type ActionOf = (namespace: string, namespaceLabels: JsonObject) => FailureAction;

/**
 * Compiles a rule's failure action with its overrides. The first override that applies to the namespace wins. Pinned
 * by tests/engine/action_test.ts.
 *
 * Kyverno parity: Kyverno computes the action twice, and enforces only if both results do. When it selects policies,
 * an override of the rule, or of the policy if the rule has none, comes before both actions, and applies if its
 * namespaces or its labels match. When it reports a failure, the rule's action and overrides come before the
 * policy's, and an override applies only if both match.
 */
export function compileAction(policy: Policy, rule: Rule): ActionOf {
  const usual = rule.failureAction ?? policy.failureAction;
  const ofRule = rule.overrides.map(compileOverride), ofPolicy = policy.overrides.map(compileOverride);
  if (ofRule.length + ofPolicy.length === 0) return () => usual;
  const chosen = ofRule.length > 0 ? ofRule : ofPolicy;
  return (namespace, labels) => {
    const wanted = chosen.find((override) => override.concerns(namespace, labels))?.action ?? usual;
    if (wanted === "Audit") return wanted;
    return ofRule.find((override) => override.fits(namespace, labels))?.action ?? rule.failureAction ??
      ofPolicy.find((override) => override.fits(namespace, labels))?.action ?? policy.failureAction;
  };
}

type NamespaceTest = (namespace: string, labels: JsonObject) => boolean;

interface CompiledOverride {
  readonly action: FailureAction;
  /** Whether the namespaces or the labels of an override match. Neither matches an object without a namespace. */
  readonly concerns: NamespaceTest;
  /** Whether the namespaces and the labels of an override match. */
  readonly fits: NamespaceTest;
}

function compileOverride({ action, namespaces, namespaceSelector }: ActionOverride): CompiledOverride {
  const wildcards = namespaces.map(compileWildcard);
  const selects = namespaceSelector === undefined ? undefined : labelTest(namespaceSelector);
  if (wildcards.length === 0 && selects === undefined) return { action, concerns: always, fits: always };
  const isNamed = (namespace: string): boolean => wildcards.some((matches) => matches(namespace));
  return {
    action,
    concerns: (namespace, labels) => namespace !== "" && (isNamed(namespace) || (selects?.(labels) ?? false)),
    fits: (namespace, labels) =>
      (wildcards.length === 0 || isNamed(namespace)) && (selects?.(labels) ?? true),
  };
}

function always(): boolean {
  return true;
}
