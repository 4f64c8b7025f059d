import type { Conditions } from "../condition/mod.ts";
import { isFault } from "../json/mod.ts";
import type { Policy } from "../policy/mod.ts";
import { error, type Outcome, type OutcomeList, type RuleBody, skip } from "../rules/mod.ts";
import type { CompiledRule } from "./compiled.ts";
import type { RuleResult } from "./decision.ts";
import { evaluateRule, matchingExceptions, observing, resultsFrom, ruleContext } from "./evaluate_rule.ts";
import { noExceptions, type RequestView } from "./request_view.ts";
import { matchesDeletions } from "./trigger_deletion.ts";

/** Evaluates a rule of any kind. A rule that does not match has no result; a rule with several targets has several. */
export function resultsOf(
  rule: CompiledRule,
  policy: Policy<RuleBody>,
  view: RequestView,
): readonly RuleResult[] {
  const { background, request } = view.base;
  if (background !== undefined && rule.rule.skipBackgroundRequests) {
    const { requester } = request;
    if (requester !== undefined && background.actors?.has(requester.username)) return [];
  }
  if (rule.type === "generate") {
    const generated = generateOutcome(rule, policy, view);
    if (generated === undefined) return [];
    // Kyverno parity: variables in properties of generate rules are not replaced. Pinned by "reportProperties
    // of a generate rule keep their variables".
    return resultsFrom(rule.properties?.unresolved(generated) ?? generated, rule, view);
  }
  if (rule.type !== "mutateExisting") return evaluateRule(rule, policy, view);
  const trigger = triggerView(rule, view);
  return trigger === undefined ? [] : evaluateRule(rule, policy, trigger);
}

/**
 * The view of the trigger after the answer. For a deletion it is the deleted object, if the rule's match names the
 * operation DELETE.
 */
function triggerView(rule: CompiledRule, view: RequestView): RequestView | undefined {
  if (view.base.background === undefined || view.operation !== "DELETE") return view;
  return matchesDeletions(rule) ? view.former() : undefined;
}

/**
 * A generate rule applies to the new object. When it applied to the old object and no longer applies, it fails: its
 * downstream is then deleted. Kyverno parity: exceptions come first, even for objects that the rule does not match.
 * Pinned by "an exception skips a generate rule for an object that the rule does not match".
 */
function generateOutcome(
  rule: CompiledRule,
  policy: Policy<RuleBody>,
  view: RequestView,
): Outcome | OutcomeList | undefined {
  const candidate = view.candidate();
  if (candidate === undefined || !view.hasObject) return undefined;
  if (rule.exceptions.all.length > 0) {
    const exceptions = matchingExceptions(rule.exceptions, candidate, ruleContext(rule, policy, view));
    const keys = exceptions.map(({ key }) => key);
    if (keys.length > 0) {
      return { ...skip(`rule is skipped due to policy exception ${keys.join(", ")}`), exceptions: keys };
    }
  }
  return new GenerateRun(rule, policy, view).outcome();
}

/** The evaluation of a generate rule that no exception skips. */
class GenerateRun {
  readonly #rule: CompiledRule;
  readonly #policy: Policy<RuleBody>;
  /** The view of the object to generate for; `undefined` when there is none. */
  readonly #current: RequestView | undefined;
  /** The view of the object before the request. */
  readonly #former: RequestView | undefined;

  constructor(rule: CompiledRule, policy: Policy<RuleBody>, view: RequestView) {
    const { background } = view.base;
    const isForDeletion = background !== undefined && view.operation === "DELETE" && matchesDeletions(rule);
    this.#rule = rule;
    this.#policy = policy;
    this.#former = view.former();
    this.#current = isForDeletion ? this.#former : view;
  }

  outcome(): Outcome | OutcomeList | undefined {
    const current = this.#current, { preconditions } = this.#rule;
    if (current === undefined || !selects(this.#rule, current)) return this.#withdrawal();
    // A policy in CEL evaluates its match conditions itself.
    if (preconditions === undefined) return this.#run(current, "applies") ?? this.#withdrawal();
    const context = ruleContext(this.#rule, this.#policy, current);
    const { trace } = current.base;
    const observe = trace && observing(trace, "preconditions");
    const verdict = preconditions.evaluate(context, context.environment, observe);
    if (isFault(verdict)) return error(`failed to evaluate conditions: ${verdict.message}`);
    return verdict.holds ? this.#run(current, "applies") : this.#withdrawalByPreconditions(preconditions);
  }

  /** The outcome when the rule no longer selects the object: for the old one, if the rule selects that. */
  #withdrawal(): Outcome | OutcomeList | undefined {
    const former = this.#former;
    const wasSelected = former !== undefined && former !== this.#current && selects(this.#rule, former);
    return wasSelected ? this.#run(former, "gone") : undefined;
  }

  /** The outcome when preconditions do not hold for the object: for the old one, if they held for that. */
  #withdrawalByPreconditions(preconditions: Conditions): Outcome | OutcomeList | undefined {
    const former = this.#former;
    if (former === undefined || this.#current === former) return skip("");
    const context = ruleContext(this.#rule, this.#policy, former);
    const verdict = preconditions.evaluate(context, context.environment);
    if (isFault(verdict)) return error(`failed to evaluate conditions for old resource: ${verdict.message}`);
    if (!verdict.holds) return skip("");
    const outcome = this.#run(former, "gone");
    return outcome?.result === "fail" ? { ...outcome, message: verdict.message } : outcome;
  }

  #run(view: RequestView, state: "applies" | "gone"): Outcome | OutcomeList | undefined {
    const input = view.input(ruleContext(this.#rule, this.#policy, view), noExceptions);
    return this.#rule.body.run(state === "gone" ? { ...input, triggerGone: true } : input);
  }
}

/** Whether the rule selects the view's new object. An absent object is not selected. */
function selects(rule: CompiledRule, view: RequestView): boolean {
  const candidate = view.candidate();
  if (candidate === undefined || candidate.resource !== view.object) return false;
  view.base.trace?.select(rule.selector.explain(candidate));
  return rule.selector.select(candidate).selected;
}
