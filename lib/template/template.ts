import type { Environment, FunctionTable } from "../jmespath/mod.ts";
import { type DocumentPath, type Fault, isFault, type Json, type Scope } from "../json/mod.ts";
import { type DocumentOptions, planDocument } from "./document.ts";
import { resolveReferences } from "./reference.ts";
import { maxText } from "./run.ts";
import type { Use } from "./use.ts";

/** The options of compiling a template. */
export interface TemplateOptions {
  /**
   * The value of a variable whose expression has none: a fault, or the empty string (in conditions of the classic
   * dialect). A value that cannot be loaded, and an expression that does not compile, are always faults.
   */
  readonly unresolved?: "fault" | "empty";
  /**
   * The path of the document in its rule, for `{{ @ }}` only: `["validate", "pattern"]`. The variable skips the first
   * two steps of the path, so a document that is compiled as part of a whole rule needs nothing here.
   */
  readonly field?: DocumentPath;
  /** The functions that expressions may call; Kyverno's when absent. */
  readonly functions?: FunctionTable;
}

/** The options of compiling the texts of a document, with defaults for absent ones. */
export function documentOptions(
  { unresolved = "fault", field = [], functions }: TemplateOptions,
  uses: Use[],
): DocumentOptions {
  const expressions = functions === undefined ? { isInteger } : { functions, isInteger };
  return { unresolved, field, expressions, uses };
}

/**
 * Kyverno parity: the index of a foreach is a Go int, which no number of an expression equals. Pinned by "the index
 * of a foreach equals no number, as in Kyverno".
 */
function isInteger(name: string): boolean {
  return /^elementIndex\d*$/.test(name);
}

/** A compiled document whose strings and keys may hold variables. It is rendered for each request. */
export interface Template {
  /** Whether every rendering is the same value. */
  readonly constant: boolean;
  /** The variables, in the order of the document. */
  readonly uses: readonly Use[];
  /** Why the template can never be rendered: a reference to a missing path, or too deep nesting. */
  readonly problem?: Fault;
  /** The document with its variables replaced. Renderings share constant parts, so they must not be modified. */
  render(scope: Scope, environment: Environment): Json | Fault;
}

/**
 * Compiles a document. `$(path)` references are resolved at load, `{{ expression }}` at each rendering, in strings
 * and in keys.
 *
 * ```ts
 * import { compileTemplate } from "./template.ts";
 * import { scopeOf } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const template = compileTemplate({ team: "{{ labels.team }}", note: "of {{ labels.team }}", size: 3 });
 * const environment = { now: () => 0, random: () => 0 };
 * assert.deepEqual(
 *   template.render(scopeOf({ labels: { team: "a" } }), environment),
 *   { team: "a", note: "of a", size: 3 },
 * );
 * assert.deepEqual(template.uses.map(({ names }) => names), [["labels"], ["labels"]]);
 * ```
 */
export function compileTemplate(document: Json, options: TemplateOptions = {}): Template {
  const resolved = resolveReferences(document);
  if (isFault(resolved)) return brokenTemplate(resolved, []);
  const uses: Use[] = [];
  const planned = planDocument(resolved, documentOptions(options, uses));
  if (isFault(planned)) return brokenTemplate(planned, uses);
  if (planned.kind === "constant") {
    const { value } = planned;
    return { constant: true, uses, render: () => value };
  }
  const { render } = planned;
  return {
    constant: false,
    uses,
    render: (scope, environment) => render({ scope, environment, room: maxText }),
  };
}

function brokenTemplate(problem: Fault, uses: readonly Use[]): Template {
  return { constant: false, uses, problem, render: () => problem };
}
