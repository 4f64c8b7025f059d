import type { Decision, PolicyIdentity, PolicyResult, RuleResult } from "../../lib/engine/mod.ts";

/** A policy's name and settings, as results carry them. */
export function identity(name: string, change: Partial<PolicyIdentity> = {}): PolicyIdentity {
  return {
    key: name,
    name,
    namespace: undefined,
    annotations: {},
    failurePolicy: "Fail",
    emitWarning: false,
    admission: true,
    background: true,
    language: change.kind?.startsWith("Cluster") ?? true ? "classic" : "cel",
    kind: "ClusterPolicy",
    ...change,
  };
}

/** The result of a validate rule that is enforced. */
export function result(rule: string, change: Partial<RuleResult> = {}): RuleResult {
  return { result: "fail", message: `${rule} says no`, rule, type: "validate", action: "Enforce", ...change };
}

/** A decision that lets a request in, unless it is changed. */
export function decision(results: readonly PolicyResult[], change: Partial<Decision> = {}): Decision {
  return {
    uid: "u-1",
    allowed: true,
    results,
    denying: [],
    object: undefined,
    patch: [],
    effects: [],
    failurePolicy: "Fail",
    ...change,
  };
}
