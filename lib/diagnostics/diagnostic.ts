import type { DocumentPath } from "../json/mod.ts";
import type { DiagnosticCode } from "./codes/mod.ts";

/** The severity. A policy with an error cannot be used as it is written; a policy with a warning can. */
export type Severity = "error" | "warning" | "info";

/** A position in a file; lines and columns count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Returns the position of a path in its file; of the nearest existing parent for a path that is absent. */
export type Locate = (path: DocumentPath) => Position | undefined;

/** A problem in a document, found when it is loaded, with what a user needs to fix it. */
export interface Diagnostic {
  readonly severity: Severity;
  /** A short stable name such as `unknown-field`, for searching and for tests. */
  readonly code: DiagnosticCode;
  /** The problem, as a sentence without a full stop. */
  readonly message: string;
  /** How to fix it. */
  readonly hint?: string;
  /** The text that an editor can write instead, when a word is misspelt. */
  readonly replacement?: TextReplacement;
  readonly position?: Position;
  readonly policy?: string;
  readonly rule?: string;
}

/** A misspelt text at the position or after it, with the text that was probably meant. */
export interface TextReplacement {
  readonly written: string;
  readonly meant: string;
}

/** A diagnostic about a part of a rule or policy, before its position in the file is looked up. */
export interface PathDiagnostic extends Diagnostic {
  /** The path below the rule or policy: `["validate", "pattern"]`. */
  readonly path: DocumentPath;
}

/** The diagnostic with the position of its path; without one where the document has none. */
export function withPosition({ path, ...problem }: PathDiagnostic, locate: Locate): Diagnostic {
  const position = locate(path);
  return position === undefined ? problem : { ...problem, position };
}

/**
 * A mistake in the text of an expression. It is neither a `Fault` nor a {@link Diagnostic}: parsers have the offset in
 * their text and not the document, and callers make one of the two of it.
 */
export interface TextProblem {
  readonly message: string;
  /** In UTF-16 units from the start of the text. */
  readonly offset: number;
  /** How to fix it. */
  readonly hint?: string | undefined;
}

/**
 * A diagnostic as one or two lines of text.
 *
 * ```ts
 * import { formatDiagnostic } from "./diagnostic.ts";
 * import assert from "node:assert/strict";
 * const text = formatDiagnostic({
 *   severity: "error",
 *   code: "unknown-variable",
 *   message: 'Cannot resolve "request.obejct"',
 *   hint: 'did you mean "request.object"?',
 *   position: { file: "policies/team.yaml", line: 14, column: 18 },
 * });
 * assert.equal(
 *   text,
 *   'policies/team.yaml:14:18: error unknown-variable: Cannot resolve "request.obejct"\n  hint: did you mean "request.object"?',
 * );
 * ```
 */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { severity, code, message, hint, position, policy, rule } = diagnostic;
  const where = position === undefined
    ? [policy, rule].filter((name) => name !== undefined).join("/")
    : `${position.file}:${position.line}:${position.column}`;
  const first = `${where === "" ? "" : `${where}: `}${severity} ${code}: ${message}`;
  return hint === undefined ? first : `${first}\n  hint: ${hint}`;
}
