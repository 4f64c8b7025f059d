import type { Position } from "../diagnostics/mod.ts";
import type { JsonResult, RuleTrace, TraceStep } from "../engine/mod.ts";
import { type Fault, isFault, type Json, parseJsonText } from "../json/mod.ts";
import type { PatchOperation } from "../patch/mod.ts";
import { exceptionsOf, failedPath } from "../rules/mod.ts";
import { isForOtherController, ruleLines } from "../report/mod.ts";

/** A fault as plain data. */
export interface FailedValue {
  readonly failure: string;
}

/** A value without faults: `JSON.stringify` and `postMessage` keep it unchanged. */
export type Plain<T> = T extends Fault ? FailedValue
  : T extends Json ? T
  : T extends object ? { readonly [Key in keyof T]: Plain<T[Key]> }
  : T;

/** One result of a rule. */
export interface ReportedRuleResult {
  readonly result: "pass" | "fail" | "error" | "skip";
  readonly message: string;
  /** Where a pattern failed: `/spec/containers/0/image/`. */
  readonly path?: string;
  /** The failure action: `Enforce` or `Audit`. */
  readonly action?: string;
  readonly exceptions?: readonly string[];
}

/** The path and the message of a failure in an assertion tree. */
export interface ReportedViolation {
  readonly check: string;
  readonly message: string;
  readonly path: string;
  readonly value: Json;
  readonly detail: string;
}

/** The evaluation of one rule, with its steps, as plain data. */
export interface RuleReport {
  /** `name`, or `namespace/name`. */
  readonly policy: string;
  readonly policyKind: string;
  /** The name of the rule; empty for policies that are a rule themselves. */
  readonly rule: string;
  readonly type: string;
  /** The kind of its body: `pattern`, `deny`, `foreach` … */
  readonly body: string;
  readonly outcome: ReportedRuleResult["result"] | "not applied";
  /** Whether the rule denies the request. */
  readonly refuses: boolean;
  /** The position of the rule in the policies. */
  readonly position?: Position;
  /** The rule about Pods from which autogen derived this rule. */
  readonly generatedFrom?: string;
  /** Whether it is an autogen rule for another kind of pod controller; lists hide it by default. */
  readonly isForOtherController: boolean;
  readonly passedOverBy?: RuleTrace["passedOverBy"];
  readonly selection?: Plain<NonNullable<RuleTrace["selection"]>>;
  readonly steps: readonly Plain<TraceStep>[];
  readonly results: readonly ReportedRuleResult[];
  /** The changes of a mutation, compared with the object before the rule. */
  readonly changes: readonly PatchOperation[];
  /** The failures of assertion trees. */
  readonly violations: readonly ReportedViolation[];
  /** The number of evaluations: one, plus one for each round of loads. */
  readonly attempts: number;
  /** Steps and results in words, as `explain` prints them. */
  readonly lines: readonly string[];
}

/** Makes the report of a traced rule. */
export function reportOfTrace(trace: RuleTrace): RuleReport {
  const { policy, rule, type, body, denies, generatedFrom, passedOverBy, selection, results } = trace;
  const path = policy.rules.find(({ name }) => name === (generatedFrom ?? rule))?.path ?? [];
  const position = policy.locate(path);
  const outcomes: readonly string[] = results.map(({ result }) => result);
  const outcome = outcomeOrder.find((each) => outcomes.includes(each)) ?? "not applied";
  return plain({
    policy: policy.key,
    policyKind: policy.kind,
    rule,
    type,
    body,
    outcome,
    refuses: denies,
    position,
    generatedFrom,
    isForOtherController: isForOtherController(trace),
    passedOverBy,
    selection,
    steps: trace.steps,
    results: results.map((each) => ({
      result: each.result,
      message: each.message,
      path: failedPath(each),
      action: each.action,
      exceptions: exceptionsOf(each),
    })),
    changes: trace.changes,
    violations: [],
    attempts: trace.attempts,
    lines: ruleLines(trace),
  }) as RuleReport;
}

/** The report of a rule of a json.kyverno.io policy. */
export function reportOfScan(
  { policy, rule, result, failures, error }: JsonResult,
  message: string,
): RuleReport {
  return plain({
    policy,
    policyKind: "ValidatingPolicy",
    rule,
    type: "validate",
    body: "assert",
    outcome: result,
    refuses: result !== "pass",
    isForOtherController: false,
    steps: [],
    results: [{ result, message: error === "" ? message : error }],
    changes: [],
    violations: failures.flatMap(({ check, message, violations }) =>
      violations.map(({ path, value, detail }) => ({ check, message, path, value, detail }))
    ),
    attempts: 1,
    lines: message === "" ? [] : [message],
  }) as RuleReport;
}

/** The results of a rule, the worst first. */
const outcomeOrder = ["error", "fail", "pass", "skip"] as const;

/** Converts a value to plain data for JSON: it omits undefined fields and replaces a fault by its message. */
function plain(value: unknown): unknown {
  return parseJsonText(
    JSON.stringify(value, (_key, part: unknown) => isFault(part) ? { failure: part.message } : part),
  );
}
