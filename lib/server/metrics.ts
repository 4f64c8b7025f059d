import {
  areConstant,
  type Decision,
  type PolicyIdentity,
  type PolicyRequest,
  type RuleResult,
  type Snapshot,
} from "../engine/mod.ts";
import { type AdmissionRequest, builtinKind, hasWildcard, parseKindSelectors } from "../kube/mod.ts";
import { Counter, type Distribution, Gauge, Histogram, type SeriesValue } from "./metric.ts";

interface KnownSeries {
  readonly result: string;
  readonly operation: string;
  readonly cell: SeriesValue;
}

interface KnownAnswers {
  readonly operation: string;
  readonly allowed: boolean;
  readonly requests: SeriesValue;
  readonly duration: Distribution;
}

/**
 * The server's metrics, with the names that Kyverno's dashboards use. Labels are few and bounded: no object names and
 * no namespaces of requests.
 */
export class Metrics {
  readonly #requests = new Counter({
    name: "kyverno_admission_requests_total",
    help: "Admission requests",
    labels: ["resource_kind", "resource_request_operation", "request_allowed"],
  });
  readonly #duration = new Histogram({
    name: "kyverno_admission_review_duration_seconds",
    help: "Time from an admission request to its answer",
    labels: ["resource_request_operation", "request_allowed"],
    bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  });
  readonly #results = new Counter({
    name: "kyverno_policy_results_total",
    help: "Results of rules",
    labels: [
      "policy_name",
      "policy_type",
      "rule_name",
      "rule_type",
      "rule_result",
      "resource_request_operation",
    ],
  });
  readonly #rules = new Gauge({
    name: "kyverno_policy_rule_info_total",
    help: "Rules that are loaded; status_ready is false for a rule that cannot be used",
    labels: ["policy_name", "policy_type", "rule_name", "rule_type", "status_ready"],
  });
  readonly #inForce = new Gauge({
    name: "postern_policies",
    help:
      "Policies in force; broken ones answer as their failurePolicy says. The checksum is that of the manifests",
    labels: ["checksum", "state"],
  });
  readonly #changes = new Counter({
    name: "kyverno_policy_changes_total",
    help: "Times that policies were loaded",
    labels: [],
  });
  readonly #recorded = new Counter({
    name: "postern_recorded_reviews_total",
    help:
      "Reviews that --record took: written, or dropped because they are too long, too many, or cannot be written",
    labels: ["outcome"],
  });
  /** Series of results at hand, by policy and rule. Policies go with their snapshot, and these with them. */
  readonly #series = new WeakMap<object, Map<string, KnownSeries[]>>();
  /** The same by the results themselves, where they are the same objects at each request. */
  readonly #constant = new WeakMap<
    readonly RuleResult[],
    { readonly operation: string; readonly cells: readonly SeriesValue[] }
  >();
  /** Series of answers at hand, by kind: as many kinds as have names of their own. */
  readonly #answers = new Map<string, KnownAnswers[]>();
  /** Kinds that policies name. */
  #kinds: ReadonlySet<string> = new Set();

  /** A request was answered, after some milliseconds. */
  reviewed(request: AdmissionRequest, allowed: boolean, milliseconds: number): void {
    const { operation } = request;
    const kind = this.#kindLabel(request.kind.kind);
    let answers = this.#answers.get(kind);
    if (answers === undefined) this.#answers.set(kind, answers = []);
    let known = answers.find((each) => each.operation === operation && each.allowed === allowed);
    if (known === undefined) {
      const labels = [operation.toLowerCase(), String(allowed)];
      known = {
        operation,
        allowed,
        requests: this.#requests.at(kind, ...labels),
        duration: this.#duration.at(...labels),
      };
      answers.push(known);
    }
    known.requests.value++;
    this.#duration.add(milliseconds / 1000, known.duration);
  }

  /** Policies gave their results. */
  decided({ results }: Decision, { operation }: PolicyRequest): void {
    for (const { policy, rules } of results) {
      for (const cell of this.#cellsOf(policy, rules, operation)) cell.value++;
    }
  }

  /** The series of a policy's results. Results that the engine made at load come again, and have theirs at hand. */
  #cellsOf(policy: PolicyIdentity, rules: readonly RuleResult[], operation: string): readonly SeriesValue[] {
    const known = this.#constant.get(rules);
    if (known?.operation === operation) return known.cells;
    const cells = rules.map((rule) => this.#cellOf(policy, rule, operation));
    if (areConstant(rules)) this.#constant.set(rules, { operation, cells });
    return cells;
  }

  #cellOf(policy: PolicyIdentity, { rule, type, result }: RuleResult, operation: string): SeriesValue {
    let series = this.#series.get(policy);
    if (series === undefined) this.#series.set(policy, series = new Map());
    // A policy has few rules, and a rule few results: looking twice is cheaper than putting a key together.
    let cells = series.get(rule);
    if (cells === undefined) series.set(rule, cells = []);
    let known = cells.find((each) => each.result === result && each.operation === operation);
    if (known === undefined) {
      const labels = [policy.key, typeOf(policy), rule, type, result, operation.toLowerCase()];
      known = { result, operation, cell: this.#results.at(...labels) };
      cells.push(known);
    }
    return known.cell;
  }

  /** A review was recorded, or could not be. */
  recorded(outcome: "written" | "dropped"): void {
    this.#recorded.increment(outcome);
  }

  /** A snapshot took effect; of policies that came from files with the files' checksum. */
  loaded(snapshot: Snapshot, checksum = ""): void {
    this.#changes.increment();
    this.#inForce.reset();
    const broken = snapshot.policies.filter((policy) => policy.broken !== undefined).length;
    this.#inForce.set(snapshot.policies.length - broken, checksum, "ready");
    this.#inForce.set(broken, checksum, "broken");
    this.#rules.reset();
    this.#kinds = kindsOf(snapshot);
    for (const { policy, rules, broken } of snapshot.policies) {
      for (const { rule, type } of rules) {
        this.#rules.set(1, policy.key, typeOf(policy), rule.name, type, String(broken === undefined));
      }
    }
  }

  /** All metrics as Prometheus reads them. */
  text(): Promise<string> {
    const all = [
      this.#requests,
      this.#duration,
      this.#results,
      this.#rules,
      this.#inForce,
      this.#changes,
      this.#recorded,
    ];
    return Promise.resolve(all.map((metric) => metric.text()).join(""));
  }

  /**
   * Requests choose kinds, so only the kinds of Kubernetes and of policies have series; all others count as "other".
   */
  #kindLabel(kind: string): string {
    return this.#kinds.has(kind) || builtinKind(kind) !== undefined ? kind : "other";
  }
}

function kindsOf({ policies }: Snapshot): ReadonlySet<string> {
  const filters = policies.flatMap(({ rules }) => rules.flatMap(({ selector }) => selector.match.filters));
  const selectors = filters.flatMap(({ kinds }) => kinds.flatMap(parseKindSelectors));
  return new Set(selectors.map(({ kind }) => kind).filter((kind) => !hasWildcard(kind)));
}

function typeOf({ namespace }: { readonly namespace: string | undefined }): string {
  return namespace === undefined ? "cluster" : "namespaced";
}
