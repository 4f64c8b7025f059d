import { fewSteps, type LoadTracker, mostRequestSteps, type Progress } from "../context/mod.ts";
import { type Effect, error, patchedObject } from "../rules/mod.ts";
import type { CompiledPolicy, CompiledRule } from "./compiled.ts";
import { type RuleResult, superseded } from "./decision.ts";
import { noExceptions, type RequestView } from "./request_view.ts";
import { resultsFrom } from "./evaluate_rule.ts";
import { resultsOf } from "./rule_results.ts";
import type { RuleTrace } from "./trace.ts";

/** A policy that was evaluated for a request, with its results and effects. */
export interface EvaluatedPolicy {
  readonly policy: CompiledPolicy;
  /** Whether the policy applies: its match conditions hold. */
  readonly applies: boolean;
  readonly results: readonly RuleResult[];
  readonly effects: readonly Effect[];
}

/**
 * The evaluation of one policy for one request. It advances rule by rule. Where a rule waits for a value it stops,
 * and continues with that rule when it is advanced again. Each rule sees the mutations of the rules before.
 */
export class PolicyRun implements EvaluatedPolicy {
  readonly policy: CompiledPolicy;
  readonly #tracker: LoadTracker;
  #view: RequestView;
  // Most policies have one result and no effect, so lists are created only for more.
  #results: readonly RuleResult[] = nothing;
  #effects: readonly Effect[] = nothing;
  #next = 0;
  /** The progress of the next rule, if an earlier evaluation of it stopped. */
  #progress: Progress | undefined;
  #applies: boolean;

  constructor(policy: CompiledPolicy, view: RequestView, tracker: LoadTracker) {
    this.policy = policy;
    this.#view = view;
    this.#tracker = tracker;
    this.#applies = policy.matchConditions === undefined;
  }

  get applies(): boolean {
    return this.#applies;
  }

  get results(): readonly RuleResult[] {
    return this.#results;
  }

  get effects(): readonly Effect[] {
    return this.#effects;
  }

  /** The request after the mutations so far. */
  get view(): RequestView {
    return this.#view;
  }

  /** Runs rules until the end (true) or until one waits for a value (false). */
  advance(): boolean {
    const { rules, policy, matchConditions } = this.policy;
    if (!this.#applies && matchConditions !== undefined) {
      const goAhead = this.#tracker.beforeRule();
      if (goAhead === "pause") return false;
      // Without the time to evaluate them, the policy counts as one that applies.
      if (goAhead === "over") this.#applies = true;
    }
    if (!this.#applies && matchConditions !== undefined) {
      const pendingReads = this.#tracker.pendingReads;
      const applies = matchConditions(this.#view.input(this.#view.root, noExceptions));
      if (this.#tracker.pendingReads !== pendingReads) return false;
      this.#applies = applies;
      if (!applies) this.#leaveOut("matchConditions");
    }
    while (this.#next < rules.length) {
      const { pendingReads } = this.#tracker;
      const { watch } = this.#view.base;
      const rule = rules[this.#next]!;
      const goAhead = this.#tracker.beforeRule();
      if (goAhead === "pause") return false;
      if (goAhead === "over") {
        this.#next++;
        this.#take(this.#failed(rule, expiry(this.#tracker)));
        continue;
      }
      watch?.begin(policy, rule);
      this.#tracker.beginRule(this.#progress);
      const found = this.#resultsOf(rule);
      if (this.#tracker.pendingReads !== pendingReads) {
        this.#progress = this.#tracker.suspendRule();
        watch?.postpone();
        return false;
      }
      this.#progress = undefined;
      const results = this.#tracker.isExhausted ? this.#unlessPassed(found, rule) : found;
      watch?.finish(results, this.#view.object);
      this.#next++;
      this.#take(results);
      if (policy.applyRules === "One" && results.some(ends)) this.#leaveOut("applyRules");
    }
    return true;
  }

  /** Ends the policy without evaluating further rules. */
  #leaveOut(passedOverBy: NonNullable<RuleTrace["passedOverBy"]>): void {
    const { rules, policy } = this.policy;
    const { trace } = this.#view.base;
    if (trace !== undefined) {
      for (const rule of rules.slice(this.#next)) {
        trace.passOver(policy, rule, { passedOverBy, selection: undefined });
      }
    }
    this.#next = rules.length;
  }

  /** The results of a rule; the only function that catches exceptions. */
  #resultsOf(rule: CompiledRule): readonly RuleResult[] {
    try {
      return resultsOf(rule, this.policy.policy, this.#view);
    } catch (cause) {
      // No policy or request makes anything throw, so this is a bug in Postern. It affects one rule, and the
      // failurePolicy of its policy decides.
      return this.#failed(rule, `internal error: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }

  /** The results of a rule that used up its steps: errors stay, as they have the cause. */
  #unlessPassed(found: readonly RuleResult[], rule: CompiledRule): readonly RuleResult[] {
    if (this.#tracker.areStepsUsedUp) return this.#failed(rule, outOfRequestSteps);
    const isError = found.length > 0 && found.every(({ result }) => result === "error");
    // A fault of a precondition or of a filter can make a rule pass, and no object must pass because it is too large.
    return isError ? found : this.#failed(rule, outOfSteps);
  }

  /** The results of a rule that could not be evaluated. */
  #failed(rule: CompiledRule, why: string): readonly RuleResult[] {
    return resultsFrom(error(why), rule, this.#view);
  }

  /** Applies a result to the rules that follow: they see the mutated object, or none. */
  #carry(result: RuleResult): void {
    if (result.result === "skip") return;
    if (result.result === "error") {
      if (result.meaning === "objectLost") this.#view = this.#view.withoutObject();
      return;
    }
    if (result.effects !== undefined) this.#effects = [...this.#effects, ...result.effects];
    if (result.result === "pass" && result.patched !== undefined) {
      this.#view = this.#view.mutated(result.patched);
    }
  }

  /** The results of earlier rules, without their objects when another rule has changed the object. */
  #former(next: readonly RuleResult[]): readonly RuleResult[] {
    const { trace } = this.#view.base;
    return trace === undefined && next.some(patchedObject) ? this.#results.map(superseded) : this.#results;
  }

  #take(results: readonly RuleResult[]): void {
    if (results.length === 0) return;
    if (this.#results.length === 0) this.#results = results;
    else this.#results = [...this.#former(results), ...results];
    for (const result of results) this.#carry(result);
  }
}

const nothing: readonly never[] = [];

const outOfSteps =
  "the rule takes too many steps for this object: its parts are compared with too many values";

const outOfRequestSteps =
  `the request takes too many steps: its rules took ${mostRequestSteps}, and this rule takes more than ${fewSteps}; ` +
  "make the object smaller, or see /debug/rules";

/** The message for a rule that did not run in time. It names the loads that were too slow. */
function expiry({ late }: LoadTracker): string {
  const passed = "the request's deadline passed before this rule";
  return late.length === 0 ? passed : `${passed}: no answer in time for ${late.join(", ")}`;
}

/**
 * Kyverno parity: with `applyRules: One` the first rule that passed or failed ends the policy, a skipped one does not;
 * of generate rules, also an error does. Pinned by "applyRules One ends a policy after the first rule that passes or
 * fails, not after a skip".
 */
function ends({ result, type }: RuleResult): boolean {
  return result === "pass" || result === "fail" || (type === "generate" && result === "error");
}

/**
 * Runs policies on the same object concurrently: all load together, and each continues where it stopped. Policies whose
 * results are already there stay as they are.
 */
export function runAll(
  policies: readonly (CompiledPolicy | EvaluatedPolicy)[],
  view: RequestView,
  tracker: LoadTracker,
): EvaluatedPolicy[] | Promise<EvaluatedPolicy[]> {
  const open: PolicyRun[] = [];
  const evaluated = policies.map((policy): EvaluatedPolicy => {
    if ("results" in policy) return policy;
    const run = new PolicyRun(policy, view, tracker);
    if (!run.advance()) open.push(run);
    return run;
  });
  return open.length === 0 ? evaluated : later();

  async function later(): Promise<EvaluatedPolicy[]> {
    for (let waiting = open; waiting.length > 0;) {
      await tracker.awaitLoads();
      waiting = waiting.filter((run) => !run.advance());
    }
    return evaluated;
  }
}
