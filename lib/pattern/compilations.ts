let compilations = 0;

/** Notes that pattern text was turned into a test. */
export function countCompilation(): void {
  compilations++;
}

/**
 * How many pattern pieces have been compiled so far. The number stands still while static patterns are evaluated;
 * a test holds that.
 */
export function patternCompilations(): number {
  return compilations;
}
