import { asList, asString, dig } from "../../json/mod.ts";
import { clusterWideKind } from "../../policy/mod.ts";
import { scheduleProblem } from "../cleanup/schedule.ts";
import type { CheckedPolicy, PolicyCheck } from "./check.ts";

/** The checks of a policy of policies.kyverno.io beyond compiling its expressions. */
export const celChecks: readonly PolicyCheck[] = [
  modeProblems,
  constraintProblems,
  scheduleProblems,
  serviceCallProblems,
];

/** A mutating policy must change admitted objects, existing objects, or both. */
function modeProblems({ compiled: { policy } }: CheckedPolicy): string[] {
  if (clusterWideKind(policy.kind) !== "MutatingPolicy" || policy.admission) return [];
  return dig(policy.document, "spec", "evaluation", "mutateExisting", "enabled") === true
    ? []
    : ["evaluation.admission and evaluation.mutateExisting are both disabled: the policy would do nothing"];
}

/** Policies about any JSON match no resources: they are for the command line. */
function constraintProblems({ compiled: { policy } }: CheckedPolicy): string[] {
  if (policy.language !== "cel" || clusterWideKind(policy.kind) === "ImageValidatingPolicy") return [];
  return asList(policy.sections.constraints.written["resourceRules"]).length > 0 ? [] : [
    "spec.matchConstraints: Required value: a matchConstraints with at least one resource rule is required",
  ];
}

/**
 * Calls of a namespaced policy would reach services that its author may not reach, and fail. Kyverno parity: pinned by
 * "policy review refuses a policy of a namespace that calls a service".
 */
function serviceCallProblems({ compiled: { policy, rules } }: CheckedPolicy): string[] {
  const calls = policy.namespace !== undefined &&
    rules.some(({ needs }) => needs.some(({ kind }) => kind === "service"));
  return calls ? ["spec: Forbidden: http.* is not allowed in namespaced policies"] : [];
}

/** A deleting policy without a schedule that can be read would never run. */
function scheduleProblems({ compiled: { policy } }: CheckedPolicy): string[] {
  if (clusterWideKind(policy.kind) !== "DeletingPolicy") return [];
  const problem = scheduleProblem(asString(dig(policy.document, "spec", "schedule")) ?? "");
  return problem === undefined ? [] : [`spec.schedule: ${problem}`];
}
