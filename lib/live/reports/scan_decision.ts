import { existingRequest } from "../../background/mod.ts";
import {
  type Decision,
  evaluate,
  type EvaluateOptions,
  type PolicyRequest,
  type PolicyResult,
  replaced,
  restrict,
  type Snapshot,
} from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { Ports } from "../../ports.ts";
import { exceptionsOf, fail, patchedObject, withoutNotes } from "../../rules/mod.ts";
import { isScanned } from "./scan_targets.ts";

/** The policies that a scan evaluates. */
export interface ScannedPolicies {
  readonly all: Snapshot;
  /** The policies among them with rules `verifyImages`. */
  readonly images: Snapshot;
}

/** Selects the policies of a snapshot that a scan evaluates. */
export function scannedPolicies(snapshot: Snapshot): ScannedPolicies {
  const all = restrict(snapshot, isScanned);
  return {
    all,
    images: restrict(
      all,
      ({ policy, rules }) =>
        policy.language === "classic" && rules.some(({ type }) => type === "verifyImages"),
    ),
  };
}

type ScanOptions = Omit<EvaluateOptions, "phase"> & { readonly ports: Ports };

/** Evaluates the background policies for an existing object, as if it were created now. The object is not changed. */
export async function scanDecision(
  { all, images }: ScannedPolicies,
  object: JsonObject,
  ports: Ports,
): Promise<Decision> {
  const request = existingRequest(object);
  const options: ScanOptions = { rules: "all", ports, deadline: () => AbortSignal.timeout(10_000) };
  const validated = await evaluate(all, request, { ...options, phase: "validate" });
  const results = [
    ...validated.results.map(withoutChecks),
    ...await imageResults(images, object, options),
    ...await mutationResults(all, request, options),
  ];
  return { ...validated, results };
}

/** A scan verifies images again, so the notes in an object's annotations do not count. */
function withoutChecks({ policy, rules }: PolicyResult): PolicyResult {
  return { policy, rules: rules.filter(({ type }) => type !== "checkImages") };
}

/**
 * Kyverno parity: a scan verifies images as at the creation of the object. Pinned by
 * tests/live/scan_decision_test.ts.
 */
async function imageResults(
  images: Snapshot,
  object: JsonObject,
  options: ScanOptions,
): Promise<readonly PolicyResult[]> {
  if (images.policies.length === 0) return [];
  const request = existingRequest(withoutNotes(object));
  return (await evaluate(images, request, { ...options, phase: "verifyImages" })).results;
}

const notApplied = fail("mutation is not applied");

/**
 * Kyverno parity: an object that a mutation in CEL would still change violates it. Pinned by "with a mutation in
 * CEL".
 */
async function mutationResults(
  policies: Snapshot,
  request: PolicyRequest,
  options: ScanOptions,
): Promise<PolicyResult[]> {
  const results: PolicyResult[] = [];
  for (const { policy: { key, kind } } of policies.candidates("mutate", request)) {
    // The policies are evaluated one by one: each sees the stored object, not the changes of others.
    const decision = await evaluate(policies, request, { ...options, phase: "mutate", policy: key, kind });
    results.push(...decision.results.map(({ policy, rules }) => ({
      policy,
      rules: rules.map((rule) => patchedObject(rule) === undefined ? rule : replaced(rule, notApplied))
        .filter((rule) => rule.result !== "skip" || exceptionsOf(rule) !== undefined),
    })));
  }
  return results;
}
