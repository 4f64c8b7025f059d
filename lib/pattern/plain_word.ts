import { hasWildcard, parseDuration, parseQuantity, quantityKey } from "../kube/mod.ts";
import { parseTerm } from "./operator.ts";

/** A string pattern without operators and wildcards. */
export interface PlainWord {
  /** The pattern without the spaces around it; texts are compared with it. */
  readonly text: string;
  /** The values for the pattern that {@link comparedAs} returns. */
  readonly values: readonly string[];
}

/**
 * Reads a string pattern as a plain word, so that a caller can look up the texts that it accepts. These are the
 * pattern, its word, and some of the texts that have a value in common with it. `undefined` for any other
 * pattern.
 *
 * ```ts
 * import { plainWord } from "./plain_word.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(plainWord("web"), { text: "web", values: [] });
 * assert.deepEqual(plainWord("1k")?.values, plainWord("1000")?.values);
 * assert.equal(plainWord("web*"), undefined);
 * ```
 */
export function plainWord(pattern: string): PlainWord | undefined {
  if (hasWildcard(pattern) || pattern.includes("|") || pattern.includes("&")) return undefined;
  const term = parseTerm(pattern);
  if (term.kind !== "comparison" || term.comparison !== "=") return undefined;
  return { text: term.text, values: comparedAs(term.text) };
}

/**
 * Returns the values by which a text is compared with plain words, besides the text itself: its duration and
 * its quantity.
 */
export function comparedAs(text: string): string[] {
  const values: string[] = [], duration = parseDuration(text), quantity = parseQuantity(text);
  if (duration !== undefined) values.push(`${duration}ns`);
  if (quantity !== undefined) values.push(quantityKey(quantity));
  return values;
}
