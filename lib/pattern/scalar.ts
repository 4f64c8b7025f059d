import { isObject, type Json } from "../json/mod.ts";
import { compileComparison, compileRange, type ScalarTest } from "./comparison.ts";
import { wildcardSteps } from "../kube/mod.ts";
import { countCompilation } from "./compilations.ts";
import { floatOf, integerText, isInt64 } from "./number_text.ts";
import { parseTerm } from "./operator.ts";

/**
 * Compiles a scalar pattern. A string may join terms with `|` (or) and `&` (and); each term is a comparison,
 * a range, or a word with wildcards. Numbers and booleans are compared by value, `null` accepts absent and
 * empty values, a map accepts any map, a list accepts nothing.
 *
 * ```ts
 * import { compileScalar } from "./scalar.ts";
 * import assert from "node:assert/strict";
 * const small = compileScalar(">=64Mi & <=1Gi | none");
 * assert.equal(small("512Mi"), true);
 * assert.equal(small("2Gi"), false);
 * assert.equal(small("none"), true);
 * ```
 */
export function compileScalar(pattern: Json): ScalarTest {
  countCompilation();
  if (typeof pattern === "string") return compileString(pattern);
  if (typeof pattern === "number") return isInt64(pattern) ? compileInteger(pattern) : compileFloat(pattern);
  if (typeof pattern === "boolean") return (value) => value === pattern;
  if (pattern === null) return isEmpty;
  return isObject(pattern) ? isObject : () => false;
}

/**
 * The steps of testing a value of at most 32 characters; a longer one takes as many again for each 32: one for each
 * term of the pattern, or as many as its wildcards need.
 */
export function costOfScalar(pattern: Json): number {
  if (typeof pattern !== "string") return 1;
  let terms = 1;
  for (const character of pattern) if (character === "|" || character === "&") terms++;
  return terms * wildcardSteps(pattern);
}

function compileString(pattern: string): ScalarTest {
  const test = anyOf(
    splitTrimmed(pattern, "|").map((choice) => allOf(splitTrimmed(choice, "&").map(compileTerm))),
  );
  // A value that equals the whole pattern matches even when the pattern has operators: `a|b` accepts "a|b".
  return (value) => value === pattern || test(value);
}

function compileTerm(text: string): ScalarTest {
  const term = parseTerm(text);
  return term.kind === "comparison" ? compileComparison(term.comparison, term.text) : compileRange(term);
}

function splitTrimmed(text: string, separator: string): string[] {
  return text.split(separator).map(trimSpaces);
}

/** Removes spaces at both ends, but no tabs or line breaks. */
function trimSpaces(text: string): string {
  let start = 0, end = text.length;
  while (start < end && text[start] === " ") start++;
  while (end > start && text[end - 1] === " ") end--;
  return text.slice(start, end);
}

function anyOf(tests: readonly ScalarTest[]): ScalarTest {
  if (tests.length === 1) return tests[0]!;
  return (value) => {
    for (const test of tests) if (test(value)) return true;
    return false;
  };
}

function allOf(tests: readonly ScalarTest[]): ScalarTest {
  if (tests.length === 1) return tests[0]!;
  return (value) => {
    for (const test of tests) if (!test(value)) return false;
    return true;
  };
}

function compileInteger(pattern: number): ScalarTest {
  const text = String(BigInt(pattern));
  return (value) => value === pattern || typeof value === "string" && integerText(value) === text;
}

function compileFloat(pattern: number): ScalarTest {
  return (value) => value === pattern || typeof value === "string" && floatOf(value) === pattern;
}

/** Whether the pattern `null` accepts a value: an absent one, or an empty one. */
function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}
