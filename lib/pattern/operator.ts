/** How a value is compared with the text of a pattern. */
export type PatternOperator = "=" | "!" | ">" | ">=" | "<" | "<=";

/** One term of a string pattern: a comparison, or a range of quantities or durations. */
export type PatternTerm =
  | { readonly kind: "comparison"; readonly comparison: PatternOperator; readonly text: string }
  | NumberRange;

/** A range. Its two ends count as inside. */
export interface NumberRange {
  /** `inside` for `1-10`, `outside` for `1!-10`. */
  readonly kind: "inside" | "outside";
  readonly low: string;
  readonly high: string;
}

const prefixes: readonly PatternOperator[] = [">=", "<=", ">", "<", "!"];

// An end is a number with a unit. Kyverno's regular expression also accepts `|` as the sign, and so does this one.
const end = String.raw`([-|+]?\d+(?:\.\d+)?[A-Za-z]*)`;
const outside = new RegExp(`^${end}!-${end}$`);
const inside = new RegExp(`^${end}-${end}$`);

/**
 * Reads one term of a string pattern: a text without `|` and `&`.
 *
 * ```ts
 * import { parseTerm } from "./operator.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseTerm(">= 5"), { kind: "comparison", comparison: ">=", text: "5" });
 * assert.deepEqual(parseTerm("1Mi!-2Gi"), { kind: "outside", low: "1Mi", high: "2Gi" });
 * assert.deepEqual(parseTerm("nginx:*"), { kind: "comparison", comparison: "=", text: "nginx:*" });
 * ```
 */
export function parseTerm(text: string): PatternTerm {
  // Kyverno parity: a single character is never an operator, so the pattern `!` matches the text `!`. Pinned by
  // tests/pattern/operator_test.ts.
  if (text.length < 2) return { kind: "comparison", comparison: "=", text: text.trim() };
  const prefix = prefixes.find((operator) => text.startsWith(operator));
  if (prefix !== undefined) {
    return { kind: "comparison", comparison: prefix, text: text.slice(prefix.length).trim() };
  }
  return parseRange(text) ?? { kind: "comparison", comparison: "=", text: text.trim() };
}

/** Reads a range such as `1-10`, `-5--1` or `100m!-2`; `undefined` for any other text. */
export function parseRange(text: string): NumberRange | undefined {
  const without = outside.exec(text);
  if (without !== null) return { kind: "outside", low: without[1]!, high: without[2]! };
  const within = inside.exec(text);
  if (within !== null) return { kind: "inside", low: within[1]!, high: within[2]! };
  return undefined;
}
