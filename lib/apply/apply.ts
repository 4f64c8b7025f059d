import {
  type CompiledPolicy,
  type Decision,
  type Effect,
  isOfPhase,
  type RuleResult,
  withRequiredImages,
} from "../engine/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { nameOf } from "../kube/mod.ts";
import { clusterWideKind } from "../policy/mod.ts";
import type { ReportedResult } from "../report/mod.ts";
import { ownerOf, patchedObject, planErrorsOf } from "../rules/mod.ts";
import { type DecideOptions, decideStep } from "./decide.ts";

/**
 * The options of applying policies to objects. Without a cluster, context entries other than API calls have no value.
 */
export type ApplyOptions = DecideOptions;

/** The results of all policies for one object. */
export interface Applied {
  readonly resource: JsonObject;
  readonly results: readonly ReportedResult[];
  /** The steps in order, also of policies without a result. */
  readonly steps: readonly AppliedStep[];
  /** The object after all mutations; `undefined` after a failed one. */
  readonly mutated: JsonObject | undefined;
  /** The files that `--output DIR` writes, in order. */
  readonly outputs: readonly Output[];
}

/** The result of one policy in one step. */
export interface AppliedStep {
  readonly policy: CompiledPolicy["policy"];
  readonly rules: readonly RuleResult[];
  /** The object after the step; `undefined` after a failed mutation. */
  readonly object: JsonObject | undefined;
  /** Whether a rule changed the object. */
  readonly changed: boolean;
  /** The existing objects that rules changed, after the change. */
  readonly targets: readonly JsonObject[];
  /** The objects that rules generated. */
  readonly generated: readonly JsonObject[];
}

/** The fields of a step that only validates: it changes and generates nothing. */
const nothingMade: Pick<AppliedStep, "changed" | "targets" | "generated"> = {
  changed: false,
  targets: [],
  generated: [],
};

/** A document in the output folder. */
export interface Output {
  /** The name of the file, without extension. */
  readonly file: string;
  readonly object: JsonObject;
}

/**
 * Applies all policies to one object: mutations one after the other, then validations of the mutated object, then
 * generations. Kyverno parity: after a mutation that failed nothing is validated; the object is written once for each
 * mutating policy, changed or not, followed by the policy's targets. Pinned by "after a failed mutation no validation
 * runs" and "apply writes an object once for each policy that mutates it, also without a change".
 */
export async function applyPolicies(resource: JsonObject, options: ApplyOptions): Promise<Applied> {
  const steps: AppliedStep[] = [];
  const { mutated, outputs } = await mutate(resource, steps, options);
  const current = await verifyImages(mutated, steps, options);
  const generated = current === undefined ? [] : await validateAndGenerate(current, steps, options);
  // Each policy ran alone; an image counts as verified when any of them verified it.
  const evaluated = withRequiredImages(steps);
  return {
    resource,
    results: evaluated.filter(({ rules }) => rules.length > 0).map(({ policy, rules }) => ({
      policy,
      resource,
      rules,
    })),
    steps: evaluated,
    mutated,
    outputs: [...outputs, ...generated],
  };
}

/** Runs the mutations, each on the object that the policy before left. */
async function mutate(
  resource: JsonObject,
  steps: AppliedStep[],
  options: ApplyOptions,
): Promise<Pick<Applied, "mutated" | "outputs">> {
  const outputs: Output[] = [];
  const file = `${nameOf(resource)}-mutated`;
  let current: JsonObject | undefined = resource;
  let owed = 0;
  for (const { policy, rules } of options.snapshot.written) {
    if (current === undefined) break;
    if (!rules.some(({ type }) => type === "mutate" || type === "mutateExisting")) continue;
    const query = { policy: policy.key, kind: policy.kind };
    const mutation: Decision = await decideStep(current, { phase: "mutate", ...query }, options);
    const changed: RuleResult[] = rulesOf(mutation);
    const patched = changed.map(patchedObject).findLast((object) => object !== undefined);
    const isGone = Object.keys(mutation.object ?? {}).length === 0;
    const seen: JsonObject = patched ?? (isGone ? current : mutation.object!);
    const targets: Decision = await decideStep(seen, { phase: "mutateExisting", ...query }, options);
    const patchedTargets = targets.effects.map(({ object }) => object);
    const isLost = changed.some((rule) => rule.result === "error" && rule.meaning === "objectLost");
    steps.push({
      policy,
      rules: [...changed, ...rulesOf(targets)],
      object: isLost ? undefined : seen,
      changed: !isLost && seen !== current,
      targets: patchedTargets,
      generated: [],
    });
    current = isLost ? undefined : seen;
    if (isMutatingPolicy(policy)) owed += writings(policy, resource);
    else if (current !== undefined && isWrittenFor(policy, changed)) outputs.push({ file, object: current });
    outputs.push(...patchedTargets.map((object) => ({ file, object })));
  }
  // Kyverno parity: MutatingPolicies come last, and the object is written for each with the changes of all. Pinned by
  // "apply writes MutatingPolicies last, with the changes of all, and a Pod twice for each".
  for (; current !== undefined && owed > 0; owed--) outputs.push({ file, object: current });
  return { mutated: current, outputs };
}

/** Runs the validations and then the generations; returns the generated objects. */
async function validateAndGenerate(
  object: JsonObject,
  steps: AppliedStep[],
  options: ApplyOptions,
): Promise<readonly Output[]> {
  const generated: Output[] = [];
  for (const phase of ["validate", "generate"] as const) {
    for (const { policy, rules } of options.snapshot.written) {
      if (!rules.some(({ type }) => isOfPhase(type, phase))) continue;
      const query = { phase, policy: policy.key, kind: policy.kind };
      const decision: Decision = await decideStep(object, query, options);
      const made = generatedBy(decision, `${policy.name}-generated`);
      steps.push({
        ...nothingMade,
        policy,
        rules: phase === "generate" ? rulesOf(decision).filter(isForTrigger) : rulesOf(decision),
        object,
        generated: made.map(({ object }) => object),
      });
      generated.push(...made);
    }
  }
  return generated;
}

/**
 * Verifies the images of an object, one policy after the other. Kyverno parity: each sees the digests and the
 * annotations that the policy before wrote, and replaces the annotations; files get neither. Pinned by "image policies
 * see digests from earlier policies, the written files do not have them".
 */
async function verifyImages(
  object: JsonObject | undefined,
  steps: AppliedStep[],
  options: ApplyOptions,
): Promise<JsonObject | undefined> {
  let current = object;
  for (const { policy, rules } of options.snapshot.written) {
    if (current === undefined) break;
    // Kyverno parity: image policies in CEL do not change objects here. Pinned by
    // tests/conformance/sets/verify_images.ts.
    const isClassic = policy.language === "classic";
    if (!isClassic || !rules.some(({ type }) => type === "verifyImages")) continue;
    const query = { phase: "verifyImages", policy: policy.key, kind: policy.kind } as const;
    const decision: Decision = await decideStep(current, query, options);
    current = decision.verified ?? current;
    steps.push({ ...nothingMade, policy, rules: rulesOf(decision), object: current });
  }
  return current;
}

/**
 * Whether the object is written for a policy. Kyverno parity: for a MutatingAdmissionPolicy only if that selects the
 * object, and can be evaluated. Pinned by "apply writes an object for a MutatingAdmissionPolicy that selects it, and
 * that can be evaluated".
 */
function isWrittenFor({ kind }: CompiledPolicy["policy"], results: readonly RuleResult[]): boolean {
  return kind !== "MutatingAdmissionPolicy" || (results.length > 0 && !results.some(isError));
}

/**
 * Kyverno parity: a Pod is written twice for a MutatingPolicy that has autogen rules. Pinned by "apply writes
 * MutatingPolicies last, with the changes of all, and a Pod twice for each".
 */
function writings({ rules }: CompiledPolicy["policy"], resource: JsonObject): number {
  const isCarriedOver = rules.some(({ generatedFor }) => generatedFor !== undefined);
  return isCarriedOver && resource["kind"] === "Pod" ? 2 : 1;
}

function isMutatingPolicy({ kind }: CompiledPolicy["policy"]): boolean {
  return clusterWideKind(kind) === "MutatingPolicy";
}

function rulesOf(decision: Decision): RuleResult[] {
  return decision.results.flatMap(({ rules }) => rules);
}

/**
 * Kyverno parity: when a generation of a policy fails, nothing of the policy is written. Pinned by "apply writes no
 * object of a policy with a failed generation".
 */
function generatedBy(decision: Decision, file: string): Output[] {
  if (rulesOf(decision).some((rule) => isError(rule) || planErrorsOf(rule).length > 0)) return [];
  const isMade = ({ verb, object }: Effect): boolean =>
    verb !== "delete" && (verb !== "update" || ownerOf(object) !== undefined);
  return decision.effects.filter(isMade).map(({ object }) => ({ file, object }));
}

/** Whether a rule generates for the trigger. One that no longer applies fails: it withdraws what it generated. */
function isForTrigger({ result }: RuleResult): boolean {
  return result !== "fail";
}

function isError(rule: RuleResult): boolean {
  return rule.result === "error";
}
