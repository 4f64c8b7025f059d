/** An exact decimal number: `unscaled × 10^exponent`. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly exponent: number;
}

const powers: bigint[] = Array.from({ length: 40 }, (_, power) => 10n ** BigInt(power));

/** The greatest power that is kept: quantities have exponents of at most a thousand. All together take a megabyte. */
const mostKept = 2_100;

/** `10^power`; the power is 0 or more. */
export function powerOfTen(power: number): bigint {
  const kept = powers[power];
  if (kept !== undefined) return kept;
  const made = 10n ** BigInt(power);
  if (power <= mostKept) powers[power] = made;
  return made;
}

/** -1, 0 or 1 as the left number is less than, equal to or greater than the right one. */
export function compareDecimals(left: Decimal, right: Decimal): -1 | 0 | 1 {
  if (left.exponent === right.exponent) return order(left.unscaled, right.unscaled);
  const exponent = Math.min(left.exponent, right.exponent);
  return order(unscaledAt(left, exponent), unscaledAt(right, exponent));
}

function order(left: bigint, right: bigint): -1 | 0 | 1 {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The unscaled number of the same value at a given exponent, which must not exceed the number's exponent. */
function unscaledAt(number: Decimal, exponent: number): bigint {
  return number.unscaled * powerOfTen(number.exponent - exponent);
}

/** The sum, exact. */
export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent);
  return { unscaled: unscaledAt(left, exponent) + unscaledAt(right, exponent), exponent };
}

/** The number at an exponent, rounded away from zero if it loses digits. */
export function roundUp(number: Decimal, exponent: number): Decimal {
  if (number.exponent >= exponent) return { unscaled: unscaledAt(number, exponent), exponent };
  const divisor = powerOfTen(exponent - number.exponent);
  const quotient = number.unscaled / divisor;
  if (quotient * divisor === number.unscaled) return { unscaled: quotient, exponent };
  return { unscaled: number.unscaled < 0n ? quotient - 1n : quotient + 1n, exponent };
}

/** The quotient with the finer of the two scales, rounded toward zero; the divisor must not be zero. */
export function divideDecimals(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent);
  const shift = left.exponent - right.exponent - exponent;
  const unscaled = shift >= 0
    ? (left.unscaled * powerOfTen(shift)) / right.unscaled
    : left.unscaled / (right.unscaled * powerOfTen(-shift));
  return { unscaled, exponent };
}

/** Divides a number by a factor as often as it is divisible; zero stays zero. */
export function withoutFactor(
  number: bigint,
  factor: bigint,
): { readonly rest: bigint; readonly times: number } {
  let rest = number, times = 0;
  while (rest !== 0n && rest % factor === 0n) {
    rest /= factor;
    times++;
  }
  return { rest, times };
}
