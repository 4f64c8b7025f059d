import { Fault, type JsonObject, quoted, type StepBudget } from "../json/mod.ts";
import { labelKeyProblem, labelValueProblem } from "./label_syntax.ts";

/**
 * Whether a resource's labels match a selector. With a budget, wildcards take their steps from it; nothing matches when
 * it is used up.
 */
export type LabelTest = (labels: JsonObject, steps?: StepBudget) => boolean;

/** The steps of comparing one label or annotation with a pair of wildcards. Either may have the size of a request. */
export function stepsOfPair(name: string, value: string): number {
  return 8 + (name.length + value.length >> 3);
}

/** An operator of label selectors: the check of its values, and the predicate that it compiles to. */
interface LabelOperator {
  /** Whether these values are allowed, apart from their syntax. */
  readonly accepts: (values: readonly string[]) => boolean;
  readonly rule: string;
  readonly compile: (key: string, values: readonly string[]) => LabelTest;
}

/** The label's value, or `undefined` when there is no such label. */
function labelOf(labels: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

function isOneOf(key: string, values: readonly string[]): LabelTest {
  if (values.length === 1) {
    const [only] = values;
    return (labels) => labelOf(labels, key) === only;
  }
  const set = new Set(values);
  return (labels) => {
    const value = labelOf(labels, key);
    return value !== undefined && set.has(value);
  };
}

function isNoneOf(key: string, values: readonly string[]): LabelTest {
  const within = isOneOf(key, values);
  return (labels) => !within(labels);
}

function orders(compare: (label: bigint, bound: bigint) => boolean): LabelOperator {
  return {
    accepts: (values) => values.length === 1 && wholeNumber(values[0]!) !== undefined,
    rule: "exactly one value is required, and it must be an integer",
    compile(key, values) {
      const bound = wholeNumber(values[0]!);
      return (labels) => {
        const value = labelOf(labels, key);
        const number = value === undefined ? undefined : wholeNumber(value);
        return number !== undefined && bound !== undefined && compare(number, bound);
      };
    },
  };
}

function wholeNumber(text: string): bigint | undefined {
  return /^[-+]?[0-9]{1,19}$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
}

const some = { accepts: (values: readonly string[]) => values.length > 0, rule: "values set can't be empty" };
const none = {
  accepts: (values: readonly string[]) => values.length === 0,
  rule: "values set must be empty",
};

/** The operators of selectors; the first four are those of `matchExpressions`. */
const labelOperators = {
  In: { ...some, compile: isOneOf },
  NotIn: { ...some, compile: isNoneOf },
  Exists: { ...none, compile: (key: string) => (labels: JsonObject) => labelOf(labels, key) !== undefined },
  DoesNotExist: {
    ...none,
    compile: (key: string) => (labels: JsonObject) => labelOf(labels, key) === undefined,
  },
  GreaterThan: orders((label, bound) => label > bound),
  LessThan: orders((label, bound) => label < bound),
} as const satisfies Record<string, LabelOperator>;

/** The name of an operator. */
export type LabelOperatorName = keyof typeof labelOperators;

/** One condition on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperatorName;
  readonly values: readonly string[];
}

/** Checks a requirement as Kubernetes does and turns it into a predicate. */
export function compileRequirement(requirement: LabelRequirement): LabelTest | Fault {
  const { key, values } = requirement;
  const operator: LabelOperator = labelOperators[requirement.operator];
  const keyProblem = labelKeyProblem(key);
  if (keyProblem !== undefined) return new Fault(`key: Invalid value: ${quoted(key)}: ${keyProblem}`);
  if (!operator.accepts(values)) {
    return new Fault(`values: Invalid value: for '${requirement.operator}' operators, ${operator.rule}`);
  }
  for (const [index, value] of values.entries()) {
    const problem = labelValueProblem(value);
    if (problem !== undefined) {
      return new Fault(`values[${index}][${key}]: Invalid value: ${quoted(value)}: ${problem}`);
    }
  }
  return operator.compile(key, values);
}
