import { Fault } from "../json/mod.ts";

/** A `{{ }}`: its text without the braces, split at the variables inside it. */
export interface Variable {
  readonly kind: "variable";
  /** Text and inner variables in order; one text when nothing is nested. */
  readonly parts: readonly TextPart[];
  /** Whether the variable is written `{{- x }}`, so that Kyverno does not evaluate its value again. */
  readonly shallow: boolean;
  /** The offset of its `{{` in the scanned text, from 0. */
  readonly offset: number;
  /** Length of the variable in the scanned text, braces included. */
  readonly length: number;
}

/** A part of a scanned text: constant text, or a variable. */
export type TextPart = string | Variable;

/** The deepest nesting of variables. */
const maxDepth = 16;

/** Replaces a found variable while the text around it is scanned. The character does not occur in the text. */
interface Marked {
  readonly text: string;
  readonly mark: string;
  readonly variables: readonly Variable[];
}

/**
 * Splits a text into constant parts and variables. It finds the innermost variables first, as Kyverno does by applying
 * the regular expression `(^|[^\\])(\{\{(?:\{[^{}]*\}|[^{}])*\}\})` repeatedly; braces nest one level inside (for
 * `{a: b}`), and `\{{` is no variable but becomes `{{`.
 *
 * Kyverno parity: a round that ends with a shallow variable is the last one, so `{{ {{- x }} }}` keeps its outer
 * braces. Pinned by "a shallow inner variable ends the search". Two errors of Kyverno are not copied: a letter
 * outside ASCII before `{{` breaks the variable, and of two variables without space between them a shallow first one
 * hides the second.
 *
 * ```ts
 * import { scan } from "./scan.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(scan("no variable"), ["no variable"]);
 * assert.deepEqual(scan(String.raw`\{{ x }}`), ["{{ x }}"]);
 * const pieces = scan("a {{ b.{{ c }} }}") as unknown as [string, { parts: unknown[] }];
 * assert.equal(pieces[1].parts.length, 2);
 * ```
 */
export function scan(text: string): readonly TextPart[] | Fault {
  if (!text.includes("{{")) return [text];
  const mark = unusedMark(text);
  if (mark === undefined) return new Fault("the text uses every character of Unicode's private use area");
  let marked: Marked = { text, mark, variables: [] };
  for (let depth = 0;; depth++) {
    const round = nextRound(marked);
    if (round === undefined) break;
    if (depth === maxDepth) return new Fault(`variables are nested deeper than ${maxDepth} levels`);
    marked = round.marked;
    if (round.last.shallow) break;
  }
  return piecesOf(marked.text, marked).map((piece) =>
    typeof piece === "string" ? piece.replaceAll("\\{{", "{{") : piece
  );
}

/** Marks every variable without inner variables; `undefined` when there is none. */
function nextRound(marked: Marked): { marked: Marked; last: Variable } | undefined {
  const { text, mark } = marked;
  const variables: Variable[] = [];
  let rest = "", done = 0, seen = 0, last: Variable | undefined;
  // The difference in length between the original and the marked text up to this point.
  let shift = 0;
  const pass = (stop: number): Variable[] => {
    const passed = marked.variables.slice(seen, stop);
    for (const { length } of passed) shift += length - mark.length;
    seen = stop;
    return passed;
  };
  for (let from = 0;;) {
    const start = text.indexOf("{{", from);
    if (start < 0) break;
    const end = text[start - 1] === "\\" ? -1 : variableEnd(text, start);
    if (end < 0) {
      from = start + 1;
      continue;
    }
    const before = text.slice(done, start), inner = text.slice(start + 2, end - 2);
    for (const variable of pass(seen + count(before, mark))) variables.push(variable);
    const offset = start + shift;
    const nested = pass(seen + count(inner, mark));
    last = variableOf(inner, { mark, variables: nested }, { offset, length: end + shift - offset });
    variables.push(last);
    rest += before + mark;
    done = from = end;
  }
  if (last === undefined) return undefined;
  for (const variable of pass(marked.variables.length)) variables.push(variable);
  return { marked: { text: rest + text.slice(done), mark, variables }, last };
}

function variableOf(
  inner: string,
  marked: Pick<Marked, "mark" | "variables">,
  position: Pick<Variable, "offset" | "length">,
): Variable {
  const trimmed = inner.trim();
  const shallow = trimmed.startsWith("-");
  const parts = piecesOf(shallow ? trimmed.slice(1).trim() : trimmed, marked);
  return { kind: "variable", parts, shallow, ...position };
}

/** The end of a variable whose braces open at `start`; -1 when they are not closed. */
function variableEnd(text: string, start: number): number {
  for (let at = start + 2; at < text.length; at++) {
    const unit = text[at];
    if (unit === "}") return text[at + 1] === "}" ? at + 2 : -1;
    if (unit !== "{") continue;
    at = closingBrace(text, at);
    if (at < 0) return -1;
  }
  return -1;
}

/** The `}` that closes the `{` at `open` without braces in between; -1 when there is none. */
function closingBrace(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "}") return at;
    if (text[at] === "{") return -1;
  }
  return -1;
}

/** Replaces the marks in a text by their variables. */
function piecesOf(text: string, { mark, variables }: Pick<Marked, "mark" | "variables">): TextPart[] {
  const pieces: TextPart[] = [];
  text.split(mark).forEach((constant, index) => {
    if (index > 0) pieces.push(variables[index - 1]!);
    if (constant !== "") pieces.push(constant);
  });
  return pieces;
}

function count(text: string, mark: string): number {
  let found = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) found++;
  return found;
}

/** A character of the private use area that the text does not contain. */
function unusedMark(text: string): string | undefined {
  for (let unit = 0xe000; unit < 0xf8ff; unit++) {
    const mark = String.fromCharCode(unit);
    if (!text.includes(mark)) return mark;
  }
  return undefined;
}
