/**
 * JMESPath in Kyverno's dialect: text becomes a plan of closures once, and a request only runs it. The `jmespath`
 * package reads the grammar; the lexer, the semantics and the functions are Postern's own, because in Kyverno a
 * missing key is an error that some operators swallow.
 *
 * `syntax/` reads expressions, `plan/` makes closures, `functions/` has the functions by families. `community/` is a
 * second dialect for assertion trees, that of kyverno-json, with `let`, `$names` and arithmetic.
 *
 * Not supported: looking up host names (`is_external_url` of a name is an error), local time other than UTC.
 *
 * ```ts
 * import { compileExpression, isFault, scopeOf } from "@postern/postern/jmespath";
 * import assert from "node:assert/strict";
 *
 * const names = compileExpression("spec.containers[?image == 'nginx'].to_upper(name)");
 * assert(!isFault(names));
 * const pod = { spec: { containers: [{ name: "web", image: "nginx" }, { name: "log", image: "fluentd" }] } };
 * const environment = { now: () => Date.now(), random: () => Math.random() };
 * assert.deepEqual(names.evaluate(scopeOf(pod), environment), ["WEB"]);
 * ```
 *
 * @module
 */
export {
  type CompiledExpression,
  compileExpression,
  type ExpressionOptions,
  expressionTree,
  outlineExpression,
  SyntaxFault,
} from "./expression.ts";
export { cleanPath } from "./clean_path.ts";
export { expressionHint } from "./expression_hint.ts";
export { wrongArity } from "./plan/call.ts";
export type { TreeItem } from "./syntax/outline.ts";
export { type Compilations, compilations } from "./compilations.ts";
export { functionFamilies, type FunctionOptions, kyvernoFunctions } from "./functions/kyverno.ts";
export { kyvernoFunctionNotes } from "./functions/notes.ts";
export {
  type Apply,
  type ByFunction,
  type Example,
  type FunctionNote,
  type FunctionNotes,
  type FunctionRecord,
  type FunctionTable,
  functionTable,
  type Parameter,
  parameter,
  type PlainFunction,
  type ResultType,
  type ValueType,
} from "./functions/record.ts";
export { type Environment, fixedEnvironment } from "./plan/value.ts";
export { maxSteps, newBudget, spend, spendShared, stepsOfWriting, weightOf } from "./steps.ts";
export { parseFloat64 } from "./go_strings.ts";
export {
  Bindings,
  communityCompiler,
  type CommunityExpression,
  type CommunityFunction,
  communityFunctionNotes,
  communityFunctions,
  type CommunityInput,
  type CommunityTable,
} from "./community/mod.ts";
export { Fault, isFault, type Scope, scopeOf } from "../json/mod.ts";
