import { exceptionsOf } from "../rules/mod.ts";
import type { PolicyIdentity, RuleResult } from "../engine/mod.ts";
import { asString, dig, type JsonObject } from "../json/mod.ts";
import { nameOf } from "../kube/mod.ts";
import { clusterWideKind } from "../policy/mod.ts";

/** The results of one policy for one object, as the input of a report. */
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

/** The name of a result in reports. */
export type ReportResult = keyof ReportSummary;

/**
 * The name of a rule's result in reports. A failure of a policy that is annotated as not scored is a warning. Kyverno
 * parity: with `auditWarn`, failures of audit rules are warnings too (pinned by tests/report/policy_report_test.ts).
 */
export function reportedResult(
  policy: PolicyIdentity,
  rule: RuleResult,
  { auditWarn = false }: { readonly auditWarn?: boolean } = {},
): ReportResult {
  if (rule.result !== "fail") return rule.result;
  return !isScored(policy) || (auditWarn && rule.action === "Audit") ? "warn" : "fail";
}

/**
 * Whether failures of a policy count as failures. Kyverno parity: the rows of a policy that is not scored have no field
 * `scored`, because Go omits `false`. Pinned by "rows of policies that are not scored do not have the field".
 */
function isScored({ annotations }: PolicyIdentity): boolean {
  return annotations["policies.kyverno.io/scored"] !== "false";
}

/** The input of {@link reportResult}. */
export interface ReportResultInput {
  readonly policy: PolicyIdentity;
  readonly rule: string;
  readonly result: ReportResult;
  readonly message: string;
  readonly resource: JsonObject;
  readonly ruleResult: RuleResult;
}

/**
 * Makes a row of a report of openreports.io. Kyverno parity: the row has Kyverno's fields and properties. Pinned by
 * tests/report/policy_report_test.ts.
 */
export function reportResult(
  { policy, rule, result, message, resource, ruleResult }: ReportResultInput,
  { now }: { readonly now: number },
): JsonObject {
  const category = policy.annotations["policies.kyverno.io/category"];
  const severity = policy.annotations["policies.kyverno.io/severity"];
  const exceptions = exceptionsOf(ruleResult);
  return {
    source: sourceOf(policy),
    policy: policy.key,
    // Rules of CEL policies have no names.
    ...(rule !== "" && { rule }),
    ...(category !== undefined && { category }),
    ...(severities.includes(severity ?? "") && { severity }),
    timestamp: { seconds: Math.floor(now / 1000), nanos: 0 },
    result,
    ...(isScored(policy) && { scored: true }),
    resources: [reference(resource)],
    ...(message !== "" && { message }),
    properties: {
      ...ruleResult.properties,
      ...(exceptions !== undefined && { exceptions: exceptions.map(nameOfKey).join(",") }),
      process: processOf(policy),
    },
  };
}

/**
 * The name in `namespace/name`. Kyverno parity: reports name exceptions without their namespace. Pinned by
 * tests/cli/kyverno_texts_test.ts.
 */
function nameOfKey(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** The severities that the schema of reports allows. */
const severities: readonly string[] = ["critical", "high", "medium", "low", "info"];

/**
 * The message of a result. Kyverno parity: the report property `message`, or one such as `failMessage`, replaces it.
 * Pinned by "a report property replaces the message of its result".
 */
export function messageOf({ message, properties }: RuleResult, result: ReportResult): string {
  return asString(properties?.["message"]) || asString(properties?.[`${result}Message`]) || message;
}

/**
 * The process that evaluates a policy in a cluster, and none for a policy that deletes. Kyverno parity: scans do not
 * evaluate a GeneratingPolicy. Pinned by tests/report/policy_report_test.ts.
 */
function processOf(policy: PolicyIdentity): string {
  const kind = clusterWideKind(policy.kind);
  if (kind === "DeletingPolicy") return "";
  const { background, admission } = policy.written ?? policy;
  const isGenerating = kind === "GeneratingPolicy";
  if (background && !isGenerating) return "background scan";
  return admission || isGenerating ? "admission review" : "";
}

/**
 * The source of a result. Kyverno parity: for one of Kyverno's CEL policies it is `Kyverno` and the kind, for a policy
 * of Kubernetes only the kind; a policy that deletes has none of its own. Pinned by "the source of a result follows
 * from the kind of its policy".
 */
function sourceOf({ kind, language }: PolicyIdentity): string {
  if (language === "classic" || clusterWideKind(kind) === "DeletingPolicy") return "kyverno";
  return kind.includes("Admission") ? kind : `Kyverno${clusterWideKind(kind)}`;
}

function reference(resource: JsonObject): JsonObject {
  const namespace = asString(dig(resource, "metadata", "namespace"));
  const uid = asString(dig(resource, "metadata", "uid"));
  const resourceVersion = asString(dig(resource, "metadata", "resourceVersion"));
  return {
    apiVersion: resource["apiVersion"] ?? "",
    kind: resource["kind"] ?? "",
    ...(namespace !== undefined && namespace !== "" && { namespace }),
    name: nameOf(resource),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
