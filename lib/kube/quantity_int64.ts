import { powerOfTen, roundUp } from "./decimal.ts";
import type { Quantity } from "./quantity.ts";

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/**
 * The whole number that the quantity is, or `undefined` when it has a fraction or is beyond an int64.
 * Kyverno parity: also `undefined` for a quantity that needed more than 18 digits, whatever its value.
 */
export function quantityAsInt64(quantity: Quantity): bigint | undefined {
  if (!quantity.small || quantity.exponent < 0) return undefined;
  const value = quantity.unscaled * powerOfTen(quantity.exponent);
  return fits(value) ? value : undefined;
}

/** The value rounded up to a whole number. Beyond an int64 it wraps or is 0, as in the reference. */
export function quantityValue(quantity: Quantity): bigint {
  return scaledValue(quantity, 0);
}

/** The value in thousandths, rounded up. Beyond an int64 it wraps or is 0, as in the reference. */
export function quantityMilliValue(quantity: Quantity): bigint {
  return scaledValue(quantity, -3);
}

/** The powers of ten for which the reference multiplies in one step, without looking at the overflow. */
const wrappingShifts: ReadonlySet<number> = new Set([1, 2, 3, 6, 9]);

function scaledValue(quantity: Quantity, exponent: number): bigint {
  const shift = quantity.exponent - exponent;
  if (quantity.small) {
    if (shift < 0) return roundUp(quantity, exponent).unscaled;
    const value = quantity.unscaled * powerOfTen(shift);
    if (fits(value)) return value;
    return wrappingShifts.has(shift) ? BigInt.asIntN(64, value) : 0n;
  }
  const { unscaled } = quantity;
  if (shift >= 0) {
    const factor = shift > 18 ? int64Min : powerOfTen(shift);
    return BigInt.asIntN(64, BigInt.asIntN(64, unscaled) * factor);
  }
  const divisor = powerOfTen(-shift);
  // The reference divides what fits an int64 there, after wrapping, and truncates; larger numbers it divides exactly and
  // rounds down. Then one more when there is a remainder.
  const dividend = unscaled < int64Max && -shift < 19 ? BigInt.asIntN(64, unscaled) : unscaled;
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) return BigInt.asIntN(64, quotient);
  const roundsDown = dividend === unscaled && unscaled < 0n && -shift >= 19;
  return BigInt.asIntN(64, roundsDown ? quotient : quotient + 1n);
}

/**
 * The nearest double, computed as the reference does: the digits as a double times a power of ten.
 *
 * ```ts
 * import { quantityAsFloat } from "./quantity_int64.ts";
 * import { parseQuantity } from "./quantity.ts";
 * import assert from "node:assert/strict";
 * assert.equal(quantityAsFloat(parseQuantity("1500m")!), 1.5);
 * ```
 */
export function quantityAsFloat(quantity: Quantity): number {
  const digits = Number(quantity.unscaled);
  return quantity.exponent === 0 ? digits : digits * floatPower(quantity.exponent);
}

/** Powers of ten as Go computes them: a product of two exact-rounded ones. */
function floatPower(exponent: number): number {
  if (exponent < -323) return 0;
  if (exponent > 308) return Infinity;
  const magnitude = Math.abs(exponent);
  const low = Number(`1e${magnitude % 32}`);
  const high = magnitude - (magnitude % 32);
  return exponent < 0 ? Number(`1e-${high}`) / low : Number(`1e${high}`) * low;
}

function fits(value: bigint): boolean {
  return value >= int64Min && value <= int64Max;
}
