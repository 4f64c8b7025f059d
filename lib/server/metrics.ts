import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Decision, PolicyRequest, Snapshot } from "../engine/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";

/**
 * The server's metrics, under the names that Kyverno's dashboards ask for. Labels are few and bounded: no object names
 * and no namespaces of requests.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "kyverno_admission_requests_total",
    help: "Admission requests",
    labelNames: ["resource_kind", "resource_request_operation", "request_allowed"],
    registers: [this.#registry],
  });
  readonly #duration = new Histogram({
    name: "kyverno_admission_review_duration_seconds",
    help: "Time from an admission request to its answer",
    labelNames: ["resource_request_operation", "request_allowed"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [this.#registry],
  });
  readonly #results = new Counter({
    name: "kyverno_policy_results_total",
    help: "Results of rules",
    labelNames: [
      "policy_name",
      "policy_type",
      "rule_name",
      "rule_type",
      "rule_result",
      "resource_request_operation",
    ],
    registers: [this.#registry],
  });
  readonly #rules = new Gauge({
    name: "kyverno_policy_rule_info_total",
    help: "Rules that are loaded; 0 for a rule that cannot be used",
    labelNames: ["policy_name", "policy_type", "rule_name", "rule_type", "status_ready"],
    registers: [this.#registry],
  });
  readonly #changes = new Counter({
    name: "kyverno_policy_changes_total",
    help: "Times that policies were loaded",
    registers: [this.#registry],
  });
  /** Kinds come from requests; the first ones keep their names, the rest is counted as "other". */
  readonly #kinds = new Set<string>();

  /** A request was answered, after some milliseconds. */
  reviewed(request: AdmissionRequest, allowed: boolean, milliseconds: number): void {
    const operation = request.operation.toLowerCase();
    const request_allowed = String(allowed);
    const resource_kind = this.#kindLabel(request.kind.kind);
    this.#requests.inc({ resource_kind, resource_request_operation: operation, request_allowed });
    this.#duration.observe({ resource_request_operation: operation, request_allowed }, milliseconds / 1000);
  }

  /** Policies gave their results. */
  decided(decision: Decision, request: PolicyRequest): void {
    const operation = request.operation.toLowerCase();
    for (const { policy, rules } of decision.results) {
      for (const rule of rules) {
        this.#results.inc({
          policy_name: policy.key,
          policy_type: policy.namespace === undefined ? "cluster" : "namespaced",
          rule_name: rule.rule,
          rule_type: rule.type,
          rule_result: rule.result,
          resource_request_operation: operation,
        });
      }
    }
  }

  /** A snapshot took effect. */
  loaded(snapshot: Snapshot): void {
    this.#changes.inc();
    this.#rules.reset();
    for (const { policy, rules, broken } of snapshot.policies) {
      for (const { rule, type } of rules) {
        this.#rules.set({
          policy_name: policy.key,
          policy_type: policy.namespace === undefined ? "cluster" : "namespaced",
          rule_name: rule.name,
          rule_type: type,
          status_ready: String(broken === undefined),
        }, 1);
      }
    }
  }

  /** All metrics as Prometheus reads them. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #kindLabel(kind: string): string {
    if (this.#kinds.has(kind)) return kind;
    if (this.#kinds.size >= 100) return "other";
    this.#kinds.add(kind);
    return kind;
  }
}
