import type { PathDiagnostic } from "../diagnostics/mod.ts";
import { type Environment, fixedEnvironment, weightOf } from "../jmespath/mod.ts";
import {
  type DocumentPath,
  emptyScope,
  Fault,
  field,
  isFault,
  isList,
  type Json,
  type Scope,
  stepsOfText,
  textField,
} from "../json/mod.ts";
import { hasWildcard } from "../kube/mod.ts";
import { compileTemplate, type Template, type TemplateOptions, type Use } from "../template/mod.ts";
import { countCondition } from "./counters.ts";
import type { Sourced } from "./go_value.ts";
import type { Observe } from "./observation.ts";
import { never, type Operator, type Test } from "./operators/operator.ts";
import { operatorNamed } from "./operators/table.ts";
import { operatorProblems, templateProblems } from "./problem.ts";

/** A compiled `{key, operator, value, message}`. */
export interface Condition {
  readonly message: string;
  /** The result, when it depends on no input. */
  readonly constant: boolean | Fault | undefined;
  readonly uses: readonly Use[];
  readonly problems: readonly PathDiagnostic[];
  readonly evaluate: (
    scope: Scope,
    environment: Environment,
    observe: Observe | undefined,
  ) => boolean | Fault;
}

/**
 * Compiles the condition at `path`. A value without variables is prepared at load; when the key has no variables
 * either, the result is computed at load. An unknown operator is a problem at load, and a fault when the condition is
 * evaluated.
 */
export function compileCondition(condition: Json, path: DocumentPath, options: TemplateOptions): Condition {
  countCondition();
  const key = operand(field(condition, "key"), options);
  const value = operand(field(condition, "value"), options);
  const name = textField(condition, "operator");
  const message = textField(condition, "message");
  const operator = operatorNamed(name);
  const reported = {
    path,
    operator: operator?.name ?? name,
    written: condition,
    message,
    stepsOfPart: operator?.printsElements === true ? stepsOfPrinted : stepsOfCompared,
    lenient: options.unresolved === "empty",
  };
  const evaluate = evaluation({ key, value }, comparing(operator, name, value), reported);
  const isConstant = key.template.constant && value.template.constant;
  const constant = isConstant ? evaluate(emptyScope, fixedEnvironment, undefined) : undefined;
  return {
    message,
    constant,
    uses: [...usesBelow(key.template, [...path, "key"]), ...usesBelow(value.template, [...path, "value"])],
    problems: [
      ...operatorProblems(name, operator, path),
      ...templateProblems(key.template, [...path, "key"]),
      ...templateProblems(value.template, [...path, "value"]),
    ],
    evaluate: constant === undefined
      ? evaluate
      : (scope, environment, observe) =>
        observe === undefined ? constant : evaluate(scope, environment, observe),
  };
}

/** One side of a condition. */
interface Operand {
  readonly template: Template;
  /** The side as the policy has it. */
  readonly source: Json;
}

function operand(source: Json | undefined, options: TemplateOptions): Operand {
  return { template: compileTemplate(source ?? null, options), source: source ?? null };
}

/** Makes the test for a value; `undefined` for an unknown operator. */
type Compare = ((value: Json) => Test) | undefined;

function comparing(operator: Operator | undefined, name: string, { template, source }: Operand): Compare {
  if (operator === undefined) return undefined;
  if (operator.exactCase === true && operator.name !== name) return () => never;
  const { prepare } = operator;
  if (!template.constant) return (value) => prepare({ value, source });
  const value = template.render(emptyScope, fixedEnvironment);
  const prepared = isFault(value) ? never : prepare({ value, source });
  return () => prepared;
}

/** The parts of a condition that are reported besides its operands. */
interface ReportedParts {
  readonly path: DocumentPath;
  readonly operator: string;
  readonly written: Json;
  readonly message: string;
  /** Whether variables without a value become empty texts. */
  readonly lenient: boolean;
  /** The steps of comparing one part of a value. */
  readonly stepsOfPart: number;
}

function evaluation(
  { key, value }: { readonly key: Operand; readonly value: Operand },
  compare: Compare,
  { lenient, stepsOfPart, ...reported }: ReportedParts,
): Condition["evaluate"] {
  const noOperator = new Fault(
    `failed to create handler for condition operator: there is no operator ${
      JSON.stringify(reported.operator)
    }`,
  );
  return (scope, environment, observe) => {
    const left = key.template.render(scope, environment);
    if (isFault(left)) {
      const result = substitutionFault("key", left);
      observe?.({ ...reported, result });
      return result;
    }
    const right = value.template.render(scope, environment);
    if (isFault(right)) {
      const result = substitutionFault("value", right);
      observe?.({ ...reported, key: left, result });
      return result;
    }
    const sourced: Sourced = { value: left, source: key.source };
    const result = spendOn([left, right], environment, stepsOfPart) ??
      (compare === undefined ? noOperator : compare(right)(sourced));
    if (observe !== undefined) {
      const missing = lenient
        ? [...reasons(key, scope, environment), ...reasons(value, scope, environment)]
        : [];
      const unresolved = missing.length === 0 ? undefined : { unresolved: missing };
      observe({ ...reported, key: left, value: right, ...unresolved, result });
    }
    return result;
  };
}

/** Takes the steps of comparing two values. Where there are not so many, the rule is an error, whatever they say. */
function spendOn(
  sides: readonly [key: Json, value: Json],
  { budget }: Environment,
  stepsOfPart: number,
): Fault | undefined {
  if (budget === undefined) return undefined;
  for (const side of sides) {
    budget.left -= stepsOf(side, budget.left, stepsOfPart);
    if (budget.left < 0) return tooManyParts;
  }
  const [, value] = sides;
  if (stepsOfPart === stepsOfPrinted && typeof value === "string" && mayBeJson.test(value)) {
    budget.left -= value.length >> 1;
  }
  return budget.left < 0 ? tooManyParts : undefined;
}

/** The begin of a value that set operators parse. */
const mayBeJson = /^\s*[[{"]/;

const tooManyParts = new Fault("a condition compares lists or objects that have too many parts");

/** Texts that are parsed as durations, quantities, numbers or versions, or searched and compiled as wildcards. */
const isSlowToCompare = /^[-+.\dv]|[*?]/;

function stepsOf(side: Json, limit: number, stepsOfPart: number): number {
  if (typeof side === "string") {
    return side.length >> (side.length > shortText && isSlowToCompare.test(side) ? 2 : 5);
  }
  if (typeof side !== "object" || side === null) return 0;
  if (!isList(side)) return stepsOfPart * weightOf(side, limit / stepsOfPart);
  let steps = 0;
  for (let index = 0; index < side.length && steps <= limit; index++) {
    const part = side[index]!;
    steps += typeof part === "string"
      ? (hasWildcard(part) ? stepsOfWildcard : stepsOfCompared) * stepsOfText(part)
      : stepsOfPart * weightOf(part, (limit - steps) / stepsOfPart);
  }
  return steps;
}

/** The steps of comparing one part of a value, of printing it before, and of making a wildcard of it. */
const stepsOfCompared = 8, stepsOfPrinted = 24, stepsOfWildcard = 40;

/** The characters of a text that is parsed and compared in little more than the time of a step. */
const shortText = 64;

/** Why variables of a side have no value. The side is compiled again, because only explanations need the reasons. */
function reasons({ template, source }: Operand, scope: Scope, environment: Environment): string[] {
  if (template.constant) return [];
  const strict = compileTemplate(source).render(scope, environment);
  return isFault(strict) ? [strict.message] : [];
}

function substitutionFault(side: "key" | "value", { message, missing }: Fault): Fault {
  return new Fault(`failed to substitute variables in condition ${side}: ${message}`, missing);
}

/** The variables of a part of a document, with their paths in the whole document. */
function usesBelow({ uses }: Template, path: DocumentPath): Use[] {
  return uses.map((use) => ({ ...use, path: [...path, ...use.path] }));
}
