/** Types of expressions, found when they are loaded. */
export { check, type CheckOptions } from "./checker.ts";
export type { CallReference, Checked } from "./checked.ts";
export { Declarations, type RootName } from "./declarations.ts";
