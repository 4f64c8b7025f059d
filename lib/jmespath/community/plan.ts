import { equal, Fault, isList, isObject, type Json, setField } from "../../json/mod.ts";
import { isTruthy } from "../plan/value.ts";
import { ElementSteps } from "../element_steps.ts";
import { spend, weightOf } from "../steps.ts";
import { type CommunityArgument, planCall } from "./call.ts";
import type { CommunityEvaluate, Frame } from "./frame.ts";
import type { CommunityTable } from "./functions/record.ts";
import { planFilter, planFlatten, planProjection, planSlice, planValues } from "./projections.ts";
import type { ComparisonOperator } from "../syntax/tree.ts";
import type { Arithmetic, CommunityEntry, CommunityNode } from "./tree.ts";

/** The functions that an expression may call, and the steps of its parts that are applied to elements. */
interface PlanTools {
  readonly functions: CommunityTable;
  readonly steps: ElementSteps;
}

/** Turns an expression into a closure; all that does not depend on the input is decided here. */
export function plan(expression: CommunityNode, functions: CommunityTable): CommunityEvaluate {
  return planPart(expression, { functions, steps: new ElementSteps() });
}

function planPart(expression: CommunityNode, tools: PlanTools): CommunityEvaluate {
  const inner = (part: CommunityNode) => planPart(part, tools);
  const each = (part: CommunityNode) => ({ evaluate: inner(part), steps: tools.steps.of(part) });
  const left = (parent: { readonly left: CommunityNode }) => inner(parent.left);
  const right = (parent: { readonly right: CommunityNode }) => inner(parent.right);
  switch (expression.kind) {
    case "current":
      return (current) => current;
    case "root":
      return (_current, { root }) => root;
    case "variable":
      return variable(expression.name);
    case "literal":
      return constant(expression.value);
    case "field":
      return planField(expression.name);
    case "index":
      return planIndex(expression.at);
    case "slice":
      return planSlice(expression);
    case "sub":
      return planSub(left(expression), right(expression));
    case "pipe":
      return pipe(left(expression), right(expression));
    case "or":
      return choice(left(expression), right(expression), "false");
    case "and":
      return choice(left(expression), right(expression), "true");
    case "not":
      return mapped(inner(expression.operand), (value, { budget }) => !isTruthy(value, budget));
    case "comparison":
      return combined(left(expression), right(expression), comparisons[expression.operator]);
    case "arithmetic":
      return combined(left(expression), right(expression), numeric(operators[expression.operator]));
    case "sign":
      return mapped(inner(expression.operand), expression.operator === "-" ? negative : positive);
    case "flatten":
      return planFlatten(inner(expression.operand));
    case "project":
      return planProjection({
        left: left(expression),
        right: each(expression.right),
        ofSlice: expression.ofSlice,
      });
    case "projectValues":
      return planValues(left(expression), each(expression.right));
    case "filter":
      return planFilter(left(expression), each(expression.condition), each(expression.right));
    case "list":
      return planList(expression.elements.map(inner));
    case "object":
      return planObject(expression.entries, inner);
    case "call":
      return planCall(expression.name, expression.args.map((arg) => argument(arg, tools)), tools.functions);
    case "reference":
      return () => new Fault("an expression reference (&) can only be an argument of a function");
    case "let":
      return planLet(expression.bindings, inner(expression.body), inner);
  }
}

function constant(value: Json): CommunityEvaluate {
  return () => value;
}

function positive(value: Json): Json {
  return typeof value === "number" ? value : null;
}

function negative(value: Json): Json {
  return typeof value === "number" ? -value : null;
}

function argument(arg: CommunityNode, tools: PlanTools): CommunityArgument {
  return arg.kind === "reference"
    ? {
      kind: "reference",
      evaluate: planPart(arg.expression, tools),
      stepsPerElement: tools.steps.of(arg.expression),
    }
    : {
      kind: "value",
      evaluate: planPart(arg, tools),
      constant: arg.kind === "literal" ? arg.value : undefined,
    };
}

function variable(name: string): CommunityEvaluate {
  const unbound = new Fault(`variable not defined: $${name}`);
  return (_current, { bindings }) => {
    const value = bindings.get(name);
    return value === undefined ? unbound : value;
  };
}

/** A missing key is null in this dialect. */
function planField(name: string): CommunityEvaluate {
  return (current) => isObject(current) && Object.hasOwn(current, name) ? current[name]! : null;
}

function planIndex(at: number): CommunityEvaluate {
  return (current) => isList(current) ? current.at(at) ?? null : null;
}

function planSub(left: CommunityEvaluate, right: CommunityEvaluate): CommunityEvaluate {
  return (current, frame) => {
    const value = left(current, frame);
    return value === null || value instanceof Fault ? value : right(value, frame);
  };
}

function pipe(left: CommunityEvaluate, right: CommunityEvaluate): CommunityEvaluate {
  return (current, frame) => {
    const value = left(current, frame);
    return value instanceof Fault ? value : right(value, frame);
  };
}

/** `&&` goes on after something true, `||` after something false. */
function choice(
  left: CommunityEvaluate,
  right: CommunityEvaluate,
  goOnAfter: "true" | "false",
): CommunityEvaluate {
  const wanted = goOnAfter === "true";
  return (current, frame) => {
    const value = left(current, frame);
    if (value instanceof Fault) return value;
    return isTruthy(value, frame.budget) === wanted ? right(current, frame) : value;
  };
}

function mapped(
  operand: CommunityEvaluate,
  compute: (value: Json, frame: Frame) => Json,
): CommunityEvaluate {
  return (current, frame) => {
    const value = operand(current, frame);
    return value instanceof Fault ? value : compute(value, frame);
  };
}

type Combine = (left: Json, right: Json) => Json;

function combined(left: CommunityEvaluate, right: CommunityEvaluate, combine: Combine): CommunityEvaluate {
  return (current, frame) => {
    const first = left(current, frame);
    if (first instanceof Fault) return first;
    const second = right(current, frame);
    if (second instanceof Fault) return second;
    const { budget } = frame;
    const walked = typeof first === "number" || typeof second === "number"
      ? undefined
      : spend(weightOf(first, budget.left), budget);
    return walked ?? combine(first, second);
  };
}

/** An operator on numbers is null on anything else. */
function numeric(compute: (left: number, right: number) => Json): Combine {
  return (left, right) => typeof left === "number" && typeof right === "number" ? compute(left, right) : null;
}

const comparisons: Readonly<Record<ComparisonOperator, Combine>> = {
  "==": equal,
  "!=": (left, right) => !equal(left, right),
  "<": numeric((left, right) => left < right),
  "<=": numeric((left, right) => left <= right),
  ">": numeric((left, right) => left > right),
  ">=": numeric((left, right) => left >= right),
};

const operators: Readonly<Record<Arithmetic, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
  "//": (left, right) => Math.floor(left / right),
};

function planList(elements: readonly CommunityEvaluate[]): CommunityEvaluate {
  return (current, frame) => {
    const values: Json[] = [];
    for (const element of elements) {
      const value = element(current, frame);
      if (value instanceof Fault) return value;
      values.push(value);
    }
    return spend(values.length, frame.budget) ?? values;
  };
}

function planObject(
  entries: readonly CommunityEntry[],
  inner: (part: CommunityNode) => CommunityEvaluate,
): CommunityEvaluate {
  const planned = entries.map(({ name, value }) => ({ name, evaluate: inner(value) }));
  return (current, frame) => {
    const object: { [key: string]: Json } = {};
    for (const { name, evaluate } of planned) {
      const value = evaluate(current, frame);
      if (value instanceof Fault) return value;
      setField(object, name, value);
    }
    return spend(planned.length, frame.budget) ?? object;
  };
}

/** The values of one `let` do not see each other, only names from outside. */
function planLet(
  entries: readonly CommunityEntry[],
  body: CommunityEvaluate,
  inner: (part: CommunityNode) => CommunityEvaluate,
): CommunityEvaluate {
  const planned = entries.map(({ name, value }) => ({ name, evaluate: inner(value) }));
  return (current, frame) => {
    let { bindings } = frame;
    for (const { name, evaluate } of planned) {
      const value = evaluate(current, frame);
      if (value instanceof Fault) return value;
      bindings = bindings.with(name, value);
    }
    return body(current, { ...frame, bindings });
  };
}
