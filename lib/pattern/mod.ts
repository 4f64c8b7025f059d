/**
 * Kyverno's patterns: `validate.pattern` and `anyPattern`, compiled into checks that say where and why a resource does
 * not match. Other folders use its parts: tests of scalars (operators, wildcards, quantities, durations, ranges) and
 * anchored keys.
 *
 * It does not evaluate rules: `lib/rules` makes the messages for users, chooses among the patterns of
 * `anyPattern`, and handles DELETE. The caller renders `{{ }}` (see {@link PatternOptions}) and resolves `$()`
 * references before. Values from templates and resources are never read as templates.
 *
 * @module
 */
export { type Anchor, parseAnchor } from "./anchor.ts";
export { compileRange } from "./comparison.ts";
export { patternCompilations } from "./compilations.ts";
export type { PatternFailure, PatternResult } from "./failure.ts";
export { joinPatterns, type JointPatterns, maxJoint } from "./joint.ts";
export type { PathStep } from "./mismatch.ts";
export { parseRange, parseTerm } from "./operator.ts";
export {
  compileMatcher,
  compilePattern,
  type Pattern,
  type PatternOptions,
  type PatternTree,
} from "./pattern.ts";
export { comparedAs, plainWord } from "./plain_word.ts";
export { compileScalar } from "./scalar.ts";
