import { programSize } from "../json/mod.ts";

/** The characters of a text that weigh as much as another value. */
const charactersOfValue = 64;

/** The weight of an alternative or condition of a pattern, such as `|1-2`. */
const weightOfAlternative = 1;

/** The weight of a hyphen: a range such as `1-2` is two comparisons. */
const weightOfHyphen = 0.75;

/** The weight of another mark, such as a dot or bracket of an expression. */
const weightOfMark = 0.25;

/** The weight of a variable besides its marks. */
export const weightOfVariable = 5;

/** The instructions of a regular expression that weigh as much as another value. */
const instructionsOfValue = 7;

/** Repetitions, classes and flags of regular expressions: what makes more instructions than it has characters. */
const hasMore = /\{\d|\\p|\(\?/i;

/**
 * The weight of a text when it is compiled as a pattern or an expression, in values. A short text can have many parts:
 * `a|b|c` is three tests, `{{ a.b[0] }}` five steps, and the regular expression `a{1000}` a thousand instructions.
 */
export function compiledTextWeight(text: string): number {
  let weight = plainTextWeight(text);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (!isMark(code)) continue;
    if (code === bar || code === ampersand) weight += weightOfAlternative;
    else if (code === hyphen) weight += weightOfHyphen;
    else {
      weight += weightOfMark;
      if (code === brace && text.charCodeAt(index + 1) === brace) weight += weightOfVariable;
    }
  }
  if (!hasMore.test(text)) return weight;
  return weight + Math.max(0, programSize(text) - text.length) / instructionsOfValue;
}

/** The weight of a text that is only kept. */
export function plainTextWeight(text: string): number {
  return text.length / charactersOfValue;
}

const bar = 0x7c, ampersand = 0x26, brace = 0x7b, hyphen = 0x2d;

/** Whether a character is a mark of ASCII: no space, letter, digit or underscore. */
function isMark(code: number): boolean {
  if (code <= 0x20 || code >= 0x7f) return false;
  const isDigit = code >= 0x30 && code < 0x3a, lower = code | 0x20;
  return !isDigit && (lower < 0x61 || lower > 0x7a) && code !== 0x5f;
}
