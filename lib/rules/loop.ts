import type { Context, ContextEntry, EntrySpec, GoAhead, LoopProgress } from "../context/mod.ts";
import { compileEntry, parseContext, readsRoles } from "../context/mod.ts";
import { type CompiledExpression, compileExpression } from "../jmespath/mod.ts";
import {
  type DocumentPath,
  Fault,
  isFault,
  isGiven,
  isList,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import type { RuleTools } from "./rule_kind.ts";

/** The fields of every kind of foreach. */
export interface LoopSpec {
  /** A JMESPath expression. */
  readonly list: string;
  readonly context: readonly EntrySpec[];
  readonly preconditions: Json | undefined;
}

/** Parses the fields of every kind of foreach. */
export function parseLoop(entry: JsonObject): LoopSpec {
  return {
    list: typeof entry["list"] === "string" ? entry["list"] : "",
    context: parseContext(entry["context"]),
    preconditions: isGiven(entry["preconditions"]) ? entry["preconditions"] : undefined,
  };
}

/** One iteration: the element, and the context that calls it `element`. */
export interface Iteration {
  readonly element: Json;
  readonly index: number;
  readonly context: Context;
}

/** The compiled list and context entries of a foreach entry. */
export interface Loop {
  /** As written, for messages. */
  readonly list: string;
  /**
   * The elements, or a fault when the list cannot be evaluated. A value that is not a list is a list of one element.
   */
  elements(context: Context): readonly Json[] | Fault;
  /** The context of one element; `undefined` for null, which is not iterated. */
  enter(context: Context, element: Json, index: number): Iteration | undefined;
}

/** The position of a foreach entry in its rule. */
export interface LoopPosition {
  /** The number of loops around this one. */
  readonly nesting: number;
  /** The path below the rule. */
  readonly path: DocumentPath;
}

/** Compiles what all kinds of foreach share. */
export function compileLoop(spec: LoopSpec, { nesting, path }: LoopPosition, tools: RuleTools): Loop {
  const { list } = spec;
  const expression = compileExpression(list);
  if (isFault(expression)) {
    tools.report({
      severity: "error",
      code: "bad-list",
      message: list === "" ? "A foreach entry needs a list" : `foreach list: ${expression.message}`,
      path: [...path, "list"],
    });
  } else if (readsRoles(expression.paths)) tools.need({ kind: "roles" });
  const entries = compileContext(spec.context, tools, path);
  const valuesOf = loopValues(nesting);
  return {
    list,
    elements: (context) => evaluateList(expression, context),
    enter: (context, element, index) => {
      if (element === null) return undefined;
      context.tracker.observer?.element({ list, index, element });
      const inner = context.child({ values: valuesOf(element, index) });
      return { element, index, context: entries.length === 0 ? inner : inner.child({ entries }) };
    },
  };
}

/** The elements of a loop. They are evaluated once, however often the rule pauses. */
export function elementsOf(
  loop: Loop,
  progress: LoopProgress<unknown>,
  context: Context,
): readonly Json[] | Fault {
  if (progress.elements !== undefined) return progress.elements;
  const elements = loop.elements(context);
  if (!isFault(elements) && context.tracker.isComplete) progress.elements = elements;
  return elements;
}

/**
 * The message of a loop or other staged work that stopped. Nobody sees the message of a pause, because the rule is
 * evaluated again.
 */
export function stopped(why: Exclude<GoAhead, "go">, where = "foreach"): string {
  return why === "over" ? `the request's deadline passed inside ${where}` : "the evaluation pauses";
}

/** Compiles the entries of a `context` list at a path below the rule. */
export function compileContext(
  entries: readonly EntrySpec[],
  tools: Pick<RuleTools, "policy" | "variables" | "report" | "need">,
  path: DocumentPath,
): readonly ContextEntry[] {
  return entries.map((entry, at) =>
    compileEntry(entry, {
      policyNamespace: tools.policy.namespace,
      need: tools.need,
      variables: (uses, below) => tools.variables(uses, [...path, "context", at, ...below]),
      report: (problem) => tools.report({ ...problem, path: [...path, "context", at, ...problem.path] }),
    })
  );
}

/**
 * The variables that an iteration adds to the context: the element and its index, each also with the nesting level in
 * its name.
 */
function loopValues(nesting: number): (element: Json, index: number) => Record<string, Json> {
  // Nearly every loop is the outermost one, and an object literal with fixed names is created much faster.
  if (nesting === 0) {
    return (element, index) => ({
      element,
      elementIndex: index,
      element0: element,
      elementIndex0: index,
    });
  }
  const ofElement = `element${nesting}`, ofIndex = `elementIndex${nesting}`;
  return (element, index) => ({
    element,
    elementIndex: index,
    [ofElement]: element,
    [ofIndex]: index,
  });
}

function evaluateList(expression: CompiledExpression | Fault, context: Context): readonly Json[] | Fault {
  if (isFault(expression)) return expression;
  const value = expression.evaluate(context, context.environment);
  if (!isFault(value)) return isList(value) ? value : [value];
  // A context entry that could not be loaded is no failure of the query.
  const isLoaded = value.missing !== undefined ||
    expression.names.every((name) => context.get(name) !== value);
  return isLoaded ? new Fault(`JMESPath query failed: ${value.message}`, value.missing) : value;
}
