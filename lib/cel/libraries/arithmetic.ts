import { CelFault, failure, noSuchOverload } from "../fault.ts";
import {
  Duration,
  floatValue,
  intOverflow,
  isFloat,
  isInt,
  isListValue,
  Timestamp,
  toDuration,
  toFloat,
  toInt,
  toTimestamp,
  toUint,
  Uint,
  type Value,
} from "../values/mod.ts";
import type { Result } from "./library.ts";

/** How an operator computes with each kind of number; small ints take the first. */
interface NumberOperator {
  readonly name: string;
  /** Computes with whole numbers within ±2^53. The result is not exact when it leaves that range. */
  readonly small?: (left: number, right: number) => number;
  /** Computes with whole numbers of any size: ints and uints. */
  readonly whole: (left: bigint, right: bigint) => bigint | CelFault;
  readonly float?: (left: number, right: number) => number;
}

/**
 * The error of operands that an operator does not take. Kyverno parity: it names the operator only when the first
 * operand has neither the operator nor methods. Pinned by "an operator names itself in errors of some operands".
 */
export function misfitOperands(
  name: string,
  left: Value,
  { hasOperator }: { readonly hasOperator: boolean },
): CelFault {
  const hasMethods = typeof left === "string" || left instanceof Duration || left instanceof Timestamp;
  return hasOperator || hasMethods ? noSuchOverload() : noSuchOverload(name);
}

function compute(left: Value, right: Value, operator: NumberOperator): Result {
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && operator.small !== undefined) {
    const result = operator.small(left as number, right as number);
    // Adding zero turns -0, which ints do not have, into 0.
    if (Number.isSafeInteger(result)) return result + 0;
  }
  if (isInt(left) && isInt(right)) {
    const result = operator.whole(BigInt(left), BigInt(right));
    return result instanceof CelFault ? result : toInt(result);
  }
  if (left instanceof Uint && right instanceof Uint) {
    const result = operator.whole(left.value, right.value);
    return result instanceof CelFault ? result : toUint(result);
  }
  if (operator.float !== undefined && isFloat(left) && isFloat(right)) {
    return toFloat(operator.float(floatValue(left), floatValue(right)));
  }
  const isWhole = isInt(left) || left instanceof Uint;
  const hasOperator = isWhole || operator.float !== undefined && isFloat(left);
  return misfitOperands(operator.name, left, { hasOperator });
}

const addition: NumberOperator = {
  name: "_+_",
  small: (left, right) => left + right,
  whole: (left, right) => left + right,
  float: (left, right) => left + right,
};

/** The most characters or elements of a result; a larger one is an error before it is made. */
export const maxText = 100_000_000;
const maxList = 10_000_000;

/** `a + b` */
export function add(left: Value, right: Value): Result {
  if (typeof left === "string") {
    if (typeof right !== "string") return noSuchOverload();
    return left.length + right.length > maxText ? failure("the text is too long") : left + right;
  }
  if (isListValue(left)) {
    if (!isListValue(right)) return noSuchOverload();
    return left.length + right.length > maxList ? failure("the list is too long") : left.concat(right);
  }
  if (left instanceof Uint8Array) {
    return right instanceof Uint8Array ? joined(left, right) : noSuchOverload();
  }
  if (left instanceof Duration) {
    if (right instanceof Duration) return toDuration(left.nanos + right.nanos);
    if (right instanceof Timestamp) return toTimestamp(right.total + left.nanos, right.offset);
  }
  if (left instanceof Timestamp && right instanceof Duration) {
    return toTimestamp(left.total + right.nanos, left.offset);
  }
  return compute(left, right, addition);
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left);
  bytes.set(right, left.length);
  return bytes;
}

const subtraction: NumberOperator = {
  name: "_-_",
  small: (left, right) => left - right,
  whole: (left, right) => left - right,
  float: (left, right) => left - right,
};

/** `a - b` */
export function subtract(left: Value, right: Value): Result {
  if (left instanceof Timestamp) {
    if (right instanceof Duration) return toTimestamp(left.total - right.nanos, left.offset);
    if (right instanceof Timestamp) return toDuration(left.total - right.total);
  }
  if (left instanceof Duration && right instanceof Duration) return toDuration(left.nanos - right.nanos);
  return compute(left, right, subtraction);
}

const multiplication: NumberOperator = {
  name: "_*_",
  small: (left, right) => left * right,
  whole: (left, right) => left * right,
  float: (left, right) => left * right,
};

/** `a * b` */
export function multiply(left: Value, right: Value): Result {
  return compute(left, right, multiplication);
}

const division: NumberOperator = {
  name: "_/_",
  // Division rounds towards zero; subtracting the remainder first keeps it exact. `whole` handles division by zero.
  small: (left, right) => right === 0 ? NaN : (left - left % right) / right,
  whole: (left, right) => right === 0n ? new CelFault("divide_by_zero", "division by zero") : left / right,
  float: (left, right) => left / right,
};

/** `a / b` */
export function divide(left: Value, right: Value): Result {
  return compute(left, right, division);
}

const remainder: NumberOperator = {
  name: "_%_",
  small: (left, right) => right === 0 ? NaN : left % right,
  whole: (left, right) => {
    if (right === 0n) return new CelFault("modulus_by_zero", "modulus by zero");
    return left === -(2n ** 63n) && right === -1n ? intOverflow() : left % right;
  },
};

/** `a % b` */
export function modulo(left: Value, right: Value): Result {
  return compute(left, right, remainder);
}

/** `-a` */
export function negate(value: Value): Result {
  if (isInt(value)) return toInt(-BigInt(value));
  if (isFloat(value)) return toFloat(-floatValue(value));
  if (value instanceof Duration) return toDuration(-value.nanos);
  return misfitOperands("-_", value, { hasOperator: typeof value === "boolean" });
}
