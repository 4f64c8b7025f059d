import { compareBytes } from "../../json/mod.ts";
import { work } from "../work.ts";
import { compareNumbers, numeric } from "./numbers.ts";
import { Duration, Timestamp } from "./time.ts";
import type { Value } from "./value.ts";

/**
 * Orders two values: negative, zero or positive; `undefined` when they have no order (different types, or types
 * without one). For NaN it returns NaN.
 */
export function compareValues(left: Value, right: Value): number | undefined {
  if (typeof left === "string") {
    if (typeof right !== "string") return undefined;
    work(3 * Math.min(left.length, right.length));
    return compareBytes(left, right);
  }
  const a = numeric(left);
  if (a !== undefined) {
    const b = numeric(right);
    return b === undefined ? undefined : compareNumbers(a, b);
  }
  if (typeof left === "boolean") return typeof right === "boolean" ? Number(left) - Number(right) : undefined;
  if (left instanceof Timestamp && right instanceof Timestamp) {
    return left.seconds - right.seconds || left.nanos - right.nanos;
  }
  if (left instanceof Duration && right instanceof Duration) {
    return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0;
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareOctets(left, right);
  return undefined;
}

/** Whether values of this type have an order. */
export function hasOrder(value: Value): boolean {
  return compareValues(value, value) !== undefined;
}

function compareOctets(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    if (left[index] !== right[index]) return left[index]! - right[index]!;
  }
  return left.length - right.length;
}
