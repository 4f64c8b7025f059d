import {
  addDecimals,
  compareDecimals,
  type Decimal,
  divideDecimals,
  roundUp,
  withoutFactor,
} from "./decimal.ts";

/** The family of suffixes in which a quantity is printed: `12M`, `12Mi`, `12e6`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** A Kubernetes quantity: an exact decimal number with the format of its text. */
export interface Quantity extends Decimal {
  readonly format: QuantityFormat;
  /** Whether Kubernetes keeps it in an int64; only such quantities have an {@link quantityAsInt64}. */
  readonly small: boolean;
  /** The parsed text, if it is also the canonical form. */
  readonly text?: string;
}

/** Limits the length and the exponent of a quantity, so that arithmetic on input of users stays bounded. */
const maxTextLength = 1000;
const maxExponent = 1000;

const int64Max = 2n ** 63n - 1n;
const nano = -9;

interface Suffix {
  readonly format: QuantityFormat;
  readonly base: 2 | 10;
  readonly exponent: number;
}

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const suffixes: ReadonlyMap<string, Suffix> = new Map([
  ...decimalSuffixes.map((name, index): [string, Suffix] => [
    name,
    { format: "DecimalSI", base: 10, exponent: 3 * index + nano },
  ]),
  ...binarySuffixes.slice(1).map((name, index): [string, Suffix] => [
    name,
    { format: "BinarySI", base: 2, exponent: 10 * (index + 1) },
  ]),
]);

interface Parts {
  readonly negative: boolean;
  /** Digits before the point without leading zeros, and after it. */
  readonly whole: string;
  readonly fraction: string;
  /** Whether there was any digit at all: `.Gi` has none. */
  readonly hasDigits: boolean;
  readonly suffix: string;
}

/**
 * Parses a quantity as `k8s.io/apimachinery` does; `undefined` for any other text. It rounds values below one nano up
 * to one nano, and limits binary values to 2^63-1.
 *
 * ```ts
 * import { compareQuantities, formatQuantity, parseQuantity } from "./quantity.ts";
 * import assert from "node:assert/strict";
 * assert.equal(compareQuantities(parseQuantity("1Gi")!, parseQuantity("1024Mi")!), 0);
 * assert.equal(formatQuantity(parseQuantity("0.5")!), "500m");
 * assert.equal(parseQuantity("5 Gi"), undefined);
 * ```
 */
export function parseQuantity(text: string): Quantity | undefined {
  const read = readQuantity(text);
  return typeof read === "string" ? undefined : read;
}

/** Kubernetes' error message for an invalid quantity; `undefined` for a valid one. */
export function quantityProblem(text: string): string | undefined {
  const read = readQuantity(text);
  return typeof read === "string" ? read : undefined;
}

/** Kubernetes' error message for a text that has not the form of a quantity. */
export const wrongQuantityFormat =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongNumber = "unable to parse numeric part of quantity";
const wrongSuffix = "unable to parse quantity's suffix";

function readQuantity(text: string): Quantity | string {
  const parts = split(text);
  if (parts === undefined) return wrongQuantityFormat;
  const suffix = suffixes.get(parts.suffix) ?? exponentSuffix(parts.suffix);
  if (suffix === undefined) return wrongSuffix;
  return readSmall(text, parts, suffix) ?? readLarge(parts, suffix);
}

/** Splits the text without a regular expression: it runs for every text that a pattern or condition compares. */
function split(text: string): Parts | undefined {
  const end = text.length;
  if (end === 0 || end > maxTextLength) return undefined;
  const sign = text.charCodeAt(0);
  const negative = sign === 0x2d;
  let at = negative || sign === 0x2b ? 1 : 0;
  const first = at;
  while (text.charCodeAt(at) === 0x30) at++;
  const wholeStart = at;
  while (isDigit(text.charCodeAt(at))) at++;
  const whole = text.slice(wholeStart, at);
  let hasDigits = at > first;
  let fraction = "";
  if (text.charCodeAt(at) === 0x2e) {
    const start = ++at;
    while (isDigit(text.charCodeAt(at))) at++;
    fraction = text.slice(start, at);
    hasDigits ||= at > start;
  }
  const suffixStart = at;
  while (at < end && "eEinumkKMGTP".includes(text[at]!)) at++;
  if (at < end && (text[at] === "+" || text[at] === "-")) at++;
  while (isDigit(text.charCodeAt(at))) at++;
  if (at < end) return undefined;
  return { negative, whole, fraction, hasDigits, suffix: text.slice(suffixStart) };
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function exponentSuffix(suffix: string): Suffix | undefined {
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  return exponent > maxExponent ? undefined : { format: "DecimalExponent", base: 10, exponent };
}

/** Reads the numbers that Kubernetes keeps in an int64: they have few digits and are not finer than nano. */
function readSmall(text: string, parts: Parts, suffix: Suffix): Quantity | undefined {
  const { fraction } = parts;
  const whole = parts.whole === "" ? "0" : parts.whole;
  const digits = whole + fraction;
  const { format } = suffix;
  let room: number;
  if (suffix.base === 10) room = 18 - digits.length;
  else if (fraction === "") room = 14 - whole.length - Math.trunc(suffix.exponent * 3 / 10);
  else return undefined;
  const exponent = suffix.base === 10 ? suffix.exponent - fraction.length : 0;
  if (room < 0 || exponent < nano) return undefined;
  const number = BigInt(digits);
  const magnitude = suffix.base === 2 ? number << BigInt(suffix.exponent) : number;
  const unscaled = parts.negative ? -magnitude : magnitude;
  const canonical = suffix.base === 2
    ? (number & 7n) !== 0n
    : exponent % 3 === 0 && !digits.endsWith("000") && digits[0] !== "0";
  return canonical
    ? { unscaled, exponent, format, small: true, text }
    : { unscaled, exponent, format, small: true };
}

function readLarge(parts: Parts, suffix: Suffix): Quantity | string {
  if (!parts.hasDigits) return wrongNumber;
  let { format } = suffix;
  let number: Decimal = {
    unscaled: BigInt(parts.whole + parts.fraction),
    exponent: -parts.fraction.length,
  };
  if (suffix.base === 2) {
    number = { ...number, unscaled: number.unscaled << BigInt(suffix.exponent) };
  } else number = { ...number, exponent: Math.max(number.exponent + suffix.exponent, -2 * maxTextLength) };
  if (number.unscaled !== 0n) number = roundUp(number, nano);
  if (format === "BinarySI") {
    if (compareDecimals(number, { unscaled: int64Max, exponent: 0 }) > 0) {
      number = { unscaled: int64Max, exponent: 0 };
    } else if (number.unscaled > 0n && compareDecimals(number, { unscaled: 1n, exponent: 0 }) < 0) {
      format = "DecimalSI";
    }
  }
  const unscaled = parts.negative ? -number.unscaled : number.unscaled;
  return { unscaled, exponent: number.exponent, format, small: false };
}

/** The canonical text: no digits lost, the largest fitting suffix, no fraction. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return "0";
  if (quantity.format === "BinarySI") {
    const whole = roundUp(quantity, 0);
    const magnitude = whole.unscaled < 0n ? -whole.unscaled : whole.unscaled;
    if (compareDecimals(whole, quantity) === 0 && magnitude >= 1024n) {
      const { rest, times } = withoutFactor(whole.unscaled, 1024n);
      return `${rest}${binarySuffixes[times] ?? ""}`;
    }
  }
  const { rest, times } = withoutFactor(quantity.unscaled, 10n);
  const tens = quantity.exponent + times;
  const exponent = Math.floor(tens / 3) * 3;
  const digits = `${rest}${"0".repeat(tens - exponent)}`;
  if (quantity.format === "DecimalExponent") return exponent === 0 ? digits : `${digits}e${exponent}`;
  // Kyverno parity: above exa there is no suffix, so `1000E` prints as `1`; pinned by "beyond exa no suffix".
  return `${digits}${decimalSuffixes[(exponent - nano) / 3] ?? ""}`;
}

/** -1, 0 or 1 as the left quantity is less than, equal to or greater than the right one; exact. */
export function compareQuantities(left: Quantity, right: Quantity): -1 | 0 | 1 {
  return compareDecimals(left, right);
}

/** A key that two quantities share exactly if they are equal. */
export function quantityKey({ unscaled, exponent }: Quantity): string {
  if (unscaled === 0n) return "0";
  const { rest, times } = withoutFactor(unscaled, 10n);
  return `${rest}e${exponent + times}`;
}

/** The sign of a quantity: -1, 0 or 1. */
export function quantitySign(quantity: Quantity): -1 | 0 | 1 {
  return quantity.unscaled === 0n ? 0 : quantity.unscaled < 0n ? -1 : 1;
}

/** The sum in the left one's format, or in the right one's when the left is zero. */
export function addQuantities(left: Quantity, right: Quantity): Quantity {
  return sum(left, right);
}

/** The difference in the left one's format, or in the right one's when the left is zero. */
export function subtractQuantities(left: Quantity, right: Quantity): Quantity {
  return sum(left, negateQuantity(right));
}

function sum(left: Quantity, right: Quantity): Quantity {
  const format = left.unscaled === 0n ? right.format : left.format;
  const total = left.unscaled === 0n ? right : right.unscaled === 0n ? left : addDecimals(left, right);
  return {
    unscaled: total.unscaled,
    exponent: total.exponent,
    format,
    small: left.small && right.small && fitsInt64(total.unscaled),
  };
}

/** The quantity with the other sign. */
function negateQuantity(quantity: Quantity): Quantity {
  const { unscaled, exponent, format, small } = quantity;
  return { unscaled: -unscaled, exponent, format, small };
}

/** The exact product, in the left one's format. */
export function multiplyQuantities(left: Quantity, right: Quantity): Quantity {
  return {
    unscaled: left.unscaled * right.unscaled,
    exponent: left.exponent + right.exponent,
    format: left.format,
    small: false,
  };
}

/**
 * The quotient in the left one's format, rounded toward zero to the finer of the two scales; `undefined` when the
 * divisor is zero.
 */
export function divideQuantities(left: Quantity, right: Quantity): Quantity | undefined {
  if (right.unscaled === 0n) return undefined;
  return { ...divideDecimals(left, right), format: left.format, small: false };
}

/** Makes a quantity from a whole number. */
export function quantityOf(value: bigint, format: QuantityFormat): Quantity {
  return { unscaled: value, exponent: 0, format, small: fitsInt64(value) };
}

function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}
