/**
 * Problems found when documents are loaded, as values: severity, code, position, message, hint.
 *
 * @module
 */
export { fileProblem, unreadablePath } from "./file_problem.ts";
export {
  type Diagnostic,
  formatDiagnostic,
  type Locate,
  type PathDiagnostic,
  type Position,
  type TextProblem,
  withPosition,
} from "./diagnostic.ts";
export { codeNotes, type DiagnosticCode } from "./codes/mod.ts";
export { mostSerious } from "./most_serious.ts";
export { choosing, didYouMean, replacing } from "./suggestion.ts";
