import type { Json } from "../json/mod.ts";
import { compareQuantities, compileWildcard, parseDuration, parseQuantity } from "../kube/mod.ts";
import { decimalText, scientificText } from "./number_text.ts";
import type { NumberRange, PatternOperator } from "./operator.ts";

/** Whether one value agrees with a pattern; `undefined` stands for a missing field. */
export type ScalarTest = (value: Json | undefined) => boolean;

/** Whether a comparison holds, given the sign of value minus pattern. */
const orders: Readonly<Record<PatternOperator, (sign: number) => boolean>> = {
  "=": (sign) => sign === 0,
  "!": (sign) => sign !== 0,
  ">": (sign) => sign > 0,
  ">=": (sign) => sign >= 0,
  "<": (sign) => sign < 0,
  "<=": (sign) => sign <= 0,
};

/** The sign of value minus pattern; `undefined` when the two cannot be ordered. */
type Order = (text: string) => number | undefined;

/**
 * Compiles a comparison. Two durations are compared as durations, otherwise two quantities as quantities. Other
 * values are compared as text with wildcards, for `=` and `!` only. A missing field counts as 0 for durations
 * and quantities; no text comparison accepts it. Kyverno parity: a missing field is smaller than 5. Pinned by
 * "accepts a missing field, which counts as 0".
 */
export function compileComparison(comparison: PatternOperator, text: string): ScalarTest {
  const asText = compileText(comparison, text);
  const order = compileOrder(text);
  if (order === undefined) return asText;
  const holds = orders[comparison];
  const whole = plainInteger(text);
  const zero = order("0");
  const missing = zero !== undefined && holds(zero);
  return (value) => {
    if (value === undefined || value === null) return missing;
    let sign: number | undefined;
    if (typeof value === "string") sign = order(value);
    else if (typeof value === "number") {
      sign = whole !== undefined && Number.isSafeInteger(value) ? value - whole : order(decimalText(value));
    }
    return sign === undefined ? asText(value) : holds(sign);
  };
}

/** Compiles a range into the comparisons with its two ends. */
export function compileRange(range: NumberRange): ScalarTest {
  const { kind, low, high } = range;
  if (kind === "inside") {
    const above = compileComparison(">=", low), below = compileComparison("<=", high);
    return (value) => above(value) && below(value);
  }
  const below = compileComparison("<", low), above = compileComparison(">", high);
  return (value) => below(value) || above(value);
}

/** Returns how values are ordered against a duration or quantity; `undefined` when the text is neither. */
function compileOrder(text: string): Order | undefined {
  const duration = parseDuration(text), quantity = parseQuantity(text);
  if (duration === undefined && quantity === undefined) return undefined;
  return (value) => {
    if (duration !== undefined) {
      const other = parseDuration(value);
      if (other !== undefined) return other < duration ? -1 : other > duration ? 1 : 0;
    }
    if (quantity === undefined) return undefined;
    const other = parseQuantity(value);
    return other === undefined ? undefined : compareQuantities(other, quantity);
  };
}

/** Returns the value of a short integer, so that numbers are compared without making texts. */
function plainInteger(text: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function compileText(comparison: PatternOperator, text: string): ScalarTest {
  if (comparison !== "=" && comparison !== "!") return () => false;
  const matches = compileWildcard(text);
  const wanted = comparison === "=";
  return (value) => {
    if (typeof value === "string") return matches(value) === wanted;
    if (typeof value === "boolean") return matches(value ? "true" : "false") === wanted;
    if (typeof value === "number") return matches(scientificText(value)) === wanted;
    // Maps, lists and missing fields are neither equal nor unequal to a text.
    return false;
  };
}
