import type { PolicyIdentity, RuleResult } from "../engine/mod.ts";
import { asString, dig, type Json, type JsonObject } from "../json/mod.ts";
import { nameOf } from "../kube/mod.ts";

/** Results of one policy for one object, as a report wants them. */
export interface ReportedResult {
  readonly policy: PolicyIdentity;
  readonly resource: JsonObject;
  readonly rules: readonly RuleResult[];
}

/** Counts by result. */
export interface ReportSummary {
  pass: number;
  fail: number;
  warn: number;
  error: number;
  skip: number;
}

/**
 * One report over everything, of openreports.io/v1alpha1. Kyverno parity: the shape of `apply --policy-report`, where
 * results of policies that are not scored warn instead of fail.
 */
export function clusterReport(results: readonly ReportedResult[], now: number): JsonObject {
  const rows = results.flatMap((result) => result.rules.map((rule) => reportRow(result, rule, now)));
  return {
    apiVersion: "openreports.io/v1alpha1",
    kind: "ClusterReport",
    metadata: { name: "merged" },
    source: "postern",
    results: rows.sort(byPolicyAndRule),
    summary: { ...summarise(results) },
  };
}

/** Counts the results of rules, as the command line's last line shows them. */
export function summarise(results: readonly ReportedResult[]): ReportSummary {
  const summary = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
  for (const { policy, rules } of results) for (const rule of rules) summary[reportedResult(policy, rule)]++;
  return summary;
}

/** A rule's result as reports call it: a policy annotated as not scored warns where others fail. */
export function reportedResult(policy: PolicyIdentity, rule: RuleResult): keyof ReportSummary {
  return rule.result === "fail" && policy.annotations["policies.kyverno.io/scored"] === "false"
    ? "warn"
    : rule.result;
}

function reportRow({ policy, resource }: ReportedResult, rule: RuleResult, now: number): JsonObject {
  const { category, severity } = labelsOf(policy);
  return {
    source: sourceOf(policy),
    policy: policy.key,
    rule: rule.rule,
    ...(category !== undefined && { category }),
    ...(severity !== undefined && { severity }),
    timestamp: { seconds: Math.floor(now / 1000), nanos: 0 },
    result: reportedResult(policy, rule),
    scored: policy.annotations["policies.kyverno.io/scored"] !== "false",
    resources: [reference(resource)],
    message: messageOf(rule, reportedResult(policy, rule)),
    ...(rule.properties !== undefined && { properties: rule.properties }),
  };
}

/** Kyverno parity: a rule's reportProperties may say in its author's words what became of it. */
function messageOf({ message, properties }: RuleResult, result: keyof ReportSummary): string {
  return asString(properties?.["message"]) || asString(properties?.[`${result}Message`]) || message;
}

function labelsOf(
  { annotations }: PolicyIdentity,
): { category: string | undefined; severity: string | undefined } {
  return {
    category: annotations["policies.kyverno.io/category"],
    severity: annotations["policies.kyverno.io/severity"],
  };
}

/** Kyverno parity: policies in CEL are sources of their own, those of Kubernetes under the name of their kind. */
function sourceOf({ kind }: PolicyIdentity): string {
  if (kind === "ClusterPolicy" || kind === "Policy") return "kyverno";
  return kind.includes("Admission") ? kind : `Kyverno${kind}`;
}

function reference(resource: JsonObject): JsonObject {
  const namespace = asString(dig(resource, "metadata", "namespace"));
  const uid = asString(dig(resource, "metadata", "uid"));
  return {
    apiVersion: resource["apiVersion"] ?? "",
    kind: resource["kind"] ?? "",
    ...(namespace !== undefined && namespace !== "" && { namespace }),
    name: nameOf(resource),
    ...(uid !== undefined && { uid }),
  };
}

function byPolicyAndRule(left: Json, right: Json): number {
  const key = (row: Json): string => `${dig(row, "policy")}\n${dig(row, "rule")}`;
  const [a, b] = [key(left), key(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}
