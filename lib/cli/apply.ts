import { type Decision, evaluate, type Phase, type RuleResult, type Snapshot } from "../engine/mod.ts";
import type { EntrySource } from "../context/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { Ports } from "../ports.ts";
import type { ReportedResult } from "../report/mod.ts";
import { type GivenUser, otherValues, resourceRequest } from "./resource_request.ts";
import { nest, type Values } from "./values.ts";

/** What applying policies to objects needs. */
export interface ApplyOptions {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
  readonly values: Values;
  readonly user: GivenUser | undefined;
  /** Kinds of context entries that cannot be loaded; without a cluster, all but API calls. */
  readonly absent?: readonly EntrySource[];
}

/** What became of one object. */
export interface Applied {
  readonly resource: JsonObject;
  readonly results: readonly ReportedResult[];
  /** The object after all mutations; `undefined` after one that failed. */
  readonly mutated: JsonObject | undefined;
  /** Whether a rule changed it. */
  readonly changed: boolean;
  /** Objects that generate rules ask for. */
  readonly generated: readonly JsonObject[];
}

/**
 * Applies all policies to one object: mutations one after the other, then validations of what they made, then
 * generations. Kyverno parity: after a mutation that failed there is nothing left to validate.
 */
export async function applyPolicies(resource: JsonObject, options: ApplyOptions): Promise<Applied> {
  const results: ReportedResult[] = [];
  const generated: JsonObject[] = [];
  let current: JsonObject | undefined = resource;
  for (const phase of ["mutate", "validate", "generate"] satisfies Phase[]) {
    for (const { policy } of options.snapshot.policies) {
      if (current === undefined) break;
      const decision: Decision = await decideAs(phase, current, policy.key, options);
      const rules = decision.results.flatMap((result) => result.rules);
      if (rules.length > 0) results.push({ policy, resource, rules });
      if (phase === "mutate") current = rules.some(isError) ? undefined : decision.object ?? current;
      generated.push(...decision.effects.map((effect) => effect.object));
    }
  }
  return {
    resource,
    results,
    mutated: current,
    changed: current !== undefined && current !== resource,
    generated,
  };
}

function isError(rule: RuleResult): boolean {
  return rule.result === "error";
}

function decideAs(
  phase: Phase,
  resource: JsonObject,
  policy: string,
  options: ApplyOptions,
): Decision | Promise<Decision> {
  const { snapshot, ports, values, user } = options;
  const request = resourceRequest(resource, { policy, values, user });
  const shared = otherValues(values.forResource(policy, request.name));
  return evaluate(snapshot, request, {
    phase,
    policy,
    ports,
    rules: "all",
    absent: options.absent ?? [],
    given: (key, rule) => ({ ...nest(shared), ...values.forRule(key, rule) }),
  });
}
