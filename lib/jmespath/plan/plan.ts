import { Fault, isList, type Json, setField } from "../../json/mod.ts";
import type { FunctionTable } from "../functions/record.ts";
import type { ElementSteps } from "../element_steps.ts";
import { spend, stepsOfMade } from "../steps.ts";
import type { Expression } from "../syntax/tree.ts";
import { type Argument, planCall } from "./call.ts";
import { planComparison } from "./comparison.ts";
import { planFields, planRootFields } from "./fields.ts";
import {
  type ElementPlan,
  planFilter,
  planFlatten,
  planProjection,
  planSlice,
  planValues,
} from "./projections.ts";
import {
  constantPlan,
  type Evaluate,
  type ExpressionPlan,
  isTruthy,
  runWithoutInput,
  swallowMissing,
} from "./value.ts";

/** The position of a part of an expression, and the tools to plan it. */
export interface PlanPosition {
  readonly functions: FunctionTable;
  /** Whether the current value is the root, that is the scope. */
  readonly atRoot: boolean;
  /** Whether a root name holds a Go integer, such as the index of a foreach. */
  readonly isInteger: (name: string) => boolean;
  /** The steps of its parts that are applied to elements. */
  readonly steps: ElementSteps;
}

/** Turns an expression into a function; everything that can be decided without input is decided here. */
export function plan(expression: Expression, position: PlanPosition): ExpressionPlan {
  switch (expression.kind) {
    case "current":
      return { evaluate: position.atRoot ? (_current, run) => run.scope.all() : (current) => current };
    case "literal":
      return constantPlan(expression.value);
    case "field":
    case "sub":
      return planPath(expression, position);
    case "index":
      return { evaluate: onValue(planIndex(expression.index), position) };
    case "slice":
      return { evaluate: onValue(planSlice(expression), position) };
    case "pipe":
      return planPipe(plan(expression.left, position), expression.right, position);
    case "projection":
      return {
        evaluate: planProjection(plan(expression.left, position), elementPlan(expression.right, position)),
      };
    case "values":
      return {
        evaluate: planValues(plan(expression.left, position), elementPlan(expression.right, position)),
      };
    case "filter":
      return planFilterOf(expression, position);
    case "flatten":
      return { evaluate: planFlatten(plan(expression.of, position)) };
    case "or":
      return planOr(plan(expression.left, position), plan(expression.right, position));
    case "and":
      return planAnd(plan(expression.left, position), plan(expression.right, position));
    case "not":
      return planNot(plan(expression.of, position));
    case "compare": {
      const left = plan(expression.left, position), right = plan(expression.right, position);
      return foldConstants(planComparison(expression.operator, left, right), left, right);
    }
    case "list":
      return planList(expression.items.map((item) => plan(item, position).evaluate), position);
    case "object":
      return planObject(
        expression.entries.map(({ key, value }) => ({ key, evaluate: plan(value, position).evaluate })),
        position,
      );
    case "call":
      return planCall(
        expression.name,
        expression.args.map((arg) => planArgument(arg, position)),
        position.functions,
      );
    case "reference":
      // Kyverno parity: outside a function that takes one, an expression reference is a value without fields. Pinned
      // by tests/jmespath/semantics_test.ts.
      return constantPlan({});
  }
}

function planFilterOf(
  { left, condition, right }: Extract<Expression, { kind: "filter" }>,
  position: PlanPosition,
): ExpressionPlan {
  const test = plan(condition, belowRoot(position)).evaluate, element = elementPlan(right, position);
  const steps = position.steps.of(condition) + element.steps;
  return { evaluate: planFilter(plan(left, position), test, { ...element, steps }) };
}

function belowRoot(position: PlanPosition): PlanPosition {
  return position.atRoot ? { ...position, atRoot: false } : position;
}

/** The right side of a projection. */
function elementPlan(right: Expression, position: PlanPosition): ElementPlan {
  const evaluate = right.kind === "current" ? undefined : plan(right, belowRoot(position)).evaluate;
  return { evaluate, steps: position.steps.of(right) };
}

/** Applies a function to the current value, which at the root is the whole scope. */
function onValue(evaluate: Evaluate, position: PlanPosition): Evaluate {
  return position.atRoot ? (_current, run) => evaluate(run.scope.all(), run) : evaluate;
}

/** A chain of fields becomes one step; any other `left.right` runs one on the result of the other. */
function planPath(
  expression: Extract<Expression, { kind: "field" | "sub" }>,
  position: PlanPosition,
): ExpressionPlan {
  const names = fieldNames(expression);
  if (names !== undefined) {
    if (!position.atRoot) return { evaluate: planFields(names) };
    const [name, ...rest] = names as [string, ...string[]];
    return { evaluate: planRootFields(name, rest), integer: rest.length === 0 && position.isInteger(name) };
  }
  if (expression.kind === "field") throw new Error("a field is a chain of one");
  const left = plan(expression.left, position).evaluate;
  const right = plan(expression.right, belowRoot(position)).evaluate;
  return {
    evaluate: (current, run) => {
      const value = left(current, run);
      return value instanceof Fault ? value : right(value, run);
    },
  };
}

/** The names of `a.b.c`; undefined when a step is something else. */
function fieldNames(expression: Expression): readonly string[] | undefined {
  const names: string[] = [];
  let rest = expression;
  for (; rest.kind === "sub"; rest = rest.left) {
    if (rest.right.kind !== "field") return undefined;
    names.push(rest.right.name);
  }
  if (rest.kind !== "field") return undefined;
  names.push(rest.name);
  return names.reverse();
}

function planIndex(index: number): Evaluate {
  return (current) => isList(current) ? current[index < 0 ? index + current.length : index] ?? null : null;
}

function planPipe(left: ExpressionPlan, right: Expression, position: PlanPosition): ExpressionPlan {
  const after = plan(right, belowRoot(position));
  const first = left.evaluate, second = after.evaluate;
  return {
    integer: right.kind === "current" ? left.integer === true : after.integer === true,
    evaluate: (current, run) => {
      const value = swallowMissing(first(current, run));
      return value instanceof Fault ? value : swallowMissing(second(value, run));
    },
  };
}

function planOr(left: ExpressionPlan, right: ExpressionPlan): ExpressionPlan {
  const first = left.evaluate, second = right.evaluate;
  const fallback = right.constant;
  if (fallback !== undefined && !(fallback instanceof Fault)) {
    return foldConstants(
      (current, run) => {
        const value = first(current, run);
        if (value instanceof Fault) return value.missing === undefined ? value : fallback;
        return isTruthy(value, run) ? value : fallback;
      },
      left,
      right,
    );
  }
  return {
    evaluate: (current, run) => {
      const value = swallowMissing(first(current, run));
      if (value instanceof Fault || isTruthy(value, run)) return value;
      return swallowMissing(second(current, run));
    },
  };
}

function planAnd(left: ExpressionPlan, right: ExpressionPlan): ExpressionPlan {
  const first = left.evaluate, second = right.evaluate;
  return foldConstants(
    (current, run) => {
      const value = swallowMissing(first(current, run));
      return value instanceof Fault || !isTruthy(value, run) ? value : second(current, run);
    },
    left,
    right,
  );
}

function planNot(of: ExpressionPlan): ExpressionPlan {
  const evaluate = of.evaluate;
  return foldConstants((current, run) => {
    const value = swallowMissing(evaluate(current, run));
    return value instanceof Fault ? value : !isTruthy(value, run);
  }, of);
}

function planList(items: readonly Evaluate[], position: PlanPosition): ExpressionPlan {
  return {
    evaluate: (current, run) => {
      if (current === null && !position.atRoot) return null;
      const list: Json[] = new Array(items.length);
      for (let index = 0; index < items.length; index++) {
        const value = swallowMissing(items[index]!(current, run));
        if (value instanceof Fault) return value;
        list[index] = value;
      }
      return spend(stepsOfMade + list.length, run) ?? list;
    },
  };
}

function planObject(
  entries: readonly { readonly key: string; readonly evaluate: Evaluate }[],
  position: PlanPosition,
): ExpressionPlan {
  return {
    evaluate: (current, run) => {
      if (current === null && !position.atRoot) return null;
      const object: { [key: string]: Json } = {};
      for (const { key, evaluate } of entries) {
        const value = swallowMissing(evaluate(current, run));
        if (value instanceof Fault) return value;
        setField(object, key, value);
      }
      return spend(stepsOfMade + entries.length, run) ?? object;
    },
  };
}

function planArgument(arg: Expression, position: PlanPosition): Argument {
  return arg.kind === "reference"
    ? {
      kind: "reference",
      evaluate: plan(arg.of, belowRoot(position)).evaluate,
      stepsPerElement: position.steps.of(arg.of),
    }
    : { kind: "value", plan: plan(arg, position) };
}

/** Decides now what depends on constants alone. */
function foldConstants(evaluate: Evaluate, ...parts: readonly ExpressionPlan[]): ExpressionPlan {
  if (!parts.every((part) => part.constant !== undefined)) return { evaluate };
  return constantPlan(evaluate(null, runWithoutInput()));
}
