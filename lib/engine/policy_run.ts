import type { RequestStore } from "../context/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { Effect } from "../rules/mod.ts";
import type { CompiledPolicy, CompiledRule } from "./compiled.ts";
import type { RuleResult } from "./decision.ts";
import { evaluateRule } from "./evaluate_rule.ts";
import type { RequestView } from "./request_view.ts";

/**
 * One policy being evaluated for one request. It advances rule by rule; where a rule needs a value that is still being
 * loaded it stops, and goes on with that rule when it is advanced again. Mutations of a rule are seen by the next.
 */
export class PolicyRun {
  readonly policy: CompiledPolicy;
  readonly results: RuleResult[] = [];
  readonly effects: Effect[] = [];
  readonly #store: RequestStore;
  #view: RequestView;
  #next = 0;

  constructor(policy: CompiledPolicy, view: RequestView, store: RequestStore) {
    this.policy = policy;
    this.#view = view;
    this.#store = store;
  }

  /** The object after the mutations so far. */
  get object(): JsonObject | undefined {
    return this.#view.object;
  }

  /** Runs rules until the end (true) or until one waits for a value (false). */
  advance(): boolean {
    const { rules, policy } = this.policy;
    while (this.#next < rules.length) {
      const misses = this.#store.misses;
      const result = this.#evaluate(rules[this.#next]!);
      if (this.#store.misses !== misses) return false;
      this.#next++;
      if (result === undefined) continue;
      this.results.push(result);
      if (result.effects !== undefined) this.effects.push(...result.effects);
      if (result.patched !== undefined) this.#view = this.#view.mutated(result.patched);
      if (result.spoils) this.#view = this.#view.spoiled();
      // Kyverno parity: only a rule that passed or failed ends a policy that applies one.
      if (policy.applyRules === "One" && (result.result === "pass" || result.result === "fail")) {
        this.#next = rules.length;
      }
    }
    return true;
  }

  #evaluate(rule: CompiledRule): RuleResult | undefined {
    return evaluateRule(rule, this.policy.policy, this.#view);
  }
}
