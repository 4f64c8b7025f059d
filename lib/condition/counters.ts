let planned = 0;

/**
 * The number of conditions that were compiled since the process started. Tests check that it stays the same while
 * requests are evaluated.
 */
export function conditionCompilations(): number {
  return planned;
}

/** Counts a compiled condition. */
export function countCondition(): void {
  planned++;
}
