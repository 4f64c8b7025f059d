/** A part of a pattern that is being read: instructions of all of it, and of its last atom, which may be repeated. */
interface Part {
  all: number;
  last: number;
}

/** Looking up the characters of a class such as `\pL` takes as long as compiling so many instructions. */
const instructionsOfClass = 120;

/**
 * A range of thousands of characters, regardless of their case, takes as long as compiling so many instructions: RE2JS
 * looks at each character.
 */
const instructionsOfFoldedRange = 3_000;

/** RE2 refuses more repetitions. */
const mostRepetitions = 1_000;

/**
 * The most instructions that RE2 makes of a regular expression, found without compiling it: `a{1000}` has a thousand.
 * What takes long and few instructions counts as more of them. It reads each character once, of any text.
 *
 * ```ts
 * import { programSize } from "./program_size.ts";
 * import assert from "node:assert/strict";
 * assert.equal(programSize("abc"), 5);
 * assert.ok(programSize("(a{10}){100}") > 1_000);
 * ```
 */
export function programSize(pattern: string): number {
  let part: Part = { all: 0, last: 0 };
  const outer: Part[] = [], ofRange = folds.test(pattern) ? instructionsOfFoldedRange : 0;
  const add = (instructions: number): void => {
    part.all += instructions;
    part.last = instructions;
  };
  for (let at = 0; at < pattern.length; at++) {
    switch (pattern[at]) {
      case "(":
        outer.push(part);
        // Where the group begins and ends, and an instruction if it is empty.
        part = { all: 3, last: 0 };
        break;
      case ")": {
        const { all } = part;
        part = outer.pop() ?? { all: 0, last: 0 };
        add(all);
        break;
      }
      case "\\": {
        const end = endOfEscape(pattern, at);
        // Of a quotation such as `\Q(a\E` each character is an instruction, and the last one may be repeated.
        if (pattern[at + 1] === "Q") part.all += end - at;
        add(isClass(pattern, at) ? instructionsOfClass : 1);
        at = end;
        break;
      }
      case "[": {
        const end = endOfSet(pattern, at);
        part.all += end - at + instructionsOfClass * count(classInSet, pattern.slice(at, end));
        if (ofRange > 0) part.all += ofRange * count(longRange, pattern.slice(at, end));
        add(1);
        at = end;
        break;
      }
      case "*":
      case "+":
      case "?":
      case "|":
        part.all += 2;
        part.last += 2;
        break;
      case "{": {
        const found = repetition(pattern, at);
        if (found === undefined) add(1);
        else {
          const { times, end } = found;
          const more = part.last * (times - 1) + times;
          part.all += more;
          part.last += more;
          at = end;
        }
        break;
      }
      default:
        add(1);
    }
  }
  // Groups that no parenthesis ends make the pattern invalid.
  return outer.reduce((all, each) => all + each.all, part.all) + 2;
}

function repetition(
  pattern: string,
  at: number,
): { readonly times: number; readonly end: number } | undefined {
  repeated.lastIndex = at;
  const found = repeated.exec(pattern);
  if (found === null) return undefined;
  const [text, least, most] = found;
  const times = Math.max(1, Number(least), Number(most ?? ""));
  return { times: Math.min(mostRepetitions, times), end: at + text.length - 1 };
}

const repeated = /\{([0-9]+)(?:,([0-9]*))?\}/y;

function isClass(pattern: string, at: number): boolean {
  return pattern[at + 1] === "p" || pattern[at + 1] === "P";
}

/** The position of the last character of an escape. */
function endOfEscape(pattern: string, at: number): number {
  if (pattern[at + 1] === "Q") return indexOr(pattern, "\\E", at) + 1;
  if (isClass(pattern, at) || pattern[at + 1] === "x") {
    return pattern[at + 2] === "{" ? indexOr(pattern, "}", at) : at + 1;
  }
  return at + 1;
}

/** The position of the bracket that ends a set of characters such as `[^]a[:alpha:]\]]`. */
function endOfSet(pattern: string, start: number): number {
  let at = start + (pattern[start + 1] === "^" ? 2 : 1);
  // A bracket at the beginning is a character of the set.
  if (pattern[at] === "]") at++;
  let hasNames = true;
  for (; at < pattern.length && pattern[at] !== "]"; at++) {
    if (pattern[at] === "\\") at++;
    else if (hasNames && pattern.startsWith("[:", at)) {
      const end = pattern.indexOf(":]", at + 2);
      if (end >= 0) at = end + 1;
      else hasNames = false;
    }
  }
  return at;
}

/** A flag such as `(?i)` or `(?s-mi:`. */
const folds = /\(\?[a-zA-Z-]*i/;

/** In a set: a class; and the end of a range that may have many characters. */
const classInSet = /\\p/gi, longRange = /-(?:\\x\{|[^\0-\x7f])/g;

function count(what: RegExp, text: string): number {
  return text.match(what)?.length ?? 0;
}

function indexOr(pattern: string, part: string, at: number): number {
  const found = pattern.indexOf(part, at);
  return found < 0 ? pattern.length : found;
}
