import type { CompiledPolicy } from "../../engine/mod.ts";
import { Fault, isFault } from "../../json/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { celRuleSpecs } from "../../rules/mod.ts";
import type { AdmissionPolicyParts } from "./admission_policy_kind.ts";
import { servedMatchResources } from "./match_resources.ts";

/**
 * A ClusterPolicy as a ValidatingAdmissionPolicy; a fault says why that is impossible; `undefined` when the policy
 * does not request it. Kyverno parity: the only rule has `validate.cel.generate: true`. Pinned by
 * tests/live/admission_policies_test.ts.
 */
export function fromClassic(
  { policy, rules, broken }: CompiledPolicy,
  served: readonly ServedResource[],
): AdmissionPolicyParts | Fault | undefined {
  if (policy.kind !== "ClusterPolicy" || broken !== undefined) return undefined;
  const written = rules.filter(({ rule }) => rule.generatedFor === undefined);
  const candidates = written.filter(({ rule: { body } }) => body.kind === "cel" && body.generate);
  if (candidates.length === 0) return undefined;
  if (written.length > 1) return new Fault("skip generation: multiple rules are not applicable");
  const [{ rule, exceptions }] = candidates as [(typeof candidates)[number]];
  const { body } = rule;
  if (body.kind !== "cel") return undefined;
  if (rule.preconditions !== undefined && rule.preconditions !== null) {
    return new Fault("skip generation: preconditions are not applicable");
  }
  const overrides = [...policy.overrides, ...rule.overrides];
  if (overrides.length > 0) return new Fault("skip generation: failureActionOverrides are not applicable");
  if (exceptions.all.some(({ conditions }) => conditions !== undefined)) {
    return new Fault("skip generation: exceptions with conditions are not applicable");
  }
  const constraints = servedMatchResources({
    match: rule.match,
    exclude: rule.exclude,
    exceptions: exceptions.all.map(({ exception }) => exception.match),
    served,
  });
  if (isFault(constraints)) return constraints;
  return { kind: "ValidatingAdmissionPolicy", ...celRuleSpecs(policy, { ...rule, body }, constraints) };
}
