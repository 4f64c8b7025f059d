/**
 * The community's dialect of JMESPath, as kyverno-json uses it for assertion trees: a missing key is null; there are
 * `let $x = … in …`, `$names`, the root `$`, and the arithmetic `+ - * / // %`. Expressions become closures at load.
 *
 * Not supported: ternaries, which kyverno-json lacks too. Kyverno-json refuses whole numbers from documents where a
 * function needs a number, and finds them unequal to literals; Postern treats all numbers alike.
 *
 * @module
 */
export { Bindings } from "./bindings.ts";
export { communityCompiler, type CommunityExpression, type CommunityInput } from "./expression.ts";
export type { CommunityFunction, CommunityTable } from "./functions/record.ts";
export { communityFunctionNotes, communityFunctions } from "./functions/table.ts";
