import { Fault, isList, isObject, type Json, sortedKeys } from "../../json/mod.ts";
import { isTruthy } from "../plan/value.ts";
import { type SliceBounds, sliced } from "../slice.ts";
import { spend, stepsOfSorting } from "../steps.ts";
import type { CommunityEvaluate, Frame } from "./frame.ts";

/** The expression that a projection applies to each element, and the steps of one application. */
export interface CommunityElementPlan {
  readonly evaluate: CommunityEvaluate;
  readonly steps: number;
}

/** `left[*].right`; `ofSlice` lets a sliced text through as it is. */
export function planProjection(
  { left, right, ofSlice }: {
    readonly left: CommunityEvaluate;
    readonly right: CommunityElementPlan;
    readonly ofSlice: boolean;
  },
): CommunityEvaluate {
  return (current, frame) => {
    const value = left(current, frame);
    if (value instanceof Fault) return value;
    if (isList(value)) return project(value, right, frame);
    return ofSlice && typeof value === "string" ? value : null;
  };
}

/**
 * `left.*.right`, in the order of the sorted keys (kyverno-json's order is random). A fault on the left side is null.
 */
export function planValues(left: CommunityEvaluate, right: CommunityElementPlan): CommunityEvaluate {
  return (current, frame) => {
    const value = left(current, frame);
    if (value instanceof Fault || !isObject(value)) return null;
    const keys = sortedKeys(value);
    return spend(stepsOfSorting * keys.length, frame.budget) ??
      project(keys.map((key) => value[key]!), right, frame);
  };
}

/** `left[?condition].right`. A fault on the left side is null. */
export function planFilter(
  left: CommunityEvaluate,
  condition: CommunityElementPlan,
  right: CommunityElementPlan,
): CommunityEvaluate {
  return (current, frame) => {
    const value = left(current, frame);
    if (value instanceof Fault || !isList(value)) return null;
    const stop = spend(value.length * condition.steps, frame.budget);
    if (stop !== undefined) return stop;
    const chosen: Json[] = [];
    for (const element of value) {
      const verdict = condition.evaluate(element, frame);
      if (verdict instanceof Fault) return verdict;
      if (isTruthy(verdict, frame.budget)) chosen.push(element);
    }
    return project(chosen, right, frame);
  };
}

function project(list: readonly Json[], right: CommunityElementPlan, frame: Frame): Json | Fault {
  const stop = spend(list.length * right.steps, frame.budget);
  if (stop !== undefined) return stop;
  const results: Json[] = [];
  for (const element of list) {
    const value = right.evaluate(element, frame);
    if (value instanceof Fault) return value;
    if (value !== null) results.push(value);
  }
  return results;
}

/** `operand[]`: lists in the list are opened, once. A fault of the operand is null. */
export function planFlatten(operand: CommunityEvaluate): CommunityEvaluate {
  return (current, frame) => {
    const value = operand(current, frame);
    if (value instanceof Fault || !isList(value)) return null;
    const flat: Json[] = [];
    for (const element of value) {
      if (isList(element)) { for (const inner of element) flat.push(inner); }
      else flat.push(element);
      if (flat.length > frame.budget.left) break;
    }
    return spend(flat.length, frame.budget) ?? flat;
  };
}

/** `[start:stop:step]` of a list or, by characters, of a text; null of anything else. */
export function planSlice(bounds: SliceBounds): CommunityEvaluate {
  return (current, { budget }) => {
    if (isList(current)) {
      if (bounds.step === 0) return new Fault("invalid slice, step cannot be 0");
      const taken = sliced(current, bounds);
      return spend(taken.length, budget) ?? taken;
    }
    if (typeof current !== "string" || bounds.step === 0) return null;
    return spend(current.length, budget) ?? sliced([...current], bounds).join("");
  };
}
