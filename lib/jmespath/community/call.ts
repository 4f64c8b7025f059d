import { apart, Fault, isList, type Json } from "../../json/mod.ts";
import type { ByFunction, FunctionRecord, PlainFunction, ValueType } from "../functions/record.ts";
import { isOfOneType, typesOf } from "../functions/value_type.ts";
import { printed } from "../printed.ts";
import { spendOnRefused } from "../costs.ts";
import { spend, spendOnArguments, spendOnResult } from "../steps.ts";
import type { CommunityEvaluate } from "./frame.ts";
import type { CommunityFunction, CommunityTable } from "./functions/record.ts";

/** An argument as planned: a value, or an expression that the function applies to values of its own. */
export type CommunityArgument =
  | { readonly kind: "value"; readonly evaluate: CommunityEvaluate; readonly constant: Json | undefined }
  | { readonly kind: "reference"; readonly evaluate: CommunityEvaluate; readonly stepsPerElement: number };

/**
 * Plans a call. Arguments are evaluated first; then the function's existence, the number of arguments and their types
 * are checked.
 */
export function planCall(
  name: string,
  args: readonly CommunityArgument[],
  functions: CommunityTable,
): CommunityEvaluate {
  const entry = functions.get(name);
  if (entry === undefined) return planFault(args, new Fault(`unknown function: ${name}`));
  const { record } = entry;
  const fault = wrongArity(entry, args.length) ?? wrongReferences(record, args);
  if (fault !== undefined) return planFault(args, fault);
  return record.kind === "by" ? planBy(record, args) : planPlain(record, args);
}

function planPlain(record: PlainFunction, given: readonly CommunityArgument[]): CommunityEvaluate {
  const wanted = given.map((_, index) => typesOf(record, index));
  const constants = given.map((arg) => arg.kind === "value" ? arg.constant : undefined);
  const apply = record.prepare?.(constants) ?? record.apply;
  const args = given.map(({ evaluate }) => evaluate);
  return (current, frame) => {
    const values: Json[] = [];
    for (const arg of args) {
      const value = arg(current, frame);
      if (value instanceof Fault) return value;
      values.push(value);
    }
    const wrong = values.findIndex((value, index) => !isOfOneType(value, wanted[index]!));
    if (wrong >= 0) {
      return spendOnRefused(wrongType(printed(values[wrong]!), wanted[wrong]!), values, frame.budget)!;
    }
    return spendOnArguments(record, values, frame.budget) ??
      spendOnResult(apart(apply(values, frame.environment, frame.budget), values), frame.budget);
  };
}

/** Functions of a list and an expression, in whatever order. */
function planBy(record: ByFunction, args: readonly CommunityArgument[]): CommunityEvaluate {
  const listIndex = args.findIndex(({ kind }) => kind === "value");
  const list = args[listIndex]!.evaluate, by = args.find((arg) => arg.kind === "reference")!;
  const wanted = typesOf(record, listIndex);
  const stepsPerElement = by.stepsPerElement + (record.steps ?? 0);
  return (current, frame) => {
    const value = list(current, frame);
    if (value instanceof Fault) return value;
    if (!isList(value)) return wrongType(printed(value), wanted);
    return spend(value.length * stepsPerElement, frame.budget) ??
      record.applyBy(value, (element) => by.evaluate(element, frame));
  };
}

/** A call that fails whatever its arguments are, unless one of them fails first. */
function planFault(args: readonly CommunityArgument[], fault: Fault): CommunityEvaluate {
  const values = args.filter(({ kind }) => kind === "value").map(({ evaluate }) => evaluate);
  return (current, frame) => {
    for (const value of values) {
      const result = value(current, frame);
      if (result instanceof Fault) return result;
    }
    return fault;
  };
}

function wrongArity({ record, optional }: CommunityFunction, count: number): Fault | undefined {
  const most = record.parameters.length, least = most - optional;
  // A function without parameters takes, and ignores, whatever it is given.
  if (most === 0) return undefined;
  if (count < least) {
    const only = record.variadic === true ? "only " : "", more = record.variadic === true ? "or more " : "";
    const supplied = count === 0 ? "none" : `${only}${count}`;
    return new Fault(
      `invalid arity, the function '${record.name}' expects ${least} argument${least > 1 ? "s" : ""} ` +
        `${more}but ${supplied} were supplied`,
    );
  }
  if (record.variadic === true || count <= most) return undefined;
  return new Fault(
    `invalid arity, the function '${record.name}' expects at most ${most} arguments but ${count} were supplied`,
  );
}

/** Expressions must stand where the function wants them, and nowhere else. */
function wrongReferences(record: FunctionRecord, args: readonly CommunityArgument[]): Fault | undefined {
  const wrong = args.findIndex(({ kind }, index) =>
    (kind === "reference") !== typesOf(record, index).includes("expref")
  );
  if (wrong < 0) return undefined;
  return wrongType(args[wrong]!.kind === "reference" ? "an expression" : "a value", typesOf(record, wrong));
}

function wrongType(value: string, types: readonly ValueType[]): Fault {
  const wanted = types.map((type) => `"${type}"`).join(", ");
  return new Fault(`invalid type for: ${value}, expected: []functions.JpType{${wanted}}`);
}
