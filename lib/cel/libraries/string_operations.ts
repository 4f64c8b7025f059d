import { TextSearch } from "../../json/mod.ts";
import { CelFault, failure } from "../fault.ts";
import { codePoints, type Int, type Value } from "../values/mod.ts";
import { MAX_TEXT } from "./arithmetic.ts";
import type { Result } from "./library.ts";
import { escapes } from "./string_format.ts";

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
  const points = isPlain(text) ? text : [...text];
  const index = Number(at);
  if (index < 0 || index > points.length) return outOfRange(at);
  return points[index] ?? "";
}

/** Returns the index of the first occurrence from an index on; -1 when there is none. */
export function indexOf(text: string, part: string, from: Int): Result {
  if (from < 0) return outOfRange(from);
  if (part === "") return Math.min(Number(from), codePoints(text));
  const search = new TextSearch(part);
  if (isPlain(text)) return Number(from) >= text.length ? -1 : search.positionIn(text, Number(from));
  const points = [...text];
  const start = points.slice(0, Number(from)).join("").length;
  const found = search.positionIn(text, start);
  return found < 0 ? -1 : codePoints(text.slice(0, found));
}

/** Returns the index of the last occurrence that starts before an index; -1 when there is none. */
export function lastIndexOf(text: string, part: string, from?: Int): Result {
  const size = codePoints(text);
  if (from !== undefined && from < 0) return outOfRange(from);
  if (part === "") return from === undefined ? size : Math.min(Number(from), size);
  if (from !== undefined && from >= size) return -1;
  const points = isPlain(text) ? text : [...text];
  const start = from === undefined ? text.length : [...points.slice(0, Number(from))].join("").length;
  const found = new TextSearch(part).lastPositionIn(text, start);
  return found < 0 ? -1 : codePoints(text.slice(0, found));
}

/** Returns the code points between two indexes. */
export function substring(text: string, start: Int, end?: Int): Result {
  const points = isPlain(text) ? text : [...text];
  const last = end ?? points.length;
  if (start > last) {
    if (end === undefined) return outOfRange(start);
    return new CelFault("range", `invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > points.length) return outOfRange(start);
  if (last < 0 || last > points.length) return outOfRange(last);
  const slice = points.slice(Number(start), Number(last));
  return typeof slice === "string" ? slice : slice.join("");
}

/** Replaces occurrences up to a limit; all with a negative limit. */
export function replace(text: string, [old, by]: readonly [string, string], limit: Int): Result {
  if ((text.length / Math.max(1, old.length) + 1) * by.length > MAX_TEXT) {
    return failure("the text is too long");
  }
  const pieces = old === "" ? [...text] : new TextSearch(old).split(text);
  if (limit < 0 && old !== "") return pieces.join(by);
  // An empty text is found before every code point and at the end.
  const positions = old === "" ? pieces.length + 1 : pieces.length - 1;
  const count = limit < 0 ? positions : Math.min(Number(limit), positions);
  if (old !== "") return [pieces.slice(0, count + 1).join(by), ...pieces.slice(count + 1)].join(old);
  const spread = pieces.map((piece, index) => index < count ? by + piece : piece).join("");
  return count === positions ? spread + by : spread;
}

/** Splits a text into at most `limit` parts; into all with a negative limit. */
export function split(text: string, separator: string, limit: Int): string[] {
  if (limit === 0) return [];
  const pieces = separator === "" ? [...text] : new TextSearch(separator).split(text);
  const count = Number(limit);
  if (count < 0 || pieces.length <= count) return pieces;
  return [...pieces.slice(0, count - 1), pieces.slice(count - 1).join(separator)];
}

/** Joins texts with a separator. */
export function join(items: readonly Value[], separator: string): Result {
  for (const item of items) {
    if (typeof item !== "string") return failure(`join: invalid input: ${String(item)}`);
  }
  return separator.length * items.length > MAX_TEXT ? failure("the text is too long") : items.join(separator);
}

/** The text in double quotes, as a literal. */
export function quote(text: string): string {
  const units = Array.from(
    text.toWellFormed(),
    (unit) => Object.hasOwn(escapes, unit) ? escapes[unit]! : unit,
  );
  return `"${units.join("")}"`;
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
