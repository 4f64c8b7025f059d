import { replaceText, TextSearch, unitsOf } from "../../json/mod.ts";
import { CelFault, failure } from "../fault.ts";
import { codePoints, type Int, type Value } from "../values/mod.ts";
import { maxText } from "./arithmetic.ts";
import { longText, work, workOfCharacter } from "../work.ts";
import type { Result } from "./library.ts";
import { escapes } from "./go_quote.ts";

/** Returns the fault of an index outside a text. */
export function outOfRange(index: Int): CelFault {
  return new CelFault("index", `index out of range: ${index}`);
}

/** Whether every code point is one UTF-16 unit, so that plain string operations count correctly. */
function isPlain(text: string): boolean {
  return codePoints(text) === text.length;
}

/** Returns the code point at an index; an empty text at the end. */
export function charAt(text: string, at: Int): Result {
  if (at < 0 || at > codePoints(text)) return outOfRange(at);
  const point = text.codePointAt(isPlain(text) ? Number(at) : unitsOf(text, Number(at)));
  return point === undefined ? "" : String.fromCodePoint(point);
}

/** Returns the index of the first occurrence from an index on; -1 when there is none. */
export function indexOf(text: string, part: string, from: Int): Result {
  if (from < 0) return outOfRange(from);
  if (part === "") return Math.min(Number(from), codePoints(text));
  const search = new TextSearch(part);
  if (isPlain(text)) return Number(from) >= text.length ? -1 : search.positionIn(text, Number(from));
  const found = search.positionIn(text, unitsOf(text, Number(from)));
  return found < 0 ? -1 : codePoints(text.slice(0, found));
}

/** Returns the index of the last occurrence that starts before an index; -1 when there is none. */
export function lastIndexOf(text: string, part: string, from?: Int): Result {
  const size = codePoints(text);
  if (from !== undefined && from < 0) return outOfRange(from);
  if (part === "") return from === undefined ? size : Math.min(Number(from), size);
  if (from !== undefined && from >= size) return -1;
  const start = from === undefined ? text.length : isPlain(text) ? Number(from) : unitsOf(text, Number(from));
  const found = new TextSearch(part).lastPositionIn(text, start);
  return found < 0 ? -1 : codePoints(text.slice(0, found));
}

/** Returns the code points between two indexes. */
export function substring(text: string, start: Int, end?: Int): Result {
  const size = codePoints(text), last = end ?? size;
  if (start > last) {
    if (end === undefined) return outOfRange(start);
    return new CelFault("range", `invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > size) return outOfRange(start);
  if (last < 0 || last > size) return outOfRange(last);
  return size === text.length
    ? text.slice(Number(start), Number(last))
    : text.slice(unitsOf(text, Number(start)), unitsOf(text, Number(last)));
}

/** Units that are converted together, as arguments of one call. */
const chunk = 8_192;

/** The text with its ASCII letters in another case; other letters stay. */
export function inAsciiCase(text: string, to: "upper" | "lower"): string {
  if (!/[^\0-\x7f]/.test(text)) return to === "upper" ? text.toUpperCase() : text.toLowerCase();
  const [first, last] = to === "upper" ? [0x61, 0x7a] : [0x41, 0x5a], parts: string[] = [];
  for (let from = 0; from < text.length; from += chunk) {
    const units = new Uint16Array(Math.min(chunk, text.length - from));
    for (let index = 0; index < units.length; index++) {
      const unit = text.charCodeAt(from + index);
      units[index] = unit >= first && unit <= last ? unit ^ 0x20 : unit;
    }
    // Spread arguments take four times as long.
    parts.push(String.fromCharCode.apply(undefined, units as unknown as number[]));
  }
  return parts.join("");
}

/** Replaces occurrences up to a limit; all with a negative limit. */
export function replace(text: string, [old, by]: readonly [string, string], limit: Int): Result {
  if ((text.length / Math.max(1, old.length) + 1) * by.length > maxText) {
    return failure("the text is too long");
  }
  if (old === "") work(workOfPiece * text.length);
  return replaceText(text, { old, by, most: limit < 0 ? Infinity : Number(limit) }, isCounted);
}

/** The nanoseconds of a part that is cut out of a text and written again. */
const workOfPiece = 60;

function isCounted(): boolean {
  work(workOfPiece);
  return true;
}

/** Splits a text into at most `limit` parts; into all with a negative limit. */
export function split(text: string, separator: string, limit: Int): string[] {
  if (limit === 0) return [];
  const count = limit < 0 ? Infinity : Number(limit);
  let parts = 1;
  if (separator !== "") return new TextSearch(separator).split(text, () => parts++ < count && isCounted());
  work(workOfPiece * text.length);
  const pieces = [...text];
  return pieces.length <= count ? pieces : [...pieces.slice(0, count - 1), pieces.slice(count - 1).join("")];
}

/**
 * Joins texts with a separator. The characters count before they are joined: a list may hold one text many times, which
 * takes little memory until then.
 */
export function join(items: readonly Value[], separator: string): Result {
  let size = separator.length * items.length;
  for (const item of items) {
    if (typeof item !== "string") return failure(`join: invalid input: ${String(item)}`);
    size += item.length;
  }
  if (size > longText) work(workOfCharacter * size);
  return items.join(separator);
}

const escaped = /[\p{Cc}"\\]/gu;

/** The text in double quotes, as a literal. */
export function quote(text: string): string {
  return `"${text.toWellFormed().replace(escaped, (unit) => escapes[unit] ?? unit)}"`;
}

/** Unicode white space as Go defines it. */
const spaces = new Set("\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000");
for (let unit = 0x2000; unit <= 0x200a; unit++) spaces.add(String.fromCharCode(unit));

/** Removes white space at both ends. */
export function trim(text: string): string {
  let start = 0, end = text.length;
  while (start < end && spaces.has(text[start]!)) start++;
  while (end > start && spaces.has(text[end - 1]!)) end--;
  return text.slice(start, end);
}
