import type { MetricOptions } from "./metric.ts";

/** A number by labels. */
export type NumberRecord = MetricOptions & { readonly type: "counter" | "gauge" };

/** A distribution by labels; `bounds` are the upper ends of its buckets. */
export type DistributionRecord = MetricOptions & {
  readonly type: "histogram";
  readonly bounds: readonly number[];
};

/** A metric, from which the server, the dashboard and the documentation take its name and labels. */
export type MetricRecord = NumberRecord | DistributionRecord;

const policy = ["policy_validation_mode", "policy_background_mode", "policy_namespace", "policy_name"];
const request = ["resource_kind", "resource_request_operation"];

/** Bounds in seconds: a rule takes some microseconds, one that loads values some milliseconds. */
const ruleBounds = [0.00001, 0.0001, 0.001, 0.01, 0.1, 1, 10];

/** The help text that all metrics of rule durations share. */
const timed =
  "Duration of evaluations, with the loads that they waited for; of requests that arrive together only one is timed";

/**
 * The metrics at `/metrics`, without those of rules and of work on a live cluster. Kyverno parity: names and labels are
 * Kyverno's, where it has the metric, without labels whose values come from requests (names and namespaces of
 * resources). Pinned by "metrics have Kyverno's names, and labels with bounded values".
 */
export const metricTable = {
  requests: {
    type: "counter",
    name: "kyverno_admission_requests_total",
    help: "Admission requests",
    labels: ["resource_kind", "resource_request_operation", "request_allowed"],
  },
  reviewDuration: {
    type: "histogram",
    name: "kyverno_admission_review_duration_seconds",
    help: "Time from an admission request to its answer",
    labels: ["resource_request_operation", "request_allowed"],
    bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  },
  rules: {
    type: "gauge",
    name: "kyverno_policy_rule_info_total",
    help: "Rules that are loaded; status_ready is false for a rule that cannot be used",
    labels: [...policy, "policy_type", "rule_name", "rule_type", "status_ready"],
  },
  changes: {
    type: "counter",
    name: "kyverno_policy_changes_total",
    help: "Policies that were added, replaced or removed",
    labels: [...policy, "policy_type", "policy_change_type"],
  },
  info: { type: "gauge", name: "kyverno_info", help: "The version of Postern", labels: ["version"] },
  queries: {
    type: "counter",
    name: "kyverno_client_queries_total",
    help: "Calls to the API server, without watches",
    labels: ["operation", "resource_kind"],
  },
  inForce: {
    type: "gauge",
    name: "postern_policies",
    help:
      "Policies in force; broken ones answer as their failurePolicy says, those left out take too much memory. The checksum is that of the manifests",
    labels: ["checksum", "state"],
  },
  recorded: {
    type: "counter",
    name: "postern_recorded_reviews_total",
    help:
      "Reviews that --record took: written, or dropped because they are too long, too many, or cannot be written",
    labels: ["outcome"],
  },
} as const satisfies Record<string, MetricRecord>;

/** The family of metrics that count a policy's results. */
export type PolicyFamily = "classic" | "validating" | "mutating" | "generating" | "image_validating";

/** The metrics of rule results and durations. Each kind of policies.kyverno.io has its metrics. */
export const ruleMetrics: Readonly<
  Record<PolicyFamily, { readonly results: MetricOptions; readonly durations: DistributionRecord }>
> = {
  classic: {
    results: {
      name: "kyverno_policy_results_total",
      help: "Results of rules of ClusterPolicies and Policies",
      labels: [
        ...policy,
        "policy_type",
        ...request,
        "rule_name",
        "rule_type",
        "rule_result",
        "rule_execution_cause",
      ],
    },
    durations: {
      type: "histogram",
      name: "kyverno_policy_execution_duration_seconds",
      help: timed,
      labels: [
        "policy_type",
        "policy_namespace",
        "policy_name",
        "rule_name",
        "rule_type",
        "rule_result",
        "rule_execution_cause",
      ],
      bounds: ruleBounds,
    },
  },
  validating: celMetrics("validating", "ValidatingPolicies"),
  mutating: celMetrics("mutating", "MutatingPolicies"),
  generating: celMetrics("generating", "GeneratingPolicies"),
  image_validating: celMetrics("image_validating", "ImageValidatingPolicies"),
};

function celMetrics(family: PolicyFamily, kind: string): (typeof ruleMetrics)[PolicyFamily] {
  return {
    results: {
      name: `kyverno_${family}_policy_results_total`,
      help: `Results of ${kind}`,
      labels: [...policy, ...request, "execution_cause", "result"],
    },
    durations: {
      type: "histogram",
      name: `kyverno_${family}_policy_execution_duration_seconds`,
      help: timed,
      labels: ["policy_namespace", "policy_name", "execution_cause", "result"],
      bounds: ruleBounds,
    },
  };
}
