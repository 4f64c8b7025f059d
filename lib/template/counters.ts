/** How often text was compiled. Tests check with it that a request compiles nothing. */
export interface TemplateCompilations {
  /** Strings, keys and expressions of templates planned so far. */
  readonly planned: number;
  /** Expressions compiled while rendering, because a variable stands inside another; not those found in the cache. */
  readonly nested: number;
}

let planned = 0;
let nested = 0;

/** The number of compilations since the process started. */
export function templateCompilations(): TemplateCompilations {
  return { planned, nested };
}

/** Notes that template text was planned. */
export function countPlanned(): void {
  planned++;
}

/** Notes that an expression was compiled while rendering. */
export function countNested(): void {
  nested++;
}
