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
  if (candidate === undefined) return undefined;
  if (rule.exceptions.length > 0) {
    const exceptions = matchingExceptions(rule.exceptions, candidate, ruleContext(rule, policy, view));
    const keys = exceptions.map(({ key }) => key);
    if (keys.length > 0) {
      return { ...skip(`rule is skipped due to policy exception ${keys.join(", ")}`), exceptions: keys };
    }
  }
  const former = view.former();
  const isFired = view.base.background !== undefined && view.operation === "DELETE" && matchesDeletions(rule);
  const current = isFired ? former : view;
  if (current === undefined || !selects(rule, current)) {
    return withdrawal();
  }
  // A policy in CEL evaluates its match conditions itself.
  if (rule.preconditions === undefined) return run(current, "applies") ?? withdrawal();
  const context = ruleContext(rule, policy, current);
  const { trace } = view.base;
  const observe = trace && observing(trace, "preconditions");
  const verdict = rule.preconditions.evaluate(context, context.environment, observe);
  if (isFault(verdict)) return error(`failed to evaluate conditions: ${verdict.message}`);
  if (verdict.holds) return run(current, "applies");
  if (former === undefined || current === former) return skip("");
  const formerContext = ruleContext(rule, policy, former);
  const formerly = rule.preconditions.evaluate(formerContext, formerContext.environment);
  if (isFault(formerly)) {
    return error(`failed to evaluate conditions for old resource: ${formerly.message}`);
  }
  if (!formerly.holds) return skip("");
  const outcome = run(former, "gone");
  return outcome?.result === "fail" ? { ...outcome, message: formerly.message } : outcome;

  /** The outcome when the rule no longer applies to the object: for the old one, if the rule selects that. */
  function withdrawal(): Outcome | OutcomeList | undefined {
    const wasSelected = former !== undefined && former !== current && selects(rule, former);
    return wasSelected ? run(former, "gone") : undefined;
  }

  function run(runView: RequestView, state: "applies" | "gone"): Outcome | OutcomeList | undefined {
    const input = runView.input(ruleContext(rule, policy, runView), noExceptions);
    return rule.body.run(state === "gone" ? { ...input, triggerGone: true } : input);
  }
}

/** Whether the rule selects the view's new object. An absent object is not selected. */
function selects(rule: CompiledRule, view: RequestView): boolean {
  const candidate = view.candidate();
  if (candidate === undefined || candidate.resource !== view.object) return false;
  view.base.trace?.select(rule.selector.explain(candidate));
  return rule.selector.select(candidate).selected;
}
