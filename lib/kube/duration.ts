import { quoteAscii, withoutEnding } from "../json/mod.ts";

/** Nanoseconds of Go's duration units; µ is accepted as U+00B5 and as U+03BC. */
const nanosecondsOf: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

interface Unit {
  readonly nanoseconds: bigint;
  readonly number: number;
}

const units = new Map(
  Object.entries(nanosecondsOf).map(([name, nanoseconds]): readonly [string, Unit] => [
    name,
    { nanoseconds, number: Number(nanoseconds) },
  ]),
);

/** The greatest number of hours whose nanoseconds are exact as a number twice, and the nanoseconds of that many. */
const mostSmall = 999, smallLimit = mostSmall * 3_600_000_000_000;

const limit = 2n ** 63n;
/** A total below this has room for short parts. */
const farLimit = limit - BigInt(2 * smallLimit);
const second = 1_000_000_000n;

/**
 * Parses a Go duration (`time.ParseDuration`) into nanoseconds; `undefined` for an invalid text or too long a time.
 *
 * ```ts
 * import { formatDuration, parseDuration } from "./duration.ts";
 * import assert from "node:assert/strict";
 * assert.equal(parseDuration("1.5h"), 5_400_000_000_000n);
 * assert.equal(parseDuration("5"), undefined);
 * assert.equal(formatDuration(parseDuration("90m")!), "1h30m0s");
 * ```
 */
export function parseDuration(text: string): bigint | undefined {
  // Every unit ends in s, m or h, and only zero needs no unit. This rejects most texts of a resource at once.
  const last = text.charCodeAt(text.length - 1);
  if (last === 0x30) return text === "0" || text === "-0" || text === "+0" ? 0n : undefined;
  if (last !== 0x73 && last !== 0x6d && last !== 0x68) return undefined;
  const read = readDuration(text);
  return typeof read === "bigint" ? read : undefined;
}

/** Go's error message for an invalid duration; `undefined` for a valid one. */
export function durationProblem(text: string): string | undefined {
  const read = readDuration(text);
  return typeof read === "string" ? `time: ${read}duration ${quoteAscii(text)}` : undefined;
}

function readDuration(text: string): bigint | string {
  const signed = text[0] === "-" || text[0] === "+";
  const negative = text[0] === "-";
  let at = signed ? 1 : 0;
  if (at === text.length) return "invalid ";
  if (text.length === at + 1 && text[at] === "0") return 0n;
  // Nanoseconds of short parts, which are exact as a number: a request may bring a million parts.
  let total = 0n, small = 0, isFar = true;
  while (at < text.length) {
    const wholeStart = at;
    let number = 0;
    for (; isDigit(text, at); at++) number = number * 10 + text.charCodeAt(at) - 0x30;
    const wholeEnd = at;
    let fraction = "";
    if (text[at] === ".") {
      const start = ++at;
      while (isDigit(text, at)) at++;
      fraction = text.slice(start, at);
    }
    if (wholeEnd === wholeStart && fraction === "") return "invalid ";
    if (wholeEnd - wholeStart > 18 && !fitsLimit(text.slice(wholeStart, wholeEnd))) return "invalid ";
    const unitStart = at;
    while (at < text.length && text[at] !== "." && !isDigit(text, at)) at++;
    if (at === unitStart) return "missing unit in ";
    const name = text.slice(unitStart, at);
    const unit = units.get(name);
    if (unit === undefined) return `unknown unit ${quoteAscii(name)} in `;
    if (fraction === "" && number <= mostSmall) {
      small += number * unit.number;
      if (small < smallLimit && isFar && at < text.length) continue;
    } else {
      const whole = BigInt(text.slice(wholeStart, wholeEnd));
      total += whole * unit.nanoseconds + fractionOf(unit.nanoseconds, fraction);
    }
    total += BigInt(small);
    small = 0;
    if (total > limit) return "invalid ";
    isFar = total < farLimit;
  }
  if (negative) return -total;
  return total === limit ? "invalid " : total;
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}

function fitsLimit(digits: string): boolean {
  const significant = digits.replace(/^0+/, "");
  return significant.length < 19 || significant.length === 19 && BigInt(significant) <= limit;
}

/** A decimal fraction of a unit, computed with a double as in Go, from as many digits as fit an int64. */
function fractionOf(unit: bigint, digits: string): bigint {
  let value = 0n, scale = 1;
  for (const digit of digits) {
    if (value > (limit - 1n) / 10n) break;
    const next = value * 10n + BigInt(digit);
    if (next > limit) break;
    value = next;
    scale *= 10;
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** Nanoseconds as Go prints a duration: `1h30m0s`, `1.5s`, `500ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const rest = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (rest < 1_000n) return `${sign}${rest}ns`;
  if (rest < 1_000_000n) return `${sign}${decimal(rest, 3)}\u00b5s`;
  if (rest < second) return `${sign}${decimal(rest, 6)}ms`;
  const minutes = rest / (60n * second), hours = minutes / 60n;
  const seconds = decimal(rest % (60n * second), 9);
  if (minutes === 0n) return `${sign}${seconds}s`;
  if (hours === 0n) return `${sign}${minutes}m${seconds}s`;
  return `${sign}${hours}h${minutes % 60n}m${seconds}s`;
}

/** Prints `parts × 10^-digitCount` as a decimal number without trailing zeros. */
function decimal(parts: bigint, digitCount: number): string {
  const digits = parts.toString().padStart(digitCount + 1, "0");
  const fraction = withoutEnding(digits.slice(-digitCount), "0");
  const whole = digits.slice(0, -digitCount);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Seconds as a double, as Go's `Duration.Seconds`. */
export function durationSeconds(nanoseconds: bigint): number {
  return Number(nanoseconds / second) + Number(nanoseconds % second) / 1e9;
}

/** The nanoseconds of a number of seconds, truncated. Out of range it is the smallest int64, as in Go. */
export function durationOfSeconds(seconds: number): bigint {
  const nanoseconds = seconds * 1e9;
  if (!(Math.abs(nanoseconds) < 2 ** 63)) return -limit;
  return BigInt(Math.trunc(nanoseconds));
}
