/**
 * Problems found while loading, as data: severity, code, place, message, hint.
 *
 * @module
 */
export { type Diagnostic, formatDiagnostic, type Position, type Severity } from "./diagnostic.ts";
export { didYouMean } from "./suggestion.ts";
