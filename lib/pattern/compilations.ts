let compilations = 0;

/** Notes that pattern text was turned into a test. */
export function countCompilation(): void {
  compilations++;
}

/**
 * How many scalars of patterns were compiled since the process started. A test checks that evaluating a pattern without
 * templates compiles nothing.
 */
export function patternCompilations(): number {
  return compilations;
}
