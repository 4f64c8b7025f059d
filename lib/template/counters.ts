/** The numbers of compilations. Tests check that a request compiles nothing. */
export interface TemplateCompilations {
  /** The strings, keys and expressions of templates that were planned. */
  readonly planned: number;
  /**
   * The expressions that were compiled while rendering, because a variable contains another; without those found in
   * the cache.
   */
  readonly nested: number;
}

let planned = 0;
let nested = 0;

/** The number of compilations since the process started. */
export function templateCompilations(): TemplateCompilations {
  return { planned, nested };
}

/** Counts planned template text. */
export function countPlanned(): void {
  planned++;
}

/** Counts an expression that was compiled while rendering. */
export function countNested(): void {
  nested++;
}
