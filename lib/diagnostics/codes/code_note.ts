/** The documentation of a diagnostic code, from which docs/diagnostics.md is written. */
export interface CodeNote {
  /** The reason for the diagnostic. */
  readonly cause: string;
  /** How the author of the document can fix it. */
  readonly fix: string;
}
