/**
 * Go's ways with strings, where they differ from JavaScript's: case is mapped character by character, equality
 * "without case" is Unicode's simple folding, and numbers become text with the digits of a 32-bit float.
 */

import { type Json, withoutEnding } from "../json/mod.ts";
import { perCharacter } from "./costs.ts";

/** Characters of the longest text that a function makes. */
export const maxText = 8 * 1024 * 1024;

const ascii = /^[\0-\x7f]*$/;

/** The cost of mapping the case of texts: that of characters outside ASCII takes a quarter of a microsecond each. */
export function mappingCase(texts: readonly Json[], limit: number): number {
  const hasOther = texts.some((text) => !ascii.test(text as string));
  return perCharacter(hasOther ? 5 : 0.125)(texts, limit);
}

/** Upper case, one character for one: `ß` stays, as in Go's `strings.ToUpper`. */
export function toUpper(text: string): string {
  return ascii.test(text) ? text.toUpperCase() : mapCharacters(text, upper);
}

/** Lower case, one character for one. */
export function toLower(text: string): string {
  return ascii.test(text) ? text.toLowerCase() : mapCharacters(text, lower);
}

function mapCharacters(text: string, map: (character: string) => string): string {
  let mapped = "";
  for (const character of text) mapped += map(character);
  return mapped;
}

function upper(character: string): string {
  const mapped = character.toUpperCase();
  if (isOne(mapped)) return mapped;
  // Greek with iota below: the simple mapping is the title case form, eight further or, for three letters, nine.
  const code = character.codePointAt(0)!;
  if (code >= 0x1f80 && code <= 0x1faf && (code & 8) === 0) return String.fromCodePoint(code + 8);
  return code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3 ? String.fromCodePoint(code + 9) : character;
}

function lower(character: string): string {
  // `İ`, whose full mapping is an i and a combining dot.
  return character === "\u0130" ? "i" : character.toLowerCase();
}

function isOne(text: string): boolean {
  return text.length === (text.codePointAt(0)! > 0xffff ? 2 : 1);
}

/** Whether two texts are equal under Unicode's simple case folding, as Go's `strings.EqualFold` says. */
export function equalFold(left: string, right: string): boolean {
  if (left === right) return true;
  if (ascii.test(left) && ascii.test(right)) {
    return left.length === right.length && left.toLowerCase() === right.toLowerCase();
  }
  const one = [...left], other = [...right];
  return one.length === other.length &&
    one.every((character, index) => fold(character) === fold(other[index]!));
}

function fold(character: string): string {
  // The dotted capital and the dotless small i fold to nothing but themselves.
  return character === "\u0130" || character === "\u0131" ? character : lower(upper(character));
}

/**
 * A number as Go's `FormatFloat(x, 'f', -1, 32)` writes it: the shortest digits that are the same 32-bit float, never
 * with an exponent.
 */
export function float32Text(value: number): string {
  const single = Math.fround(value);
  if (Number.isNaN(single)) return "NaN";
  if (!Number.isFinite(single)) return single > 0 ? "+Inf" : "-Inf";
  if (single === 0) return Object.is(single, -0) ? "-0" : "0";
  for (let digits = 1; digits < 9; digits++) {
    const text = single.toExponential(digits - 1);
    if (Math.fround(Number(text)) === single) return withoutExponent(text);
  }
  return withoutExponent(single.toExponential(8));
}

function withoutExponent(text: string): string {
  const [, sign, digits, power] = /^(-?)([0-9.]+)e(.*)$/.exec(text) as unknown as [
    string,
    string,
    string,
    string,
  ];
  const plain = withoutEnding(digits.replace(".", ""), "0");
  const point = Number(power) + 1;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${plain}`;
  return point >= plain.length
    ? sign + plain.padEnd(point, "0")
    : `${sign}${plain.slice(0, point)}.${plain.slice(point)}`;
}

const decimal = /^[+-]?(?:[0-9_]+(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][+-]?[0-9_]+)?$/;
const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F_]*)(?:\.([0-9a-fA-F_]*))?[pP]([+-]?[0-9_]+)$/;

/** An underscore that does not stand between two digits, or between the base's prefix and a digit. */
const strayUnderscore = /(?:^|[^0-9a-fA-FxX])_|_(?:$|[^0-9a-fA-F])/;

/**
 * A text as a 64-bit float by Go's `strconv.ParseFloat`: decimal or hexadecimal, `inf`, `nan`, underscores between
 * digits. `undefined` when it is none or too large.
 */
export function parseFloat64(text: string): number | undefined {
  if (strayUnderscore.test(text)) return undefined;
  const word = text.toLowerCase();
  if (word === "nan") return NaN;
  if (/^[+-]?inf(?:inity)?$/.test(word)) return word.startsWith("-") ? -Infinity : Infinity;
  const number = decimal.test(text)
    ? Number(text.replaceAll("_", ""))
    : hexadecimal.test(text)
    ? hexadecimalValue(text)
    : NaN;
  return Number.isFinite(number) ? number : undefined;
}

function hexadecimalValue(text: string): number {
  const [, sign, whole = "", fraction = "", power] = hexadecimal.exec(text.replaceAll("_", ""))!;
  const digits = whole + fraction;
  if (digits === "") return NaN;
  const value = Number(`0x${digits}`) * 2 ** (Number(power) - 4 * fraction.length);
  return sign === "-" ? -value : value;
}
