import type { JsonObject } from "../../json/mod.ts";

/** A panel of the dashboard. */
export interface Panel {
  readonly title: string;
  readonly about: string;
  /** PromQL over metrics of the metric table, and the legend of its series: `{{rule_name}}`. */
  readonly queries: readonly (readonly [query: string, legend: string])[];
  /** Grafana's name of the unit. */
  readonly unit: "s" | "reqps" | "ops" | "short";
  readonly type: "timeseries" | "stat";
}

/** Every panel of the dashboard, two in a row. The queries read Kyverno's metric names, so they also show a Kyverno. */
export const panels: readonly Panel[] = [
  {
    title: "Admission requests",
    about: "Requests per second, by answer",
    queries: [[
      "sum by (request_allowed) (rate(kyverno_admission_requests_total[$__rate_interval]))",
      "allowed: {{request_allowed}}",
    ]],
    unit: "reqps",
    type: "timeseries",
  },
  {
    title: "Time to an answer",
    about: "From a request to its answer inside Postern",
    queries: [0.5, 0.99].map((quantile) => [
      `histogram_quantile(${quantile}, sum by (le) (rate(kyverno_admission_review_duration_seconds_bucket[$__rate_interval])))`,
      `p${quantile * 100}`,
    ]),
    unit: "s",
    type: "timeseries",
  },
  {
    title: "Failing rules",
    about: "Rules that requests break, by policy",
    queries: [
      [
        'topk(10, sum by (policy_name, rule_name) (rate(kyverno_policy_results_total{rule_result="fail"}[$__rate_interval])))',
        "{{policy_name}}/{{rule_name}}",
      ],
      [
        'topk(10, sum by (policy_name) (rate(kyverno_validating_policy_results_total{result="fail"}[$__rate_interval])))',
        "{{policy_name}}",
      ],
    ],
    unit: "ops",
    type: "timeseries",
  },
  {
    title: "Rules in error",
    about: "Rules that cannot be evaluated: their failurePolicy decides",
    queries: [
      [
        'sum by (policy_name, rule_name) (rate(kyverno_policy_results_total{rule_result="error"}[$__rate_interval]))',
        "{{policy_name}}/{{rule_name}}",
      ],
      [
        'sum by (policy_name) (rate(kyverno_validating_policy_results_total{result="error"}[$__rate_interval]))',
        "{{policy_name}}",
      ],
    ],
    unit: "ops",
    type: "timeseries",
  },
  {
    title: "Slowest rules",
    about: "Mean duration of evaluations that were timed; /debug/rules has the longest one",
    queries: [[
      "topk(10, sum by (policy_name, rule_name) (rate(kyverno_policy_execution_duration_seconds_sum[$__rate_interval])) / " +
      "sum by (policy_name, rule_name) (rate(kyverno_policy_execution_duration_seconds_count[$__rate_interval])))",
      "{{policy_name}}/{{rule_name}}",
    ]],
    unit: "s",
    type: "timeseries",
  },
  {
    title: "Requests by kind",
    about: "Kinds with the most requests",
    queries: [[
      "topk(10, sum by (resource_kind) (rate(kyverno_admission_requests_total[$__rate_interval])))",
      "{{resource_kind}}",
    ]],
    unit: "reqps",
    type: "timeseries",
  },
  {
    title: "Policies",
    about: "Policies in force, and policies that cannot be used",
    queries: [["max by (state) (postern_policies)", "{{state}}"]],
    unit: "short",
    type: "stat",
  },
  {
    title: "Changes of policies",
    about: "Policies added, changed and removed",
    queries: [[
      "sum by (policy_change_type) (increase(kyverno_policy_changes_total[$__rate_interval]))",
      "{{policy_change_type}}",
    ]],
    unit: "short",
    type: "timeseries",
  },
  {
    title: "Calls to the API server",
    about: "Without watches",
    queries: [["sum by (operation) (rate(kyverno_client_queries_total[$__rate_interval]))", "{{operation}}"]],
    unit: "ops",
    type: "timeseries",
  },
  {
    title: "Background work",
    about: "UpdateRequests that wait, events that were dropped, and objects that were cleaned up",
    queries: [
      ["max(kyverno_updaterequest_total)", "UpdateRequests"],
      ["sum(increase(kyverno_events_dropped_total[$__rate_interval]))", "dropped events"],
      ["sum(increase(kyverno_cleanup_controller_deletedobjects_total[$__rate_interval]))", "cleaned up"],
      ["sum(increase(kyverno_ttl_controller_deletedobjects_total[$__rate_interval]))", "time to live over"],
    ],
    unit: "short",
    type: "timeseries",
  },
];

const height = 8, width = 12;

/**
 * A dashboard for Grafana 10 and later (its JSON model, schema version 39). Grafana requests the Prometheus when it
 * imports it.
 */
export function dashboard(): JsonObject {
  return {
    uid: "postern",
    title: "Postern",
    tags: ["kubernetes", "admission", "kyverno"],
    schemaVersion: 39,
    version: 1,
    editable: true,
    timezone: "browser",
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: {
      list: [{ name: "source", label: "Prometheus", type: "datasource", query: "prometheus", hide: 0 }],
    },
    annotations: { list: [] },
    panels: panels.map((panel, index) => panelModel(panel, index)),
  };
}

function panelModel({ title, about, queries, unit, type }: Panel, index: number): JsonObject {
  const datasource = { type: "prometheus", uid: "${source}" };
  return {
    id: index + 1,
    title,
    description: about,
    type,
    datasource,
    gridPos: { x: (index % 2) * width, y: Math.floor(index / 2) * height, w: width, h: height },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + at),
      datasource,
      expr,
      legendFormat,
      range: true,
    })),
  };
}
