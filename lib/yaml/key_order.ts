/**
 * Orders map keys as Go's yaml.v3 prints them: letters after other characters (but before them right after a number),
 * and digits by the number that they form (`a2` before `a10`).
 *
 * ```ts
 * import { compareKeys } from "./key_order.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(["a10", "a2", "b", "a-b", "A"].sort(compareKeys), ["A", "a-b", "a2", "a10", "b"]);
 * ```
 */
export function compareKeys(left: string, right: string): number {
  let same = 0;
  while (same < left.length && left.charCodeAt(same) === right.charCodeAt(same)) same++;
  if (same === left.length || same === right.length) return left.length - right.length;
  const one = left.charCodeAt(same), other = right.charCodeAt(same);
  // Most keys differ in two ASCII letters, or in a letter and a dash; for them no list of characters is needed.
  const oneIsLetter = isAsciiLetter(one), otherIsLetter = isAsciiLetter(other);
  if (oneIsLetter && otherIsLetter) return one - other;
  const before = same === 0 ? dash : left.charCodeAt(same - 1);
  const areTakenApart = !isAsciiSign(one) && !oneIsLetter || !isAsciiSign(other) && !otherIsLetter ||
    !isAsciiSign(before) && !isAsciiLetter(before);
  if (areTakenApart) return compareCharacters(left, right);
  if (oneIsLetter === otherIsLetter) return one - other;
  return oneIsLetter ? 1 : -1;
}

const dash = 0x2d;

function compareCharacters(left: string, right: string): number {
  const a = Array.from(left), b = Array.from(right);
  let at = 0;
  while (a[at] === b[at]) at++;
  const aIsLetter = isLetter(a[at]!), bIsLetter = isLetter(b[at]!);
  if (aIsLetter !== bIsLetter) {
    const afterDigit = at > 0 && isDigit(a[at - 1]!);
    return aIsLetter === afterDigit ? -1 : 1;
  }
  const points = a[at]!.codePointAt(0)! - b[at]!.codePointAt(0)!;
  if (aIsLetter) return points;
  const carry = (a[at] === "0" || b[at] === "0") && endsInNumber(a, at) ? 1 : 0;
  const aNumber = numberAt(a, at, carry), bNumber = numberAt(b, at, carry);
  return aNumber.value - bNumber.value || aNumber.end - bNumber.end || points;
}

function isAsciiLetter(code: number): boolean {
  return code >= 65 && code <= 90 || code >= 97 && code <= 122;
}

/** Whether a character is one of ASCII that is neither a letter nor a digit. */
function isAsciiSign(code: number): boolean {
  return code < 0x80 && !isAsciiLetter(code) && !(code >= 0x30 && code <= 0x39);
}

function isLetter(character: string): boolean {
  return /^\p{L}$/u.test(character);
}

function isDigit(character: string): boolean {
  return /^\p{Nd}$/u.test(character);
}

/** Whether the digits before the end contain one that is not zero: then a zero at the end is significant. */
function endsInNumber(characters: readonly string[], end: number): boolean {
  for (let at = end - 1; at >= 0 && isDigit(characters[at]!); at--) if (characters[at] !== "0") return true;
  return false;
}

function numberAt(
  characters: readonly string[],
  start: number,
  carry: number,
): { value: number; end: number } {
  let value = carry, end = start;
  for (; end < characters.length && isDigit(characters[end]!); end++) {
    value = value * 10 + characters[end]!.codePointAt(0)! - 0x30;
  }
  return { value, end };
}
