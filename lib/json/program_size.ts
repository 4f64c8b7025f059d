/** Longer texts are no patterns, and would fill the stack. */
const mostCharacters = 1_000_000;

/** Looking up the characters of a class such as `\pL` takes as long as compiling so many instructions. */
const instructionsOfClass = 120;

/**
 * A range of thousands of characters, regardless of their case, takes as long as compiling so many instructions: RE2JS
 * looks at each character.
 */
const instructionsOfFoldedRange = 3_000;

/** RE2 refuses more repetitions. */
const mostRepetitions = 1_000;

/** Quotations, escapes with braces, other escapes, sets, repetitions, and single characters. */
const tokens =
  /\\Q[^]*?(?:\\E|$)|\\(?:[pP](?:\{[^}]*)?|x\{[^}]*)?[^]?|\[\^?\]?(?:\[:\^?\w{0,9}:\]|\\[^]|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|[^]/g;

/** A flag such as `(?i)` or `(?s-mi:`. */
const folds = /\(\?[a-zA-Z-]*i/;

/** A class; and the end of a range that may have many characters. */
const classes = /\\p/gi, longRange = /-(?:\\x\{|[^\0-\x7f])/g;

/**
 * The most instructions that RE2 makes of a regular expression, found without compiling it: `a{1000}` has a thousand.
 * What takes long and few instructions counts as more of them. It reads any text, and is infinite for a long one.
 *
 * ```ts
 * import { programSize } from "./program_size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(programSize("abc"), 5);
 * assert.ok(programSize("(a{10}){100}") > 1_000);
 * ```
 */
export function programSize(pattern: string): number {
  if (pattern.length > mostCharacters) return Infinity;
  const ofRange = folds.test(pattern) ? instructionsOfFoldedRange : 0, outer: number[] = [];
  // The instructions of what was read of a group, and of its last atom, which may be repeated.
  let all = 0, last = 0;
  for (const [token, least, most] of pattern.matchAll(tokens)) {
    if (token === "(") {
      outer.push(all);
      // Where the group begins and ends, and an instruction if it is empty.
      all = 3;
      last = 0;
    } else if (token === ")") {
      last = all;
      all += outer.pop() ?? 0;
    } else if (/^[*+?|]/.test(token)) {
      all += 2;
      last += 2;
    } else if (least === undefined) {
      last = 1;
      // Of a quotation each character is an instruction, and the last one may be repeated.
      all += token.length + instructionsOfClass * count(classes, token);
      if (ofRange > 0 && token[0] === "[") all += ofRange * count(longRange, token);
    } else {
      const times = Math.min(mostRepetitions, Math.max(1, Number(least), Number(most ?? "")));
      const more = last * (times - 1) + times;
      all += more;
      last += more;
    }
  }
  return outer.reduce((sum, each) => sum + each, all) + 2;
}

function count(what: RegExp, text: string): number {
  return text.match(what)?.length ?? 0;
}
