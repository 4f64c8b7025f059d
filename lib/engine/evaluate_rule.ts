import type { ConditionVerdict, Observe } from "../condition/mod.ts";
import type { ConditionOwner, Context, Observer } from "../context/mod.ts";
import { isFault, isObject, type Json, type JsonObject, setField } from "../json/mod.ts";
import { error, type Outcome, type OutcomeList, type RuleBody, skip } from "../rules/mod.ts";
import type { Candidate } from "../match/mod.ts";
import type { Policy, PolicyException } from "../policy/mod.ts";
import { type CompiledRule, type RuleExceptions, withoutExceptions } from "./compiled.ts";
import { replaced, type RuleResult } from "./decision.ts";
import { MessageRoom } from "./message_room.ts";
import { noExceptions, type RequestView } from "./request_view.ts";

/**
 * Evaluates one rule: match, exclude, preconditions, exceptions, body, in this order. A rule that does not match has
 * no result; a rule with several targets has several.
 */
export function evaluateRule(
  rule: CompiledRule,
  policy: Policy<RuleBody>,
  view: RequestView,
): readonly RuleResult[] {
  const outcome = outcomeOf(rule, policy, view);
  if (outcome === undefined) return none;
  const results = resultsFrom(outcome, rule, view);
  if (outcome.result !== "fail" || !isExcused(rule, policy, view)) return results;
  return results.map((result) => replaced(result, alreadyViolated));
}

/** The results for a rule's outcome. */
export function resultsFrom(
  outcome: Outcome | OutcomeList,
  rule: CompiledRule,
  view: RequestView,
): readonly RuleResult[] {
  const { request, facts } = view.base;
  const action = rule.action(request.namespace, facts.namespaceLabels);
  if (outcome.result === "list") {
    return outcome.outcomes.map((each) => resultOf(each, { rule, action, view }));
  }
  return rule.constantResults.of(outcome, action) ?? [resultOf(outcome, { rule, action, view })];
}

function resultOf(
  outcome: Outcome,
  { rule, action, view }: Pick<RuleResult, "action"> & {
    readonly rule: CompiledRule;
    readonly view: RequestView;
  },
): RuleResult {
  return { ...bounded(outcome, view), rule: outcome.reportedAs ?? rule.rule.name, type: rule.type, action };
}

function bounded(outcome: Outcome, { base }: RequestView): Outcome {
  const { message } = outcome;
  if (MessageRoom.isShort(message)) return outcome;
  return { ...outcome, message: MessageRoom.of(base.tracker).fit(message) };
}

const none: readonly RuleResult[] = [];

/** Whether the rule's violation is allowed because the old object had it too. */
function isExcused(rule: CompiledRule, policy: Policy<RuleBody>, view: RequestView): boolean {
  // Kyverno parity: overrides for namespaces do not count here. Pinned by "an override for a namespace does not admit
  // an existing violation".
  const written = rule.rule.failureAction ?? policy.failureAction;
  if (written !== "Enforce" || !rule.rule.allowExistingViolations) return false;
  // Kyverno parity: a CEL rule compares with oldObject itself, so it is not evaluated for the old object.
  // Pinned by "validate.cel: an update that does not change a violation is denied".
  if (rule.type !== "validate" || rule.comparesOldObject) return false;
  return violatedAlready(rule, policy, view);
}

const alreadyViolated = skip("skipping the rule evaluation as pre-existing violations are allowed");

/**
 * Kyverno parity: an update of an object that violated the rule before is admitted, unless the rule has preconditions,
 * which Kyverno cannot evaluate for the old object. Pinned by "an update of an object that violated the rule before is
 * admitted, unless the rule forbids it or has preconditions".
 */
function violatedAlready(rule: CompiledRule, policy: Policy<RuleBody>, view: RequestView): boolean {
  if (rule.preconditions !== undefined) return false;
  const existing = view.existing();
  if (existing === undefined) return false;
  view.base.trace?.turnToExisting();
  // Kyverno parity: an exception that skips the rule says nothing about the old object. Pinned by "an update of an
  // object that violated the rule before is admitted, although an exception exempted it".
  const exceptions = rule.appliesExceptions ? rule.exceptions : withoutExceptions;
  // The old object may be of another type, so the preparation for the request's type does not apply.
  return outcomeOf({ ...rule, exceptions, selectsAll: false }, policy, existing)?.result === "fail";
}

function outcomeOf(
  rule: CompiledRule,
  policy: Policy<RuleBody>,
  view: RequestView,
): Outcome | OutcomeList | undefined {
  // Kyverno parity: policies in CEL are also about connections without options. Pinned by "a connection without options
  // is denied by policies in CEL alone".
  if (!view.hasObject && (view.operation !== "CONNECT" || policy.language !== "cel")) return undefined;
  const { trace } = view.base;
  trace?.select(rule.selector.explain(view.candidate()!));
  if (rule.selectsAll !== true && !rule.selector.select(view.candidate()!).selected) return undefined;

  const applies = rule.body.applies?.(view.input(view.root, noExceptions)) ?? true;
  if (applies !== true) return applies === false ? undefined : applies;
  const context = ruleContext(rule, policy, view);
  const { properties } = rule;
  const unmet = unmetPreconditions(rule, context);
  if (unmet !== undefined) return properties?.unresolved(unmet) ?? unmet;
  const outcome = runBody(rule, context, view);
  return outcome && (properties?.resolved(outcome, context) ?? outcome);
}

/** The outcome of preconditions that do not hold; `undefined` when they hold. */
function unmetPreconditions({ preconditions }: CompiledRule, context: Context): Outcome | undefined {
  if (preconditions === undefined) return undefined;
  const { observer } = context.tracker;
  const observe = observer && observing(observer, "preconditions");
  const verdict = preconditions.evaluate(context, context.environment, observe);
  if (isFault(verdict)) return error(`failed to evaluate preconditions: ${verdict.message}`);
  if (verdict.holds) return undefined;
  return skip(["preconditions not met", verdict.message].filter((part) => part !== "").join("; "));
}

/** Runs the body of a rule that matches the object, unless an exception exempts the object. */
function runBody(rule: CompiledRule, context: Context, view: RequestView): Outcome | OutcomeList | undefined {
  const exceptions = rule.exceptions.all.length === 0
    ? noExceptions
    : matchingExceptions(rule.exceptions, view.candidate()!, context);
  if (exceptions.length > 0 && !rule.appliesExceptions) {
    const keys = exceptions.map((exception) => exception.key);
    return { ...skip(`rule is skipped due to policy exceptions${keys.join(", ")}`), exceptions: keys };
  }
  return rule.body.run(view.input(context, exceptions));
}

/** The context of a rule: the request, given values, the rule's entries. */
export function ruleContext(rule: CompiledRule, policy: Policy<RuleBody>, view: RequestView): Context {
  const given = view.base.given?.(policy.key, rule.rule.name);
  const outer = given === undefined || Object.keys(given).length === 0
    ? view.root
    : givenLayer(view.root, given);
  return rule.entries.length === 0 ? outer : outer.child({ entries: rule.entries });
}

/** Given values lie below a rule's context entries. Given parts of `request` are merged into the request. */
function givenLayer(root: Context, given: JsonObject): Context {
  const { request: parts, ...values } = given;
  const request = root.get("request");
  return root.child({
    values: isObject(parts) && isObject(request) ? { ...values, request: overlaid(request, parts) } : values,
  });
}

function overlaid(base: JsonObject, parts: JsonObject): JsonObject {
  const merged: { [name: string]: Json } = { ...base };
  for (const [name, part] of Object.entries(parts)) {
    const value = Object.hasOwn(base, name) ? base[name] : undefined;
    setField(merged, name, isObject(value) && isObject(part) ? overlaid(value, part) : part);
  }
  return merged;
}

/** The exceptions that match the object. An exception whose conditions fail does not. */
export function matchingExceptions(
  exceptions: RuleExceptions,
  candidate: Candidate,
  context: Context,
): readonly PolicyException[] {
  const { observer } = context.tracker;
  const matching: PolicyException[] = [];
  // An explanation says of each exception why it does not match.
  const tried = observer === undefined ? exceptions.mayMatch(candidate) : exceptions.all;
  context.tracker.steps.left -= stepsOfException * tried.length;
  for (const { exception, match, conditions } of tried) {
    const { key } = exception;
    const mismatch = match.mismatch(candidate);
    if (mismatch !== undefined) {
      observer?.exception({ key, verdict: "not matched", reason: mismatch });
      continue;
    }
    const observe = observer && observing(observer, "exception");
    const verdict = conditions?.evaluate(context, context.environment, observe) ?? always;
    if (isFault(verdict)) observer?.exception({ key, verdict: "conditions failed", reason: verdict.message });
    else if (!verdict.holds) observer?.exception({ key, verdict: "conditions not met", reason: "" });
    else {
      observer?.exception({ key, verdict: "applies", reason: "" });
      matching.push(exception);
    }
  }
  return matching;
}

/** The steps of comparing an object with an exception, besides those of wildcards and conditions. */
const stepsOfException = 40;

const always: ConditionVerdict = { holds: true, message: "" };

/** The observer of conditions; made only for requests that are explained. */
export function observing(observer: Observer, owner: ConditionOwner): Observe {
  return (condition) => observer.condition(owner, condition);
}
