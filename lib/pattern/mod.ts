/**
 * Kyverno's patterns: `validate.pattern` and `anyPattern` compiled into matchers that say where and why a resource does
 * not agree, and the pieces that other languages share with them: scalar tests with operators, wildcards, quantities and
 * durations, ranges, and anchored keys.
 *
 * It does not know rules: messages for users, `anyPattern`'s choice and what DELETE means are made above. `{{ }}` is
 * evaluated by the caller (see {@link PatternOptions}); `$()` references must be resolved before. In values that come
 * from templates or resources nothing is a template.
 *
 * @module
 */
export { type Anchor, type AnchorKind, parseAnchor } from "./anchor.ts";
export { compileRange, type ScalarTest } from "./comparison.ts";
export { patternCompilations } from "./compilations.ts";
export type { Dynamic } from "./compiler.ts";
export type { PatternFailure, PatternResult } from "./failure.ts";
export type { PathStep } from "./mismatch.ts";
export {
  type NumberRange,
  parsePiece,
  parseRange,
  type PatternOperator,
  type PatternTerm,
} from "./operator.ts";
export { compileMatcher, compilePattern, type Pattern, type PatternOptions } from "./pattern.ts";
export { compileScalar } from "./scalar.ts";
