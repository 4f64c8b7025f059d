import { Fault, isFault, type Json, type Scope } from "../json/mod.ts";
import { kyvernoFunctions } from "./functions/kyverno.ts";
import type { FunctionTable } from "./functions/record.ts";
import { plan } from "./plan/plan.ts";
import { type Environment, type Evaluate, newRun, type Run } from "./plan/value.ts";
import { type FunctionCall, readsOf } from "./reads.ts";
import { ElementSteps } from "./element_steps.ts";
import { checkedResult, outOfSteps, spendShared } from "./steps.ts";
import { outline, type TreeItem, treeOf } from "./syntax/outline.ts";
import { parse } from "./syntax/parse.ts";

/** The options for reading an expression. */
export interface ExpressionOptions {
  /** The functions that it may call; Kyverno's when absent. */
  readonly functions?: FunctionTable;
  /**
   * The kind of root value: `context` is a scope that is read by name; `document` may be any value, a list or null
   * too, and is read whole.
   */
  readonly root?: "context" | "document";
  /**
   * Whether a root name holds a Go integer, such as the index of a foreach; no name does when absent. Kyverno parity:
   * a Go integer equals no number and has no order. Pinned by "integers of Go equal no number".
   */
  readonly isInteger?: (name: string) => boolean;
}

/** The reason why a text is no expression. */
export class SyntaxFault extends Fault {
  /** Where in the text, in UTF-16 units from 0. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** An expression that was read and planned once, to be evaluated often. */
export interface CompiledExpression {
  readonly source: string;
  /** The root names that it may read, in the order in which they stand. */
  readonly names: readonly string[];
  /** The paths from the root that it reads, as far as its text shows; `[]` is a step to each element. */
  readonly paths: readonly (readonly string[])[];
  /** The names of the functions that it calls. */
  readonly functions: readonly string[];
  /** Each call as it is written. */
  readonly calls: readonly FunctionCall[];
  /** Returns the value, or the fault that explains why there is none. */
  evaluate(scope: Scope, environment: Environment): Json | Fault;
}

const defaultFunctions = kyvernoFunctions();

/**
 * Compiles a JMESPath expression in Kyverno's dialect. Unlike in the standard, a key that an object lacks is a fault
 * (`Unknown key "x" in path`), which operators, function arguments, pipes and projections turn into null and nothing
 * else does. Kyverno parity: this is the dialect of its `go-jmespath` fork, with its messages. Pinned by
 * tests/jmespath/semantics_test.ts and tests/jmespath/syntax_test.ts.
 *
 * ```ts
 * import { compileExpression } from "./expression.ts";
 * import { isFault, scopeOf } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 *
 * const compiled = compileExpression("request.object.metadata.labels.team || 'none'");
 * assert.ok(!isFault(compiled));
 * const scope = scopeOf({ request: { object: { metadata: {} } } });
 * assert.equal(compiled.evaluate(scope, { now: () => 0, random: () => 0 }), "none");
 * ```
 */
export function compileExpression(
  text: string,
  options: ExpressionOptions = {},
): CompiledExpression | SyntaxFault {
  const tree = parse(text);
  if ("message" in tree) return new SyntaxFault(tree.message, tree.offset);
  const fromScope = options.root !== "document";
  const { evaluate } = plan(tree, {
    functions: options.functions ?? defaultFunctions,
    atRoot: fromScope,
    isInteger: options.isInteger ?? (() => false),
    steps: new ElementSteps(),
  });
  const reads = readsOf(tree);
  if (!fromScope) {
    return {
      source: text,
      ...reads,
      evaluate: (scope, environment) => run(evaluate, newRun(scope, environment), scope.all()),
    };
  }
  const loaded = reads.names.filter((name) => !neverLoaded.test(name));
  if (loaded.length === 0) {
    return {
      source: text,
      ...reads,
      evaluate: (scope, environment) => run(evaluate, newRun(scope, environment)),
    };
  }
  return {
    source: text,
    ...reads,
    evaluate: (scope, environment) => failedLoad(loaded, scope) ?? run(evaluate, newRun(scope, environment)),
  };
}

function run(evaluate: Evaluate, started: Run, root: Json = null): Json | Fault {
  const { budget } = started.environment, granted = started.left;
  if (granted < 0) return outOfSteps;
  const value = checkedResult(evaluate(root, started), started, granted);
  spendShared(budget, started, granted);
  return value;
}

/** Names whose values need no load. */
const neverLoaded = /^(?:request|element\d*|elementIndex\d*)$/;

/**
 * Kyverno parity: the names of a query are loaded before it is evaluated, so the fault of a failed load is the result
 * of the query, and no operator turns it into null. Pinned by "a fault of the context is not a missing key".
 */
function failedLoad(names: readonly string[], scope: Scope): Fault | undefined {
  for (const name of names) {
    const value = scope.get(name);
    if (isFault(value)) return value;
  }
  return undefined;
}

/** Returns the tree of an expression, or the fault that explains why it is none. */
export function expressionTree(text: string): TreeItem | SyntaxFault {
  const tree = parse(text);
  return "message" in tree ? new SyntaxFault(tree.message, tree.offset) : treeOf(tree);
}

/** Returns the tree of an expression as indented text, or the fault that explains why it is none. */
export function outlineExpression(text: string): string | SyntaxFault {
  const tree = parse(text);
  return "message" in tree ? new SyntaxFault(tree.message, tree.offset) : outline(tree);
}
