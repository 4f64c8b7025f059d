import type { JsonObject } from "../json/mod.ts";
import { compileWildcard } from "../kube/mod.ts";
import { labelTest } from "../match/mod.ts";
import type { ActionOverride, FailureAction, Policy, Rule } from "../policy/mod.ts";

/** Returns the failure action of a rule in a namespace. */
export type ActionOf = (namespace: string, namespaceLabels: JsonObject) => FailureAction;

/**
 * Compiles a rule's failure action with its overrides; of several the first that is for the namespace wins.
 * Pinned by tests/engine/action_test.ts.
 *
 * Kyverno parity: an action is worked out twice, and enforced only if both times say so. When policies are
 * chosen, an override of the rule, or of the policy if the rule has none, comes before both actions, and a
 * namespace or its labels make it apply. When a failure is judged, what the rule says comes before all that
 * the policy says, and both must fit.
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
  /** Whether either of its criteria holds; what is in no namespace has neither. */
  readonly concerns: NamespaceTest;
  /** Whether all of its criteria hold. */
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
