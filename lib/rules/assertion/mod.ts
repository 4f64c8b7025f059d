/**
 * Assertion trees: `validate.assert` of rules, and the kind `ValidatingPolicy` of json.kyverno.io/v1alpha1, which
 * evaluates any JSON value. Expressions are in the community's dialect of JMESPath; the caller passes the CEL
 * compiler.
 *
 * Where Kyverno goes through a tree's keys in random order, this goes in the document's order: a binding is seen
 * below its key, and, if its name is new, by the keys that follow. `$policy` and `$rule` are the documents
 * themselves.
 *
 * @module
 */
export { type Assertions, compileMatch, type FailedAssertion } from "./assertions.ts";
export { celForTrees } from "./cel.ts";
export {
  type CelCompile,
  type Compile,
  type Compilers,
  compilersOf,
  type TreeExpression,
} from "./compilers.ts";
export { failureText } from "./failure_text.ts";
export { compileJsonPolicy, type JsonPolicy, type JsonRuleResult } from "./json_policy.ts";
export { compileRuleAssertion, type RuleAssertion } from "./rule_assertion.ts";
export { standardCompilers } from "./standard.ts";
export { readStatement, type TreeStatement } from "./statement.ts";
export { type AssertionTree, compileTree, type TreeOptions } from "./tree.ts";
export { type AssertionViolation, violationText } from "./violation.ts";
