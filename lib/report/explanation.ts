import { exceptionsOf, failedPath } from "../rules/mod.ts";
import type { RuleTrace } from "../engine/mod.ts";
import { isFault, type Json, type JsonObject, parseJsonText } from "../json/mod.ts";
import { isForOtherController, passedOverReason, resultWords, ruleLines } from "./rule_explanation.ts";

/** The results of all rules for one object. */
export interface Explanation {
  /** `Kind namespace/name`. */
  readonly title: string;
  /** In the order of evaluation. */
  readonly rules: readonly RuleTrace[];
  /** The reason why no rule was evaluated; `undefined` when one was. */
  readonly unseen?: string;
}

/**
 * An explanation for people: the decision, then each rule with the clause that matched, the loaded values, each
 * condition with its operands, and the path where a pattern failed.
 */
export function explanationText({ title, rules, unseen }: Explanation): string {
  const denying = new Set(rules.filter(({ denies }) => denies).map(nameOf));
  const decided = denying.size === 0 ? "admitted" : `denied by ${[...denying].join(", ")}`;
  // A rule that the user names is always shown.
  const shown = rules.every(isForOtherController)
    ? rules
    : rules.filter((trace) => !isForOtherController(trace));
  const sections = shown.map((trace) => {
    const position = trace.policy.locate(
      trace.policy.rules.find(({ name }) => name === trace.rule)?.path ?? [],
    );
    const location = position === undefined ? "" : ` (${position.file}:${position.line}:${position.column})`;
    const passedOverBy = passedOverReason(trace);
    if (passedOverBy !== undefined) return `${nameOf(trace)}: not applied, ${passedOverBy}`;
    const lines = ruleLines(trace).map((line) => `  ${line.replaceAll("\n", "\n  ")}`);
    return [`${nameOf(trace)}: ${resultWords(trace)}${location}`, ...lines].join("\n");
  });
  const none = rules.length === 0 ? [unseen ?? "no rule is about it"] : [];
  return [`${title}: ${decided}`, ...none, ...sections].join("\n\n");
}

/** An explanation for programs: the same as {@link explanationText}, as JSON. */
export function explanationObject({ title, rules, unseen }: Explanation): JsonObject {
  return {
    subject: title,
    ...(unseen !== undefined && { unseen }),
    allowed: !rules.some(({ denies }) => denies),
    rules: rules.map((trace): Json => {
      const {
        policy,
        rule,
        type,
        body,
        generatedFrom,
        passedOverBy,
        selection,
        steps,
        results,
        changes,
        attempts,
      } = trace;
      return plain({
        policy: policy.key,
        rule,
        type,
        body,
        outcome: resultWords(trace),
        generatedFrom,
        unasked: passedOverBy,
        selection,
        steps,
        changes,
        attempts,
        results: results.map((result) => ({
          result: result.result,
          message: result.message,
          path: failedPath(result),
          action: result.action,
          exceptions: exceptionsOf(result),
        })),
      });
    }),
  };
}

/** A policy in CEL is itself a rule, without a rule name. */
function nameOf({ policy, rule }: RuleTrace): string {
  return rule === "" ? policy.key : `${policy.key}/${rule}`;
}

/** Converts a value to JSON: undefined fields are left out, and a fault becomes its message. */
function plain(value: unknown): Json {
  const faultless = (_key: string, part: unknown) => isFault(part) ? { failure: part.message } : part;
  return parseJsonText(JSON.stringify(value, faultless));
}
