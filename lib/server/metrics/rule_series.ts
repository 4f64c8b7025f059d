import {
  areConstant,
  type CompiledPolicy,
  type PolicyIdentity,
  type PolicyResult,
  type RuleResult,
} from "../../engine/mod.ts";
import type { Stages } from "../../json/mod.ts";
import { Counter, Histogram, other, type SeriesValue } from "./metric.ts";
import { type PolicyFamily, ruleMetrics } from "./metric_table.ts";
import { familyOf, labelsOfPolicy } from "./policy_labels.ts";
import type { TimedRule } from "./rule_times.ts";
import type { SeriesRoom } from "./series_room.ts";

/** The cause of an evaluation. */
export type ExecutionCause = "admission_request" | "background_scan";

/** The labels of results, besides those of their policy. */
export interface EvaluationLabels {
  readonly kind: string;
  readonly operation: string;
  readonly cause: ExecutionCause;
}

interface CachedSeries extends EvaluationLabels {
  readonly result: string;
  readonly action: string;
  readonly cell: SeriesValue;
}

interface CachedCells extends EvaluationLabels {
  readonly cells: readonly SeriesValue[];
}

/** The families of policies, each with its metrics of rule results and durations. */
const families = Object.keys(ruleMetrics) as PolicyFamily[];

/** Counts the results and the durations of rules, in the metrics of their policy's family. */
export class RuleSeries {
  readonly #results: ByFamily<Counter>;
  readonly #durations: ByFamily<Histogram>;
  /** The cached series of results, by policy and rule. */
  #series = new WeakMap<object, Map<string, CachedSeries[]>>();
  /** The cached series of constant results, by the list of results. */
  #constant = new WeakMap<readonly RuleResult[], CachedCells[]>();

  constructor(room: SeriesRoom) {
    this.#results = byFamily((family) => new Counter(ruleMetrics[family].results, room));
    this.#durations = byFamily((family) => new Histogram(ruleMetrics[family].durations, room));
  }

  /** The metrics, in the order of the page. */
  get metrics(): readonly (Counter | Histogram)[] {
    return families.flatMap((family) => [this.#results[family], this.#durations[family]]);
  }

  /** Counts the results of policies. */
  count(results: readonly PolicyResult[], evaluation: EvaluationLabels): void {
    for (const { policy, rules } of results) {
      if (areConstant(rules)) { for (const cell of this.#cellsOf(policy, rules, evaluation)) cell.value++; }
      else for (const rule of rules) this.#cellOf(policy, rule, evaluation).value++;
    }
  }

  /** The series of a policy's constant results, which are cached. */
  #cellsOf(
    policy: PolicyIdentity,
    rules: readonly RuleResult[],
    evaluation: EvaluationLabels,
  ): readonly SeriesValue[] {
    let cached = this.#constant.get(rules);
    if (cached === undefined) this.#constant.set(rules, cached = []);
    for (const each of cached) if (hasLabels(each, evaluation)) return each.cells;
    const cells = rules.map((rule) => this.#cellOf(policy, rule, evaluation));
    cached.push({ ...evaluation, cells });
    return cells;
  }

  #cellOf(policy: PolicyIdentity, rule: RuleResult, evaluation: EvaluationLabels): SeriesValue {
    let series = this.#series.get(policy);
    if (series === undefined) this.#series.set(policy, series = new Map());
    // A policy has few rules, and a rule few results: two look-ups are cheaper than building a key.
    let cells = series.get(rule.rule);
    if (cells === undefined) series.set(rule.rule, cells = []);
    const { result, action } = rule;
    for (const each of cells) {
      if (each.result === result && each.action === action && hasLabels(each, evaluation)) return each.cell;
    }
    const cell = this.#newCell(policy, rule, evaluation);
    cells.push({ ...evaluation, result, action, cell });
    return cell;
  }

  #newCell(
    policy: PolicyIdentity,
    { rule, type, result, action }: RuleResult,
    evaluation: EvaluationLabels,
  ): SeriesValue {
    const family = familyOf(policy.kind);
    const { background, namespace, name, type: scope } = labelsOfPolicy(policy);
    const { kind, operation, cause } = evaluation;
    const policyLabels = [action.toLowerCase(), background, namespace, name];
    const requestLabels = [kind, operation.toLowerCase()];
    return this.#results[family].at(
      ...policyLabels,
      ...(family === "classic"
        ? [scope, ...requestLabels, rule, type, result, cause]
        : [...requestLabels, cause, result]),
    );
  }

  /** Counts the duration of a rule. */
  timed({ policy, rule, results, milliseconds }: TimedRule): void {
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

  /** Deletes the series of policies and rules that are gone. Each stage is about one policy or series. */
  *keep(policies: readonly CompiledPolicy[]): Stages<void> {
    const present = new Set<string>();
    for (const { policy, rules } of policies) {
      const { namespace, name } = labelsOfPolicy(policy);
      for (const { rule } of [{ rule: undefined }, ...rules]) {
        present.add(`${namespace}/${name}/${rule?.name}`);
      }
      yield;
    }
    const isGone = (labels: Readonly<Record<string, string>>): boolean =>
      !present.has(`${labels["policy_namespace"]}/${labels["policy_name"]}/${labels["rule_name"]}`) &&
      labels["policy_name"] !== other;
    let dropped = 0;
    for (const family of families) {
      dropped += yield* this.#results[family].drop(isGone);
      dropped += yield* this.#durations[family].drop(isGone);
    }
    if (dropped === 0) return;
    this.#series = new WeakMap();
    this.#constant = new WeakMap();
  }
}

function hasLabels(cached: EvaluationLabels, { kind, operation, cause }: EvaluationLabels): boolean {
  return cached.kind === kind && cached.operation === operation && cached.cause === cause;
}

type ByFamily<T> = Readonly<Record<PolicyFamily, T>>;

function byFamily<T>(make: (family: PolicyFamily) => T): ByFamily<T> {
  const made = families.map((family) => [family, make(family)] as const);
  return Object.fromEntries(made) as ByFamily<T>;
}
