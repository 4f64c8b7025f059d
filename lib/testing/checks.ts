import type { Diagnostic } from "../diagnostics/mod.ts";
import type { RuleResult } from "../engine/mod.ts";
import { Bindings, type Environment } from "../jmespath/mod.ts";
import { asObject, Fault, isFault, type Json, type JsonObject } from "../json/mod.ts";
import type { TestRow } from "../report/mod.ts";
import { compileTree, exceptionsOf, standardCompilers, violationText } from "../rules/mod.ts";
import { type AppliedStep, identityText } from "../apply/mod.ts";
import type { TestRows } from "./rows.ts";
import type { ObjectAnswer, TestRun } from "./run.ts";

/** Evaluates an assertion tree for a value: returns the violations, or a fault. */
type TreeCheck = (value: Json) => readonly string[] | Fault;

/** A compiled entry of a test's `checks`. */
interface Check {
  readonly matches: { readonly resource: TreeCheck; readonly policy: TreeCheck; readonly rule: TreeCheck };
  /** The tree that must hold. */
  readonly holds: TreeCheck | undefined;
  /** The tree that must be violated. */
  readonly fails: TreeCheck | undefined;
}

/**
 * The rows of a test's `checks`: assertion trees over rule results, selected by trees over object, policy and rule.
 * Kyverno parity: as in Kyverno 1.18; `podSecurityChecks` holds what reports say of them. Pinned by
 * tests/cli/test_entries_test.ts.
 */
export function checkRows(run: TestRun): TestRows {
  const rows: TestRow[] = [];
  const remarks: Diagnostic[] = [];
  const answers = run.answers.get("") ?? [];
  run.found.test.checks.forEach((entry, index) => {
    const check = compileCheck(entry, run.environment);
    const before = rows.length;
    for (const answer of answers.filter(({ object }) => accepts(check.matches.resource, object))) {
      for (
        const step of answer.steps.filter(({ policy }) => accepts(check.matches.policy, policy.document))
      ) {
        rows.push(...stepRows(check, { answer, step }));
      }
    }
    if (rows.length > before) return;
    const position = run.found.positionOf(["checks", index]);
    const message = "The check is about no rule's result";
    remarks.push({ severity: "warning", code: "empty-check", message, position });
  });
  return { rows, remarks };
}

function stepRows(
  { matches, holds, fails }: Check,
  { answer, step }: { readonly answer: ObjectAnswer; readonly step: AppliedStep },
): TestRow[] {
  return step.rules.filter(({ rule }) => accepts(matches.rule, { name: rule })).flatMap((rule) => {
    const result = checkedResult(rule);
    const row = { policy: step.policy.name, rule: rule.rule, resource: identityText(answer.identity) };
    const rows: TestRow[] = [];
    if (holds !== undefined) rows.push({ ...row, message: rule.message, ...heldBy(holds(result)) });
    if (fails !== undefined) rows.push({ ...row, message: rule.message, ...violatedBy(fails(result)) });
    return rows;
  });
}

function accepts(check: TreeCheck, value: Json): boolean {
  const violations = check(value);
  return !isFault(violations) && violations.length === 0;
}

/** The row of an assertion that must hold. */
function heldBy(violations: readonly string[] | Fault): Pick<TestRow, "result" | "reason" | "details"> {
  if (isFault(violations)) return { result: "Fail", reason: "Check error", details: [violations.message] };
  return violations.length === 0
    ? { result: "Pass", reason: "Ok", details: [] }
    : { result: "Fail", reason: violations.join(", "), details: violations };
}

/** The row of an assertion that must be violated. */
function violatedBy(violations: readonly string[] | Fault): Pick<TestRow, "result" | "reason" | "details"> {
  if (isFault(violations)) return { result: "Fail", reason: "Check error", details: [violations.message] };
  return violations.length > 0
    ? { result: "Pass", reason: violations.join(", "), details: [] }
    : { result: "Fail", reason: "The assertion succeeded but was expected to fail", details: [] };
}

const ruleTypes: Readonly<Record<RuleResult["type"], string>> = {
  validate: "Validation",
  mutate: "Mutation",
  mutateExisting: "Mutation",
  generate: "Generation",
  verifyImages: "ImageVerify",
  checkImages: "ImageVerify",
};

function checkedResult(rule: RuleResult): JsonObject {
  return {
    name: rule.rule,
    ruleType: ruleTypes[rule.type],
    message: rule.message,
    status: rule.result,
    podSecurityChecks: rule.properties ?? null,
    exceptions: exceptionsOf(rule) ?? null,
  };
}

function compileCheck(entry: JsonObject, environment: Environment): Check {
  const match = asObject(entry["match"]) ?? {};
  const optional = (tree: Json | undefined): TreeCheck | undefined =>
    tree === undefined || tree === null ? undefined : compileTreeCheck(tree, environment);
  const chosen = (name: string): TreeCheck => optional(match[name]) ?? (() => []);
  return {
    matches: { resource: chosen("resource"), policy: chosen("policy"), rule: chosen("rule") },
    holds: optional(entry["assert"]),
    fails: optional(entry["error"]),
  };
}

/** A tree that does not compile is a fault for every value. */
function compileTreeCheck(tree: Json, environment: Environment): TreeCheck {
  const problems: string[] = [];
  const check = compileTree(tree, {
    compilers: standardCompilers(),
    path: [],
    report: ({ message }) => problems.push(message),
  });
  const [problem] = problems;
  if (problem !== undefined) return () => new Fault(problem);
  return (value) => {
    const violations = check(value, { bindings: Bindings.none, environment });
    return isFault(violations) ? violations : violations.map(violationText);
  };
}
