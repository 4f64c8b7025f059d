import type { DiagnosticCode } from "../../diagnostics/mod.ts";

/**
 * The codes of the warnings about policies that Kyverno's webhook and definitions refuse to store, though they can be
 * evaluated as they are written.
 */
export const refusedWarningCodes: ReadonlySet<DiagnosticCode> = new Set([
  "background-variable",
  "bad-selector",
  "constant-variable",
  "missing-reference",
  "reserved-name",
  "several-bodies",
]);
