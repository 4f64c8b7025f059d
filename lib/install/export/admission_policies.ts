import type { CompiledPolicy, CompiledRule } from "../../engine/mod.ts";
import { Fault, isFault, type JsonObject } from "../../json/mod.ts";
import type { Policy, Rule } from "../../policy/mod.ts";
import { celRuleSpecs } from "../../rules/mod.ts";
import { matchResourcesOf } from "./match_resources.ts";

/** A rule that cannot become a ValidatingAdmissionPolicy, and why. */
export interface UnexportedRule {
  readonly policy: string;
  readonly rule: string;
  readonly reason: string;
}

/** The result of an export. */
export interface Exported {
  /** ValidatingAdmissionPolicies, each followed by its binding. */
  readonly objects: readonly JsonObject[];
  readonly unexported: readonly UnexportedRule[];
}

/**
 * Converts the rules with `validate.cel` into ValidatingAdmissionPolicies, each with a binding. The API server
 * enforces them itself, also while Postern is down. Rules that cannot be expressed so are returned with the reason;
 * rules of other kinds are ignored.
 */
export function exportAdmissionPolicies(policies: readonly CompiledPolicy[]): Exported {
  const objects: JsonObject[] = [], unexported: UnexportedRule[] = [];
  for (const compiled of policies) {
    const { policy } = compiled;
    for (const rule of compiled.rules.filter(({ kind }) => kind === "cel")) {
      const made = exportRule(compiled, rule);
      if (isFault(made)) unexported.push({ policy: policy.key, rule: rule.rule.name, reason: made.message });
      else objects.push(...made);
    }
  }
  return { objects, unexported };
}

function exportRule(
  { policy, broken, rules }: CompiledPolicy,
  compiled: CompiledRule,
): readonly JsonObject[] | Fault {
  const { rule } = compiled;
  if (broken !== undefined) return new Fault(`the policy has an error: ${broken.message}`);
  const problem = problemOf(policy, compiled);
  if (problem !== undefined) return new Fault(problem);
  const matchConstraints = matchResourcesOf(rule, policy.namespace);
  if (isFault(matchConstraints)) return matchConstraints;
  const { body } = rule;
  if (body.kind !== "cel") return [];
  const name = exportedName(policy, rule, rules.length);
  const labels = { "app.kubernetes.io/managed-by": "postern" };
  const { spec, binding } = celRuleSpecs(policy, { ...rule, body }, matchConstraints);
  return [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name, labels },
      spec,
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: `${name}-binding`, labels },
      spec: { policyName: name, ...binding },
    },
  ];
}

/** Why a rule cannot become a ValidatingAdmissionPolicy; `undefined` when it can. */
function problemOf(policy: Policy, { rule, exceptions }: CompiledRule): string | undefined {
  if (exceptions.all.length > 0) return "there are exceptions from it";
  if (rule.preconditions !== undefined && rule.preconditions !== null) return "it has preconditions";
  if ([...policy.overrides, ...rule.overrides].length > 0) return "its action differs by namespace";
  return undefined;
}

/** The most characters of a policy's name: its binding's name is longer, and Kubernetes' names have at most 253. */
const longestName = 240;

/**
 * Kyverno parity: a policy of one rule is named after `cpol-` by the policy; others add the rule's name. Pinned by "a
 * rule with validate.cel becomes a policy and its binding".
 */
function exportedName(policy: Policy, rule: Rule, rules: number): string {
  const policyName = policy.namespace === undefined
    ? `cpol-${policy.name}`
    : `pol-${policy.namespace}-${policy.name}`;
  const name = rules === 1 ? policyName : `${policyName}-${rule.name}`;
  const shortened = name.toLowerCase().replace(/[^a-z0-9.-]+/g, "-").slice(0, longestName);
  return shortened.replace(/(?<![^a-z0-9])[^a-z0-9]+$/, "");
}
