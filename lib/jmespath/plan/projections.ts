import { Fault, isList, isObject, type Json, sortedKeys } from "../../json/mod.ts";
import { type SliceBounds, sliced } from "../slice.ts";
import { spend, stepsOfSorting } from "../steps.ts";
import { type Evaluate, type ExpressionPlan, isTruthy, type Run, swallowMissing } from "./value.ts";

/** The expression that a projection applies to each element, and its cost in steps. */
export interface ElementPlan {
  /** Undefined when the element itself is the result. */
  readonly evaluate: Evaluate | undefined;
  readonly steps: number;
}

/** `left[*].right`. */
export function planProjection(left: ExpressionPlan, right: ElementPlan): Evaluate {
  const source = left.evaluate;
  return (current, run) => {
    const list = swallowMissing(source(current, run));
    if (list instanceof Fault) return list;
    if (!isList(list)) return null;
    return project(list, right, run);
  };
}

/** `left[?condition].right`. An error on the left side, of any kind, is null. */
export function planFilter(
  left: ExpressionPlan,
  condition: Evaluate,
  { evaluate: right, steps }: ElementPlan,
): Evaluate {
  const source = left.evaluate;
  return (current, run) => {
    const list = source(current, run);
    if (list instanceof Fault || !isList(list)) return null;
    const stop = spend(list.length * steps, run);
    if (stop !== undefined) return stop;
    const collected: Json[] = [];
    for (let index = 0; index < list.length; index++) {
      const element = list[index]!;
      const verdict = condition(element, run);
      if (verdict instanceof Fault) {
        if (verdict.missing === undefined) return verdict;
        continue;
      }
      if (!isTruthy(verdict, run)) continue;
      const value = right === undefined ? element : right(element, run);
      if (value instanceof Fault) {
        if (value.missing === undefined) return value;
      } else if (value !== null) collected.push(value);
    }
    return collected;
  };
}

/**
 * `left.*.right`, in the order of the sorted keys (Kyverno's order is random). An error on the left side, of any
 * kind, is null.
 *
 * Kyverno parity: the right side runs on as many nulls as there are values, and then on the values, so
 * `o.*.to_string(@)` of two fields begins with two "null". Pinned by "`*` evaluates its right side for nulls too".
 */
export function planValues(left: ExpressionPlan, right: ElementPlan): Evaluate {
  const source = left.evaluate;
  return (current, run) => {
    const object = source(current, run);
    if (object instanceof Fault || !isObject(object)) return null;
    const keys = sortedKeys(object);
    const stop = spend(stepsOfSorting * keys.length, run);
    if (stop !== undefined) return stop;
    const values = keys.map((key) => object[key]!);
    if (right.evaluate === undefined || values.length === 0) return project(values, right, run);
    const ofNull = swallowMissing(right.evaluate(null, run));
    if (ofNull instanceof Fault) return ofNull;
    const projected = project(values, right, run);
    if (ofNull === null || projected instanceof Fault) return projected;
    return [...values.map(() => ofNull), ...projected];
  };
}

/** `of[]`. An error of any kind is null. */
export function planFlatten(of: ExpressionPlan): Evaluate {
  const source = of.evaluate;
  return (current, run) => {
    const list = source(current, run);
    if (list instanceof Fault || !isList(list)) return null;
    const flat: Json[] = [];
    for (const element of list) {
      if (!isList(element)) flat.push(element);
      else for (const inner of element) flat.push(inner);
      if (flat.length > run.left) break;
    }
    return spend(flat.length, run) ?? flat;
  };
}

/** `[start:stop:step]` of the current value. */
export function planSlice(bounds: SliceBounds): Evaluate {
  const zeroStep = new Fault("Invalid slice, step cannot be 0");
  return (current, run) => {
    if (!isList(current)) return null;
    if (bounds.step === 0) return zeroStep;
    const result = sliced(current, bounds);
    return spend(result.length, run) ?? result;
  };
}

function project(
  list: readonly Json[],
  { evaluate: right, steps }: ElementPlan,
  run: Run,
): readonly Json[] | Fault {
  const stop = spend(list.length * steps, run);
  if (stop !== undefined) return stop;
  if (right === undefined) return withoutNulls(list);
  const collected: Json[] = [];
  for (let index = 0; index < list.length; index++) {
    const value = right(list[index]!, run);
    if (value instanceof Fault) {
      if (value.missing === undefined) return value;
    } else if (value !== null) collected.push(value);
  }
  return collected;
}

function withoutNulls(list: readonly Json[]): readonly Json[] {
  return list.includes(null) ? list.filter((element) => element !== null) : list;
}
