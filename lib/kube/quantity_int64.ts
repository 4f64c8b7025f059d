import { powerOfTen } from "./decimal.ts";
import type { Quantity } from "./quantity.ts";

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/**
 * The quantity as a whole number; `undefined` when it has a fraction or does not fit an int64.
 * Kyverno parity: also `undefined` for a quantity with more than 18 digits, whatever its value. Pinned by
 * tests/kube/quantity_test.ts.
 */
export function quantityAsInt64(quantity: Quantity): bigint | undefined {
  if (!quantity.small || quantity.exponent < 0) return undefined;
  const value = quantity.unscaled * powerOfTen(quantity.exponent);
  return fits(value) ? value : undefined;
}

/**
 * The quantity as a double, computed as Kubernetes does: it multiplies the digits, as a double, by a power of ten.
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
