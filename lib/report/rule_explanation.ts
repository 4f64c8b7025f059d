import { exceptionsOf, isValidating } from "../rules/mod.ts";
import type { EntryTrace, RuleTrace, TraceStep } from "../engine/mod.ts";
import { asString, documentPathText, field, isFault, type Json } from "../json/mod.ts";
import type { Clause } from "../match/mod.ts";
import { controllerGap } from "./controller_gap.ts";

/** The result of a rule in one or two words. */
export function resultWords({ results }: RuleTrace): string {
  if (results.length === 0) return "not applied";
  return [...new Set(results.map(({ result }) => result))].join(", ");
}

/** The steps that led to a rule's result, in lines, in the order of evaluation. */
export function ruleLines(trace: RuleTrace): string[] {
  return [...selectionLines(trace), ...stepLines(trace), ...resultLines(trace)];
}

/** Whether it is an autogen rule for another kind of pod controller. Explanations show such rules only on request. */
export function isForOtherController(
  { generatedFrom, results, selection, passedOverBy }: RuleTrace,
): boolean {
  if (generatedFrom === undefined || results.length > 0 || passedOverBy !== undefined) return false;
  if (selection === undefined || selection.selection.selected) return false;
  // A rule in CEL is for the resources that its constraints name.
  return selection.selection.by === "autogen" ||
    selection.generatedFor === undefined && selection.match.every(({ criterion }) => criterion === "kinds");
}

/** The reason why the engine did not match the rule against the object; `undefined` if it did. */
export function passedOverReason(
  { policy, selection, passedOverBy, results }: RuleTrace,
): string | undefined {
  if (results.length > 0) return undefined;
  if (passedOverBy === "namespace") return `as the policy is about namespace ${policy.namespace}`;
  if (passedOverBy === "matchConditions") return "as the policy's match conditions do not hold";
  if (passedOverBy === "applyRules") return "as an earlier rule was applied and the policy applies one";
  if (selection === undefined) {
    return "as there is no object to match: none was given, or an earlier mutation failed";
  }
  const { generatedFor = [], selection: verdict } = selection;
  if (verdict.selected || verdict.by !== "autogen") return undefined;
  return `as it is only for ${generatedFor.join(", ")}`;
}

function selectionLines(trace: RuleTrace): string[] {
  const { selection, generatedFrom } = trace;
  const origin = generatedFrom === undefined
    ? []
    : [`generated ${generatedFrom === "" ? "" : `from the rule ${generatedFrom} `}for pod controllers`];
  if (selection === undefined) return origin;
  const { match, exclude, selection: verdict } = selection;
  const holding = match.filter(({ holds }) => holds);
  const isMatched = verdict.selected || verdict.by === "exclude";
  const gap = isMatched ? undefined : controllerGap(trace);
  return [
    ...origin,
    ...(isMatched ? holding : match).map(clauseLine),
    ...(isMatched ? exclude.map(clauseLine) : []),
    ...(gap === undefined ? [] : [gap]),
  ];
}

function clauseLine({ path, holds, criterion, wanted, found, isUserIgnored }: Clause): string {
  if (isUserIgnored) return `${path} holds for any user, as the user is unknown: ${shown(wanted)}`;
  if (holds) {
    const isExclude = path.startsWith("exclude");
    return isExclude ? `${path} holds, so the rule is not applied: ${shown(wanted)}` : `${path} holds`;
  }
  if (criterion === "empty filter") return `${path} does not hold: it has no criterion`;
  const seen = criterion === "user" && found === null ? "the user is unknown" : `found ${shown(found)}`;
  return `${path} does not hold: ${criterion} wants ${shown(wanted)}, ${seen}`;
}

function stepLines({ steps }: RuleTrace): string[] {
  let element: string | undefined;
  const explained = new Set<string>();
  return steps.flatMap((step): string[] => {
    switch (step.kind) {
      case "entry":
        return entryLines(step.entry);
      case "condition":
        return conditionLines(step, explained);
      case "expression":
        return expressionLines(step.expression);
      case "element": {
        const { list, index, element: value } = step.element;
        element = asString(field(value, "name"));
        return [`element ${index} of ${list}${element === undefined ? "" : `, "${element}"`}`];
      }
      case "pattern":
        return patternLines(step.pattern, element);
      case "attestor":
        return attestorLines(step.attestor);
      case "exception": {
        const { key, verdict, reason } = step.exception;
        return [`exception ${key}: ${verdict}${reason === "" ? "" : ` (${reason})`}`];
      }
      case "existing":
        return ["the rule is evaluated for the old object too, because existing violations are allowed"];
    }
  });
}

function entryLines({ name, source, state, failure, bytes, milliseconds, loads }: EntryTrace): string[] {
  const from = loads.map(({ key }) => key).join(", ");
  const origin = source === "value" ? "" : ` (${source}${from === "" ? "" : `: ${from}`})`;
  if (state === "absent") {
    return [`context ${name}${origin} was not loaded: there is nothing here to load it from`];
  }
  const time = `${milliseconds} ms`;
  return failure === undefined
    ? [`context ${name}${origin}: ${bytes} bytes in ${time}`]
    : [`context ${name}${origin} failed after ${time}: ${failure}`];
}

/** The signers that the engine tried for an image, and the reason why a signature does not count. */
function attestorLines({ image, path, failure, tried }: AttestorStep["attestor"]): string[] {
  const signatures = tried.map(({ digest, why }) =>
    `  signature ${digest}: ${why === "" ? "verified" : why}`
  );
  return [`${path.slice(1)} for ${image}: ${failure === "" ? "verified" : failure}`, ...signatures];
}

type AttestorStep = Extract<TraceStep, { kind: "attestor" }>;
type ConditionStep = Extract<TraceStep, { kind: "condition" }>;

/** `explained` has the operands whose text was shown before, with another element of a loop. */
function conditionLines({ owner, condition }: ConditionStep, explained: Set<string>): string[] {
  const { path, operator, written, key, value, unresolved = [], result } = condition;
  const title = `${ownerTitles[owner]} ${documentPathText(path)}`.trimEnd();
  const left = key === undefined ? "?" : shown(key);
  const right = value === undefined ? "?" : shown(value);
  const sources = ["key", "value"].flatMap((side) => {
    const text = asString(field(written, side));
    const line = `  ${side} is ${text}`;
    if (text === undefined || !/\{\{|\$\(/.test(text) || explained.has(title + line)) return [];
    explained.add(title + line);
    return [line];
  });
  const verdict = isFault(result) ? `failed: ${result.message}` : result ? "holds" : "does not hold";
  return [
    `${title}: ${left} ${operator} ${right} ${verdict}`,
    ...sources,
    ...unresolved.map((reason) => `  empty, as ${reason}`),
  ];
}

const ownerTitles: Readonly<Record<ConditionStep["owner"], string>> = {
  preconditions: "precondition",
  deny: "deny condition",
  foreach: "precondition of the element",
  exception: "condition of the exception",
  attestation: "condition of the attestation",
};

function expressionLines(
  { expression, value }: Extract<TraceStep, { kind: "expression" }>["expression"],
): string[] {
  const text = expression.trim();
  return [isFault(value) ? `${text} failed: ${value.message}` : `${text} is ${shown(value)}`];
}

type Compared = Extract<TraceStep, { kind: "pattern" }>["pattern"];

function patternLines(
  { status, alternative, message, steps, expected, actual, element: inner }: Compared,
  outer: string | undefined,
): string[] {
  const name = alternative === undefined ? "pattern" : `anyPattern[${alternative}]`;
  if (status === "pass") return [`${name} agrees`];
  if (status === "skip") return [`${name} does not apply: ${message}`];
  const element = inner ?? outer;
  const position = steps.length === 0 ? "" : ` at ${documentPathText(steps)}`;
  const within = element === undefined ? "" : ` of "${element}"`;
  if (steps.length === 0 && expected === undefined) return [`${name} fails: ${message}`];
  return [
    `${name} fails${position}${within}`,
    `  expected ${expected === undefined ? "nothing there" : shown(expected)}`,
    `  actual   ${actual === undefined ? "nothing" : shown(actual)}`,
    ...(status === "error" ? [`  ${message}`] : []),
  ];
}

function resultLines({ results, attempts, changes }: RuleTrace): string[] {
  const changed = changes.map((change) =>
    `${change.op} ${change.path}${"value" in change ? ` ${shown(change.value ?? null)}` : ""}`
  );
  const lines = results.flatMap((each) => {
    const { result, message, action, type } = each;
    const exceptions = exceptionsOf(each);
    const consequence = result === "fail" && isValidating(type) ? ` (${action})` : "";
    const text = message === "" ? [] : [`${result}${consequence}: ${message.trimEnd()}`];
    return exceptions === undefined || text.length > 0 ? text : [`${result}: ${exceptions.join(", ")}`];
  });
  const rounds = attempts > 1 ? [`evaluated ${attempts} times, as values had to be loaded`] : [];
  return [...rounds, ...changed, ...lines];
}

/** The most characters of a value in an explanation. */
const maxShown = 200;

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}… (${text.length} characters)`;
}
