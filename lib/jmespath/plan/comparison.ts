import { equal, Fault, type Json } from "../../json/mod.ts";
import type { ComparisonOperator } from "../syntax/tree.ts";
import { spend, weightOf } from "../steps.ts";
import { type Evaluate, type ExpressionPlan, type Run, swallowMissing } from "./value.ts";

const orders: Readonly<Record<"<" | "<=" | ">" | ">=", (left: number, right: number) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

/**
 * A comparison; keys that are missing read as null. `==` and `!=` compare anything; order exists among numbers only and
 * is null otherwise.
 *
 * Kyverno parity: Go integers (`compare()`, a loop's index) are equal to no number and have no order. Pinned by
 * "integers of Go equal no number".
 */
export function planComparison(
  operator: ComparisonOperator,
  left: ExpressionPlan,
  right: ExpressionPlan,
): Evaluate {
  const integers = left.integer === true || right.integer === true;
  if (operator === "==" || operator === "!=") {
    const wanted = operator === "==";
    if (left.integer !== right.integer && integers) return both(left, right, () => !wanted);
    if (isScalar(right.constant)) return withScalar(left.evaluate, right.constant, wanted);
    if (isScalar(left.constant)) return withScalar(right.evaluate, left.constant, wanted);
    return both(
      left,
      right,
      (one, other, run) => spend(comparing(one, other, run.left), run) ?? equal(one, other) === wanted,
    );
  }
  if (integers) return both(left, right, () => null);
  const order = orders[operator];
  return both(
    left,
    right,
    (one, other) => typeof one === "number" && typeof other === "number" ? order(one, other) : null,
  );
}

/** Steps of a comparison: what both values have to be walked for. */
function comparing(one: Json, other: Json, limit: number): number {
  if (typeof one === "string") return typeof other === "string" ? one.length >> 5 : 0;
  if (typeof one !== "object" || typeof other !== "object" || one === null || one === other) return 0;
  return weightOf(one, limit);
}

function isScalar(value: Json | Fault | undefined): value is string | number | boolean | null {
  return value === null || (value !== undefined && typeof value !== "object");
}

function withScalar(side: Evaluate, scalar: string | number | boolean | null, wanted: boolean): Evaluate {
  return (current, run) => {
    const value = side(current, run);
    if (value instanceof Fault) return value.missing === undefined ? value : (scalar === null) === wanted;
    return (value === scalar) === wanted;
  };
}

function both(
  left: ExpressionPlan,
  right: ExpressionPlan,
  decide: (left: Json, right: Json, run: Run) => boolean | null | Fault,
): Evaluate {
  const one = left.evaluate, other = right.evaluate;
  return (current, run) => {
    const first = swallowMissing(one(current, run));
    if (first instanceof Fault) return first;
    const second = swallowMissing(other(current, run));
    return second instanceof Fault ? second : decide(first, second, run);
  };
}
