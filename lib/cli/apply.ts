import { type Decision, evaluate, type Phase, type RuleResult, type Snapshot } from "../engine/mod.ts";
import type { AbsentSource } from "../context/mod.ts";
import { asString, dig, type JsonObject } from "../json/mod.ts";
import type { Ports } from "../ports.ts";
import type { ReportedResult } from "../report/mod.ts";
import { ownerOf } from "../rules/mod.ts";
import { type GivenUser, otherValues, resourceRequest } from "./resource_request.ts";
import { nest, type Values } from "./values.ts";

/** What applying policies to objects needs. */
export interface ApplyOptions {
  readonly snapshot: Snapshot;
  readonly ports: Ports;
  readonly values: Values;
  readonly user: GivenUser | undefined;
  /** What cannot be loaded; without a cluster, all context entries but API calls, and other objects to generate from. */
  readonly absent?: readonly AbsentSource[];
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
  /** What `--output DIR` writes, in order. */
  readonly outputs: readonly Output[];
}

/** A document of an output folder. */
export interface Output {
  /** Name of the file, without ending. */
  readonly file: string;
  readonly object: JsonObject;
}

/**
 * Applies all policies to one object: mutations one after the other, then validations of what they made, then
 * generations. Kyverno parity: after a mutation that failed there is nothing left to validate; the object is written
 * once for each policy that mutates, whether it changed or not, with the targets of the policy after it.
 */
export async function applyPolicies(resource: JsonObject, options: ApplyOptions): Promise<Applied> {
  const results: ReportedResult[] = [];
  const outputs: Output[] = [];
  const file = `${asString(dig(resource, "metadata", "name")) ?? ""}-mutated`;
  let current: JsonObject | undefined = resource;
  for (const { policy } of options.snapshot.written) {
    if (current === undefined) break;
    if (policy.rules.every((rule) => rule.mutate === undefined)) continue;
    const mutation: Decision = await decideAs("mutate", current, policy.key, options);
    const changed: RuleResult[] = rulesOf(mutation);
    const patched = changed.findLast((rule) => rule.patched !== undefined)?.patched;
    const seen: JsonObject = patched ?? mutation.object ?? current;
    const targets: Decision = await decideAs("mutateExisting", seen, policy.key, options);
    const rules = [...changed, ...rulesOf(targets)];
    if (rules.length > 0) results.push({ policy, resource, rules });
    current = changed.some((rule) => rule.spoils) ? undefined : seen;
    if (current !== undefined) outputs.push({ file, object: current });
    outputs.push(...targets.effects.map(({ object }) => ({ file, object })));
  }
  const generated: Output[] = [];
  for (const phase of ["validate", "generate"] satisfies Phase[]) {
    for (const { policy } of options.snapshot.written) {
      if (current === undefined) break;
      const decision: Decision = await decideAs(phase, current, policy.key, options);
      const rules = rulesOf(decision);
      if (rules.length > 0) results.push({ policy, resource, rules });
      generated.push(...generatedBy(decision, `${policy.name}-generated`));
    }
  }
  return {
    resource,
    results,
    mutated: current,
    changed: current !== undefined && current !== resource,
    generated: generated.map(({ object }) => object),
    outputs: [...outputs, ...generated],
  };
}

function rulesOf(decision: Decision): RuleResult[] {
  return decision.results.flatMap(({ rules }) => rules);
}

/** Kyverno parity: of a policy with a generation that failed nothing is written. */
function generatedBy(decision: Decision, file: string): Output[] {
  if (rulesOf(decision).some((rule) => isError(rule) || rule.unplanned !== undefined)) return [];
  return decision.effects.filter(({ verb, object }) => verb !== "delete" && ownerOf(object) !== undefined)
    .map(({ object }) => ({ file, object }));
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
