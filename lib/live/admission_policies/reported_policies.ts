import { asString, dig, type JsonObject } from "../../json/mod.ts";
import { labelsOf, nameOf } from "../../kube/mod.ts";
import type { ObjectDocuments } from "../object_document.ts";
import { isGenerated } from "./conversions.ts";
import type { YamlDocument } from "../../yaml/mod.ts";

/**
 * The documents of admission policies that scans evaluate for reports, with their bindings. The API server enforces
 * them for requests; a scan finds existing objects that break them. Kyverno parity: those with a label are reported,
 * and those that Kyverno made from its policies. Pinned by tests/live/stored_admission_policies_test.ts.
 */
export function reportedAdmissionPolicies(
  objects: readonly JsonObject[],
  documents: ObjectDocuments,
): YamlDocument[] {
  const policies = objects.filter(isReported);
  const bound = new Set(policies.map((policy) => `${policy["kind"]}Binding ${nameOf(policy)}`));
  const bindings = objects.filter((object) => bound.has(`${object["kind"]} ${boundName(object)}`));
  return [...policies, ...bindings].map((object) => documents.of(object));
}

/**
 * Whether a change of an admission policy or binding may change reports. Those that Postern makes change none: while it
 * wrote thousands, all policies were loaded again and again.
 */
export function concernsReports(object: JsonObject): boolean {
  return isReported(object) || boundName(object) !== undefined && !isGenerated(object);
}

function isReported(object: JsonObject): boolean {
  const labels = labelsOf(object);
  return boundName(object) === undefined && labels["reports.kyverno.io/enabled"] === "true" &&
    labels["app.kubernetes.io/managed-by"] !== "kyverno";
}

/** The policy of a binding; `undefined` for policies. */
function boundName(object: JsonObject): string | undefined {
  return asString(dig(object, "spec", "policyName"));
}
