import type { Context, ContextEntry } from "../context/mod.ts";
import { compileEntry } from "../context/mod.ts";
import { type CompiledExpression, compileExpression } from "../jmespath/mod.ts";
import {
  asList,
  asString,
  Fault,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import type { RuleTools } from "./rule_kind.ts";

/** One iteration: the element and the context in which it is called `element`. */
export interface Iteration {
  readonly element: Json;
  readonly index: number;
  readonly context: Context;
}

/** The list and the context entries of a foreach entry, compiled. */
export interface Loop {
  /** As written, for messages. */
  readonly list: string;
  /** The elements, or why the list cannot be evaluated. A value that is no list is a list of one. */
  elements(context: Context): readonly Json[] | Fault;
  /** The context of one element. Nulls are not iterated: `undefined`. */
  enter(context: Context, element: Json, index: number): Iteration | undefined;
}

/** Compiles what all kinds of foreach share. `nesting` counts loops around this one, from 0. */
export function compileLoop(entry: JsonObject, nesting: number, tools: RuleTools): Loop {
  const list = asString(entry["list"]) ?? "";
  const expression = compileExpression(list);
  if (isFault(expression)) {
    tools.report({
      severity: "error",
      code: "bad-list",
      message: `foreach list: ${expression.message}`,
      path: ["validate", "foreach"],
    });
  }
  const entries: ContextEntry[] = asList(entry["context"]).filter(isObject).map((written) =>
    compileEntry(written, {
      policyNamespace: tools.policy.namespace,
      variables: (uses, path) => tools.variables(uses, ["validate", "foreach", "context", ...path]),
      report: (problem) =>
        tools.report({ severity: "error", ...problem, path: ["validate", "foreach", ...problem.path] }),
    })
  );
  return {
    list,
    elements: (context) => evaluateList(expression, context),
    enter: (context, element, index) => {
      if (element === null) return undefined;
      context.store.observer?.element({ list, index, element });
      const values = {
        element,
        elementIndex: index,
        [`element${nesting}`]: element,
        [`elementIndex${nesting}`]: index,
      };
      const inner = context.child({ values });
      return { element, index, context: entries.length === 0 ? inner : inner.child({ entries }) };
    },
  };
}

function evaluateList(expression: CompiledExpression | Fault, context: Context): readonly Json[] | Fault {
  if (isFault(expression)) return expression;
  const value = expression.evaluate(context, context.environment);
  if (isFault(value)) return new Fault(`JMESPath query failed: ${value.message}`, value.missing);
  return isList(value) ? value : [value];
}
