import type { CompiledRule, RuleResult, RuleWatch, Snapshot } from "../../engine/mod.ts";
import type { Stages } from "../../json/mod.ts";
import type { Policy } from "../../policy/mod.ts";

/** The measured durations of one rule, in milliseconds. */
export interface RuleTime {
  readonly policy: string;
  readonly kind: string;
  readonly rule: string;
  /** The number of timed evaluations, including those of requests that the rule does not match. */
  readonly count: number;
  readonly total: number;
  readonly mean: number;
  readonly max: number;
}

/** A timed evaluation. */
export interface TimedRule {
  readonly policy: Policy;
  readonly rule: CompiledRule;
  readonly results: readonly RuleResult[];
  readonly milliseconds: number;
}

interface Sum {
  readonly policy: Policy;
  readonly rule: string;
  count: number;
  total: number;
  max: number;
}

/**
 * Milliseconds between two timed requests. Reading the clock around each rule and counting its duration costs more than
 * a passing rule. With 17 policies it was a twentieth of what a create costs when an API server sends 200 a second.
 */
const pause = 100;

/**
 * Measures durations by policy and rule: of all requests while there are few, and of one in 100 ms while there are
 * many.
 */
export class RuleTimes {
  readonly #timed: (rule: TimedRule) => void;
  readonly #sums = new Map<string, Sum>();
  #next = 0;

  /** `timed` receives every timed evaluation. */
  constructor(timed: (rule: TimedRule) => void) {
    this.#timed = timed;
  }

  /**
   * The watch of a request that began at a time of `performance.now()`; `undefined` for a request that is not timed.
   */
  watch(started: number): RuleWatch | undefined {
    if (started < this.#next) return undefined;
    this.#next = started + pause;
    return new RuleTimer((timed) => this.#add(timed));
  }

  /** Deletes the durations of rules that are no longer in force. Each stage is about one policy. */
  *loading({ policies }: Snapshot): Stages<void> {
    const present = new Set<string>();
    for (const { policy, rules } of policies) {
      for (const { rule } of rules) present.add(keyOf(policy, rule.name));
      yield;
    }
    for (const key of this.#sums.keys()) if (!present.has(key)) this.#sums.delete(key);
  }

  /** The slowest rules first, by one of the figures. */
  slowest(by: "total" | "mean" | "max", most: number): RuleTime[] {
    const all = [...this.#sums.values()].map(({ policy, rule, count, total, max }): RuleTime => ({
      policy: policy.key,
      kind: policy.kind,
      rule,
      count,
      total,
      mean: total / count,
      max,
    }));
    return all.sort((left, right) => right[by] - left[by]).slice(0, most);
  }

  #add(timed: TimedRule): void {
    const { policy, rule: { rule: { name } }, milliseconds } = timed;
    const key = keyOf(policy, name);
    let sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, sum = { policy, rule: name, count: 0, total: 0, max: 0 });
    sum.count++;
    sum.total += milliseconds;
    sum.max = Math.max(sum.max, milliseconds);
    this.#timed(timed);
  }
}

/** Times the rules of one request. A rule that waits for values counts from its first evaluation to its last. */
class RuleTimer implements RuleWatch {
  readonly #timed: (rule: TimedRule) => void;
  readonly #postponed = new Map<CompiledRule, number>();
  #current: { readonly policy: Policy; readonly rule: CompiledRule; readonly since: number } | undefined;

  constructor(timed: (rule: TimedRule) => void) {
    this.#timed = timed;
  }

  begin(policy: Policy, rule: CompiledRule): void {
    this.#current = { policy, rule, since: this.#postponed.get(rule) ?? performance.now() };
  }

  postpone(): void {
    if (this.#current !== undefined) this.#postponed.set(this.#current.rule, this.#current.since);
  }

  finish(results: readonly RuleResult[]): void {
    if (this.#current === undefined) return;
    const { policy, rule, since } = this.#current;
    this.#timed({ policy, rule, results, milliseconds: performance.now() - since });
  }
}

function keyOf({ kind, key }: Policy, rule: string): string {
  return `${kind}\n${key}\n${rule}`;
}
