import {
  areConstant,
  type Decision,
  type PolicyIdentity,
  type PolicyRequest,
  type RuleResult,
  type Snapshot,
} from "../../engine/mod.ts";
import { type AdmissionRequest, builtinKind, hasWildcard, parseKindSelectors } from "../../kube/mod.ts";
import type { Policy } from "../../policy/mod.ts";
import { Counter, type Distribution, Gauge, Histogram, other, type SeriesValue } from "./metric.ts";
import { metricTable, type PolicyFamily, ruleMetrics } from "./metric_table.ts";
import { policyChanges } from "./policy_changes.ts";
import { familyOf, labelsOfPolicy } from "./policy_labels.ts";
import { RuleTimes, type TimedRule } from "./rule_times.ts";
import { SeriesRoom } from "./series_room.ts";

/** The cause of an evaluation. */
export type ExecutionCause = "admission_request" | "background_scan";

/** The labels of a policy's results, besides those of the policy. */
interface Occasion {
  readonly kind: string;
  readonly operation: string;
  readonly cause: ExecutionCause;
}

interface CachedSeries extends Occasion {
  readonly result: string;
  readonly action: string;
  readonly cell: SeriesValue;
}

interface CachedCells extends Occasion {
  readonly cells: readonly SeriesValue[];
}

interface CachedAnswers {
  readonly operation: string;
  readonly allowed: boolean;
  readonly requests: SeriesValue;
  readonly duration: Distribution;
}

/** Metrics that another part counts. */
export interface MetricsPart {
  /** The metrics in Prometheus' text format. */
  text(): string;
}

/** The families of policies, each with its metrics of rule results and durations. */
const families = Object.keys(ruleMetrics) as PolicyFamily[];

/**
 * The server's metrics, with the names that Kyverno's dashboards use. Labels are few and bounded: no object names and
 * no namespaces of requests.
 */
export class Metrics {
  /** Bounds the page: one of 120 MB took four seconds to write, and the process ran out of memory. */
  readonly #room = new SeriesRoom(6_000_000);
  readonly #rulesRoom = new SeriesRoom(3_000_000);
  /** These metrics keep the series of deleted policies: a user who creates many policies can fill this room alone. */
  readonly #formerRoom = new SeriesRoom(500_000);
  readonly #requests = new Counter(metricTable.requests, this.#room);
  readonly #duration = new Histogram(metricTable.reviewDuration, this.#room);
  readonly #rules = new Gauge(metricTable.rules, this.#rulesRoom);
  readonly #inForce = new Gauge(metricTable.inForce, this.#room);
  readonly #changes = new Counter(metricTable.changes, this.#formerRoom);
  readonly #recorded = new Counter(metricTable.recorded, this.#room);
  readonly #info = new Gauge(metricTable.info, this.#room);
  readonly #queries = new Counter(metricTable.queries, this.#room);
  readonly #results = byFamily((family) => new Counter(ruleMetrics[family].results, this.#room));
  readonly #durations = byFamily((family) => new Histogram(ruleMetrics[family].durations, this.#room));
  /** The durations of rules. */
  readonly times: RuleTimes = new RuleTimes((timed) => this.#timed(timed));
  /** The cached series of results, by policy and rule. */
  #series = new WeakMap<object, Map<string, CachedSeries[]>>();
  /** The cached series of constant results, by the list of results. */
  #constant = new WeakMap<readonly RuleResult[], CachedCells[]>();
  /** The cached series of answers, by the kinds that have series. */
  readonly #answers = new Map<string, CachedAnswers[]>();
  /** The kinds that policies name. */
  #kinds: ReadonlySet<string> = new Set();
  #policies: readonly Policy[] = [];
  readonly #parts: MetricsPart[] = [];

  constructor(version = "") {
    if (version !== "") this.#info.set(1, version);
  }

  /** Counts an answered request, with its duration in milliseconds. */
  reviewed(request: AdmissionRequest, allowed: boolean, milliseconds: number): void {
    const { operation } = request;
    const kind = this.#kindLabel(request.kind.kind);
    let answers = this.#answers.get(kind);
    if (answers === undefined) this.#answers.set(kind, answers = []);
    let cached = answers.find((each) => each.operation === operation && each.allowed === allowed);
    if (cached === undefined) {
      const labels = [operation.toLowerCase(), String(allowed)];
      cached = {
        operation,
        allowed,
        requests: this.#requests.at(kind, ...labels),
        duration: this.#duration.at(...labels),
      };
      answers.push(cached);
    }
    cached.requests.value++;
    this.#duration.add(milliseconds / 1000, cached.duration);
  }

  /** Counts the results of policies. */
  decided({ results }: Decision, request: PolicyRequest, cause: ExecutionCause = "admission_request"): void {
    if (results.length === 0) return;
    const occasion = { kind: this.#kindLabel(request.kind), operation: request.operation, cause };
    for (const { policy, rules } of results) {
      for (const cell of this.#cellsOf(policy, rules, occasion)) cell.value++;
    }
  }

  /** The series of a policy's results. Constant results have cached series. */
  #cellsOf(policy: PolicyIdentity, rules: readonly RuleResult[], occasion: Occasion): readonly SeriesValue[] {
    let cached = this.#constant.get(rules);
    const found = cached?.find((each) => isOccasion(each, occasion));
    if (found !== undefined) return found.cells;
    const cells = rules.map((rule) => this.#cellOf(policy, rule, occasion));
    if (areConstant(rules)) {
      if (cached === undefined) this.#constant.set(rules, cached = []);
      cached.push({ ...occasion, cells });
    }
    return cells;
  }

  #cellOf(policy: PolicyIdentity, rule: RuleResult, occasion: Occasion): SeriesValue {
    let series = this.#series.get(policy);
    if (series === undefined) this.#series.set(policy, series = new Map());
    // A policy has few rules, and a rule few results: two look-ups are cheaper than building a key.
    let cells = series.get(rule.rule);
    if (cells === undefined) series.set(rule.rule, cells = []);
    const { result, action } = rule;
    let cached = cells.find((each) =>
      each.result === result && each.action === action && isOccasion(each, occasion)
    );
    if (cached === undefined) {
      cached = { ...occasion, result, action, cell: this.#newCell(policy, rule, occasion) };
      cells.push(cached);
    }
    return cached.cell;
  }

  #newCell(
    policy: PolicyIdentity,
    { rule, type, result, action }: RuleResult,
    occasion: Occasion,
  ): SeriesValue {
    const family = familyOf(policy.kind);
    const { background, namespace, name, type: scope } = labelsOfPolicy(policy);
    const { kind, operation, cause } = occasion;
    const policyLabels = [action.toLowerCase(), background, namespace, name];
    const requestLabels = [kind, operation.toLowerCase()];
    return this.#results[family].at(
      ...policyLabels,
      ...(family === "classic"
        ? [scope, ...requestLabels, rule, type, result, cause]
        : [...requestLabels, cause, result]),
    );
  }

  #timed({ policy, rule, results, milliseconds }: TimedRule): void {
    // A rule that does not match has no result to count.
    const result = results[0]?.result;
    if (result === undefined) return;
    const { namespace, name, type } = labelsOfPolicy(policy);
    const family = familyOf(policy.kind), cause = "admission_request";
    const labels = family === "classic"
      ? [type, namespace, name, rule.rule.name, rule.type, result, cause]
      : [namespace, name, cause, result];
    this.#durations[family].observe(milliseconds / 1000, ...labels);
  }

  /** Counts a call to the API server: `list` of `pods`. */
  called(operation: string, resource: string): void {
    this.#queries.increment(operation, resource);
  }

  /** Adds metrics to the page. */
  add(part: MetricsPart): void {
    this.#parts.push(part);
  }

  /** Counts a review that was recorded or dropped. */
  recorded(outcome: "written" | "dropped"): void {
    this.#recorded.increment(outcome);
  }

  /** Notes a snapshot that took effect; with the files' checksum if policies came from files. */
  loaded(snapshot: Snapshot, checksum = ""): void {
    const policies = snapshot.policies.map(({ policy }) => policy);
    for (const { policy, change } of policyChanges(this.#policies, policies)) {
      this.#changes.increment(...policyLabels(policy), change);
    }
    this.#policies = policies;
    this.#dropSeries(policies);
    this.times.loaded(snapshot);
    this.#inForce.reset();
    const broken = snapshot.policies.filter((policy) => policy.broken !== undefined).length;
    this.#inForce.set(policies.length - broken, checksum, "ready");
    this.#inForce.set(broken, checksum, "broken");
    this.#inForce.set(snapshot.leftOut.length, checksum, "left out");
    this.#rules.reset();
    this.#kinds = kindsOf(snapshot);
    for (const { policy, rules, broken } of snapshot.policies) {
      for (const { rule, type } of rules) {
        this.#rules.set(
          1,
          ...policyLabels(policy, rule.failureAction),
          rule.name,
          type,
          String(broken === undefined),
        );
      }
    }
  }

  /** Deletes the series of policies that are gone. */
  #dropSeries(policies: readonly Policy[]): void {
    const present = new Set(policies.map((policy) => {
      const { namespace, name } = labelsOfPolicy(policy);
      return `${namespace}/${name}`;
    }));
    const isGone = (labels: Readonly<Record<string, string>>): boolean =>
      !present.has(`${labels["policy_namespace"]}/${labels["policy_name"]}`) &&
      labels["policy_name"] !== other;
    let dropped = 0;
    for (const family of families) {
      dropped += this.#results[family].drop(isGone) + this.#durations[family].drop(isGone);
    }
    if (dropped === 0) return;
    this.#series = new WeakMap();
    this.#constant = new WeakMap();
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    const all = [
      this.#requests,
      this.#duration,
      this.#rules,
      this.#changes,
      this.#info,
      this.#queries,
      this.#inForce,
      this.#recorded,
      ...this.#parts,
      ...families.flatMap((family) => [this.#results[family], this.#durations[family]]),
    ];
    return Promise.resolve(all.map((metric) => metric.text()).join(""));
  }

  /**
   * The label of a kind. Requests choose kinds, so only kinds of Kubernetes and of policies have series; all others
   * count as "other".
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

function policyLabels(policy: Policy, action = policy.failureAction): string[] {
  const { background, namespace, name, type } = labelsOfPolicy(policy);
  return [action.toLowerCase(), background, namespace, name, type];
}

function isOccasion(cached: Occasion, { kind, operation, cause }: Occasion): boolean {
  return cached.kind === kind && cached.operation === operation && cached.cause === cause;
}

function byFamily<T>(make: (family: PolicyFamily) => T): Readonly<Record<PolicyFamily, T>> {
  const made = families.map((family) => [family, make(family)] as const);
  return Object.fromEntries(made) as Record<PolicyFamily, T>;
}
