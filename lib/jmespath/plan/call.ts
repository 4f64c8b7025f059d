import { apart, Fault, isList, type Json } from "../../json/mod.ts";
import type {
  Apply,
  ByFunction,
  FunctionRecord,
  FunctionTable,
  PlainFunction,
  ValueType,
} from "../functions/record.ts";
import { isOfOneType, typesOf } from "../functions/value_type.ts";
import { spendOnRefused } from "../costs.ts";
import { spend, spendOnArguments, spendOnResult } from "../steps.ts";
import { printed } from "../printed.ts";
import { type Evaluate, type ExpressionPlan, runWithoutInput, swallowMissing } from "./value.ts";

/** An argument as planned: a value, or an expression that the function applies to values of its own. */
export type Argument =
  | { readonly kind: "value"; readonly plan: ExpressionPlan }
  | { readonly kind: "reference"; readonly evaluate: Evaluate; readonly stepsPerElement: number };

/** Checks an argument; the fault names the required type. */
type Check = (value: Json) => Fault | undefined;

/**
 * A call. Arguments are evaluated first and missing keys among them read as null; then the function's existence, the
 * number of arguments and their types are checked, in this order.
 */
export function planCall(
  name: string | undefined,
  args: readonly Argument[],
  functions: FunctionTable,
): ExpressionPlan {
  const values = args.map((arg) => arg.kind === "value" ? arg.plan.evaluate : undefined);
  const record = name === undefined ? undefined : functions.get(name);
  if (name === undefined) return failing(values, new Fault("invalid node value type"));
  if (record === undefined) return failing(values, new Fault(`unknown function: ${name}`));
  const arity = wrongArity(record, args.length);
  if (arity !== undefined) return failing(values, arity);
  const refused = args.findIndex((arg, index) =>
    arg.kind === "reference" && !typesOf(record, index).includes("expref")
  );
  if (refused >= 0) return failing(values, wrongType("an expression reference", typesOf(record, refused)));
  if (
    record.integerProblem !== undefined &&
    args.some((arg) => arg.kind === "value" && arg.plan.integer === true)
  ) {
    return failing(values, new Fault(record.integerProblem));
  }
  if (record.kind === "by") return { evaluate: planBy(record, args) };
  const checks = args.map((arg, index) => checkOf(record, index, arg));
  return foldConstants(planPlain(record, args as readonly ValueArgument[], checks), record, args);
}

type ValueArgument = Extract<Argument, { kind: "value" }>;

/** Returns the fault of a call with this number of arguments; `undefined` if the function takes as many. */
export function wrongArity(record: FunctionRecord, count: number): Fault | undefined {
  const wanted = record.parameters.length;
  if (record.variadic === true) return count < wanted ? new Fault("Invalid arity.") : undefined;
  return count === wanted || record.anyCount === true ? undefined : new Fault("incorrect number of args");
}

/** Returns the check of an argument; `undefined` where any value will do. */
function checkOf(record: FunctionRecord, index: number, arg: Argument): Check | undefined {
  const types = typesOf(record, index);
  // Kyverno parity: the types of a function with any number of arguments are not checked. Pinned by
  // tests/jmespath/semantics_test.ts.
  if (types.includes("any") || record.variadic === true) return undefined;
  if (arg.kind === "value" && arg.plan.integer === true) return (value) => wrongType(printed(value), types);
  const only = types.length === 1 ? types[0] : undefined;
  if (only === "string") {
    return (value) => typeof value === "string" ? undefined : wrongType(printed(value), types);
  }
  if (only === "number") {
    return (value) => typeof value === "number" ? undefined : wrongType(printed(value), types);
  }
  return (value) => isOfOneType(value, types) ? undefined : wrongType(printed(value), types);
}

function wrongType(value: string, types: readonly ValueType[]): Fault {
  const wanted = types.map((type) => `"${type}"`).join(", ");
  return new Fault(`Invalid type for: ${value}, expected: []jmespath.JpType{${wanted}}`);
}

/** A call that fails whatever its arguments are, unless one of them fails first. */
function failing(values: readonly (Evaluate | undefined)[], fault: Fault): ExpressionPlan {
  return {
    evaluate: (current, run) => {
      for (const value of values) {
        const result = value === undefined ? null : swallowMissing(value(current, run));
        if (result instanceof Fault) return result;
      }
      return fault;
    },
  };
}

/** A function of values with its arguments, ready to be called. */
interface PlainCall {
  readonly record: PlainFunction;
  readonly apply: Apply;
  readonly args: readonly Evaluate[];
  /** The check of each argument; absent where any value will do. */
  readonly checks: readonly (Check | undefined)[];
}

/** Plans a call. Most have one or two arguments: these are evaluated without a loop. */
function planPlain(
  record: PlainFunction,
  args: readonly ValueArgument[],
  checks: readonly (Check | undefined)[],
): Evaluate {
  const constants = args.map(({ plan }) => plan.constant instanceof Fault ? undefined : plan.constant);
  const apply = record.prepare?.(constants) ?? record.apply;
  const call: PlainCall = { record, apply, args: args.map(({ plan }) => plan.evaluate), checks };
  return args.length === 1 ? planOfOne(call) : args.length === 2 ? planOfTwo(call) : planOfMany(call);
}

function planOfOne({ record, apply, args: [arg], checks: [check] }: PlainCall): Evaluate {
  return (current, run) => {
    const value = swallowMissing(arg!(current, run));
    if (value instanceof Fault) return value;
    const values = [value];
    return spendOnRefused(check?.(value), values, run) ?? spendOnArguments(record, values, run) ??
      spendOnResult(apart(apply(values, run.environment, run), values), run);
  };
}

function planOfTwo(
  { record, apply, args: [one, other], checks: [checkOne, checkOther] }: PlainCall,
): Evaluate {
  return (current, run) => {
    const first = swallowMissing(one!(current, run));
    if (first instanceof Fault) return first;
    const second = swallowMissing(other!(current, run));
    if (second instanceof Fault) return second;
    const values = [first, second];
    return spendOnRefused(checkOne?.(first) ?? checkOther?.(second), values, run) ??
      spendOnArguments(record, values, run) ??
      spendOnResult(apart(apply(values, run.environment, run), values), run);
  };
}

function planOfMany({ record, apply, args, checks }: PlainCall): Evaluate {
  return (current, run) => {
    const values: Json[] = new Array(args.length);
    for (let index = 0; index < args.length; index++) {
      const value = swallowMissing(args[index]!(current, run));
      if (value instanceof Fault) return value;
      values[index] = value;
    }
    for (let index = 0; index < checks.length; index++) {
      const wrong = checks[index]?.(values[index]!);
      if (wrong !== undefined) return spendOnRefused(wrong, values, run)!;
    }
    return spendOnArguments(record, values, run) ??
      spendOnResult(apart(apply(values, run.environment, run), values), run);
  };
}

/** Functions of a list and an expression. */
function planBy(record: ByFunction, args: readonly Argument[]): Evaluate {
  const reference = args.find((arg) => arg.kind === "reference");
  const listIndex = args.findIndex((arg) => arg.kind === "value");
  const list = args[listIndex];
  if (reference === undefined || list?.kind !== "value") {
    const values = args.map((arg) => arg.kind === "value" ? arg.plan.evaluate : undefined);
    const wanting = record.parameters.findIndex((parameter) => parameter.types.includes("expref"));
    return failing(values, wrongType("a value", typesOf(record, wanting))).evaluate;
  }
  const checkList = checkOf(record, listIndex, list);
  const stepsPerElement = reference.stepsPerElement + (record.steps ?? 0);
  return (current, run) => {
    const value = swallowMissing(list.plan.evaluate(current, run));
    if (value instanceof Fault) return value;
    const refused = checkList?.(value);
    if (refused !== undefined || !isList(value)) return refused ?? null;
    return spend(value.length * stepsPerElement, run) ??
      record.applyBy(value, (element) => swallowMissing(reference.evaluate(element, run)));
  };
}

/** Computes a call now when its arguments are all constant and its function depends on them alone. */
function foldConstants(
  evaluate: Evaluate,
  record: FunctionRecord,
  args: readonly Argument[],
): ExpressionPlan {
  const integer = record.integer === true;
  const isConstant = record.volatile !== true &&
    args.every((arg) => arg.kind === "value" && arg.plan.constant !== undefined);
  if (!isConstant) return { evaluate, integer };
  const constant = evaluate(null, runWithoutInput());
  return { evaluate: () => constant, constant, integer };
}
