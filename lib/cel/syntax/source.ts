import type { TextProblem } from "../../diagnostics/mod.ts";
import { codePoints } from "../values/mod.ts";

/** An error in an expression, with everything that is needed to print a caret under the line. */
export interface CelError extends TextProblem {
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1, in code points. */
  readonly column: number;
  /** The line of text with the mistake. */
  readonly snippet: string;
}

/** Adds the position to an error message. */
export function locate(text: string, offset: number, message: string): CelError {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", start);
  return {
    message,
    offset,
    line: text.slice(0, start).split("\n").length,
    column: codePoints(text.slice(start, offset)) + 1,
    snippet: text.slice(start, end < 0 ? undefined : end).replace(/\r$/, ""),
  };
}

/**
 * The error with its line and a caret below the position, as Kubernetes prints it.
 *
 * ```ts
 * import { formatCelError, locate } from "./source.ts";
 * import assert from "node:assert/strict";
 * assert.equal(
 *   formatCelError(locate("1 + x", 4, "undeclared reference to 'x' (in container '')")),
 *   "ERROR: <input>:1:5: undeclared reference to 'x' (in container '')\n | 1 + x\n | ....^",
 * );
 * ```
 */
export function formatCelError({ message, line, column, snippet }: CelError): string {
  const points = [...snippet.replaceAll("\t", " ")];
  // Characters beyond ASCII count as wide, so the characters below them are wide too.
  const isWide = (point: string | undefined): boolean => point !== undefined && point > "\x7f";
  const dots = points.slice(0, column - 1).map((point) => isWide(point) ? "．" : ".").join("");
  const caret = isWide(points[column - 1]) ? "＾" : "^";
  return `ERROR: <input>:${line}:${column}: ${message}\n | ${points.join("")}\n | ${dots}${caret}`;
}
