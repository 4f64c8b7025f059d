import { CelFault } from "../fault.ts";
import { CelObject } from "./object.ts";

/**
 * CEL's int (64 bits, signed). A whole `number` within ±(2^53-1), otherwise a `bigint`: nearly every int of a policy
 * is small, and a small one costs nothing to make, compare or read from JSON.
 */
export type Int = number | bigint;

/**
 * CEL's double. A number that is not whole is a double; a whole double is wrapped in {@link Double}, because the bare
 * number would be an int.
 */
export type Float = number | Double;

/** A double whose value is a whole number, such as `2.0`. */
export class Double extends CelObject {
  readonly value: number;

  constructor(value: number) {
    super();
    this.value = value;
  }
}

/** CEL's uint (64 bits, unsigned). */
export class Uint extends CelObject {
  readonly value: bigint;

  constructor(value: bigint) {
    super();
    this.value = value;
  }
}

/** The bounds of `int`, which has 64 bits. */
export const minInt = -(2n ** 63n);
export const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

/** A double from its numeric value. */
export function toFloat(value: number): Float {
  return Number.isInteger(value) ? new Double(value) : value;
}

/** The numeric value of a double. */
export function floatValue(value: Float): number {
  return typeof value === "number" ? value : value.value;
}

/** An int in its shortest form, or the overflow error when it does not fit into 64 bits. */
export function toInt(value: bigint): Int | CelFault {
  if (value >= -9007199254740991n && value <= 9007199254740991n) return Number(value);
  if (value < minInt || value > maxInt) return intOverflow();
  return value;
}

/** A uint, or the overflow error when it does not fit into 64 bits. */
export function toUint(value: bigint): Uint | CelFault {
  return value < 0n || value > maxUint ? uintOverflow() : new Uint(value);
}

/** The error of arithmetic that leaves the range of int. */
export function intOverflow(): CelFault {
  return new CelFault("overflow", "integer overflow");
}

/** The error of arithmetic that leaves the range of uint. */
export function uintOverflow(): CelFault {
  return new CelFault("overflow", "unsigned integer overflow");
}

/**
 * Whether the value is an int. Whole JSON numbers beyond 2^53 count as ints too while they fit into 64 bits.
 */
export function isInt(value: unknown): value is Int {
  return typeof value === "number"
    ? Number.isInteger(value) && value >= -9223372036854775808 && value < 9223372036854775808
    : typeof value === "bigint";
}

/** Whether the value is a double. */
export function isFloat(value: unknown): value is Float {
  return typeof value === "number" ? !isInt(value) : value instanceof Double;
}

/** The number inside an int, uint or double; `undefined` for any other value. */
export function numeric(value: unknown): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof Double || value instanceof Uint) return value.value;
  return undefined;
}

/** A number read from plain JSON in its canonical form: whole numbers beyond 2^53 become exact ints. */
export function fromJsonNumber(value: number): Int | Float {
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return value;
  return isInt(value) ? BigInt(value) : new Double(value);
}

/**
 * Orders two numbers of any kinds; NaN when one of them is NaN. Against a double, whole numbers count as the nearest
 * double, as in cel-go: 2^63-1 equals 2^63 as a double.
 */
export function compareNumbers(left: number | bigint, right: number | bigint): number {
  const a = typeof left === "bigint" && typeof right === "number" && !isSmall(right) ? Number(left) : left;
  const b = typeof right === "bigint" && typeof left === "number" && !isSmall(left) ? Number(right) : right;
  return a < b ? -1 : a > b ? 1 : a >= b ? 0 : NaN;
}

function isSmall(value: number): boolean {
  return Number.isSafeInteger(value);
}
