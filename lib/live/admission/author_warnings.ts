import { authorNotes } from "../../documents/mod.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import { celTypeWarnings } from "./cel_type_warnings.ts";
import type { CheckedPolicy, CheckTools, PolicyCheck } from "./check.ts";
import { matchedKinds, writtenRules } from "./policy_rules.ts";
import { cloneWarnings, targetWarnings } from "./generate_checks.ts";
import { reportWarnings } from "./rights_checks.ts";

/** The warnings for the author of a ClusterPolicy or Policy that is stored, with Kyverno's texts. */
export const authorWarnings: readonly PolicyCheck[] = [
  targetWarnings,
  cloneWarnings,
  unservedKindWarnings,
  noteWarnings,
  reportWarnings,
  celTypeWarnings,
];

/**
 * A policy may be stored before the definition of its kind: it waits for it. A misspelt kind looks the same. Kyverno
 * parity: pinned by "a policy that Kyverno accepts with a warning".
 */
function unservedKindWarnings({ compiled }: CheckedPolicy, { served }: CheckTools): string[] {
  if (served.length === 0) return []; // The API server did not list its resources.
  const namespaced = compiled.policy.namespace !== undefined;
  const kinds = new Set(writtenRules(compiled).flatMap(matchedKinds));
  return [...kinds].filter((kind) => targetResources(kind, { served, namespaced }).length === 0).map((kind) =>
    "the kind defined in the all match resource is invalid: " +
    `unable to convert GVK to GVR for kinds ${kind}, err: resource not found`
  );
}

function noteWarnings({ compiled: { policy } }: CheckedPolicy): string[] {
  return policy.language === "classic" ? authorNotes(policy).map(({ message }) => message) : [];
}
