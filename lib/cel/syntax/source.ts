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

/** cel-go, too, reports the first hundred errors of an expression. */
const mostErrors = 100;

/**
 * Adds their positions to the first hundred problems in a text, in the order of the text. It reads the text once,
 * because a hostile expression may have thousands of them.
 *
 * ```ts
 * import { locateProblems } from "./source.ts";
 * import assert from "node:assert/strict";
 * const [error] = locateProblems("1 +\n  x", [{ offset: 6, message: "undeclared reference" }]);
 * assert.deepEqual([error.line, error.column, error.snippet], [2, 3, "  x"]);
 * ```
 */
export function locateProblems(text: string, problems: readonly TextProblem[]): CelError[] {
  const sorted = [...problems].sort((left, right) => left.offset - right.offset).slice(0, mostErrors);
  let line = 1, start = 0, read = 0, column = 1;
  return sorted.map((problem) => {
    for (
      let end = text.indexOf("\n", start);
      end >= 0 && end < problem.offset;
      end = text.indexOf("\n", start)
    ) {
      line++;
      start = read = end + 1;
      column = 1;
    }
    column += codePoints(text.slice(read, problem.offset));
    read = problem.offset;
    const end = text.indexOf("\n", start);
    return {
      ...problem,
      line,
      column,
      snippet: text.slice(start, end < 0 ? undefined : end).replace(/\r$/, ""),
    };
  });
}

/**
 * The error with its line and a caret below the position, as Kubernetes prints it.
 *
 * ```ts
 * import { formatCelError, locateProblems } from "./source.ts";
 * import assert from "node:assert/strict";
 * const problem = { offset: 4, message: "undeclared reference to 'x' (in container '')" };
 * assert.equal(
 *   locateProblems("1 + x", [problem]).map(formatCelError).join("\n"),
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
