import { Fault, goPrint, isFault, isString, type Json, scopeOf } from "../../json/mod.ts";
import { compileExpression } from "../../jmespath/mod.ts";
import { compileTemplate, type Template } from "../../template/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import type { Context, ContextEntry } from "../context.ts";
import type { ContextEntryKind } from "../entry_kind.ts";
import type { EntryOptions } from "../entry_options.ts";
import { readsRoles } from "../need.ts";
import { EntryQueries } from "../query.ts";
import { checkQuery } from "./entry_checks.ts";
import { given, text } from "./written.ts";

/** `variable`: a value, a query, or a query applied to a value. */
export interface VariableEntry {
  readonly kind: "variable";
  readonly name: string;
  readonly value: Json | undefined;
  /** The query; empty when there is none. */
  readonly jmesPath: string;
  readonly default: Json | undefined;
}

/** The descriptions of `variable` and of its fields. */
export const variableNotes: FieldNotes = {
  "variable": "A value that is computed from others.",
  "variable.value": "The value: anything, with variables in it.",
};

/**
 * `variable: {value, jmesPath, default}`.
 * Kyverno parity: with a value, a null result of jmesPath is an error even when there is a default; without one, the
 * default takes its place. Pinned by "no default for null of a value".
 */
export const variableKind: ContextEntryKind<VariableEntry> = {
  kind: "variable",
  shape: { value: "open", jmesPath: "text", default: "open" },
  read: (name, written) => ({
    kind: "variable",
    name,
    value: given(written["value"]),
    jmesPath: text(written["jmesPath"]),
    default: given(written["default"]),
  }),
  compile: compileVariable,
  isServed: () => true,
};

function compileVariable(entry: VariableEntry, options: EntryOptions): ContextEntry {
  const { name, jmesPath } = entry;
  const value = optional(entry.value);
  const fallback = optional(entry.default);
  const path = jmesPath === "" ? undefined : compileTemplate(jmesPath);
  options.variables(value?.uses ?? [], ["variable", "value"]);
  options.variables(fallback?.uses ?? [], ["variable", "default"]);
  options.variables(path?.uses ?? [], ["variable", "jmesPath"]);
  checkQuery("variable", jmesPath, options);
  // A query without a value is applied to the context itself.
  const query = value === undefined && path?.constant ? compileExpression(jmesPath) : undefined;
  if (query !== undefined && !isFault(query) && readsRoles(query.paths)) options.need({ kind: "roles" });
  const queries = new EntryQueries(value === undefined ? "context" : "document");
  const compiled = { entry, value, fallback, path, queries };
  return { name, source: "value", load: (view) => load(compiled, view) };
}

/** A variable of a policy, compiled. */
interface CompiledVariable {
  readonly entry: VariableEntry;
  readonly value: Template | undefined;
  /** The template of `default`. */
  readonly fallback: Template | undefined;
  /** The template of the query. */
  readonly path: Template | undefined;
  readonly queries: EntryQueries;
}

function load(variable: CompiledVariable, view: Context): Json | Fault {
  const result = compute(variable, view);
  // Kyverno parity: a value is kept as JSON. Pinned by "a number that JSON cannot write".
  const problem = result === null
    ? " since it evaluated to nil"
    : typeof result === "number" && !Number.isFinite(result)
    ? `: json: unsupported value: ${goPrint(result)}`
    : "";
  return problem === ""
    ? result
    : new Fault(`failed to add context entry for variable ${variable.entry.name}${problem}`);
}

function compute({ entry, value, fallback, path, queries }: CompiledVariable, view: Context): Json | Fault {
  const { name, jmesPath } = entry;
  const query = path?.render(view, view.environment);
  if (isFault(query)) return unresolved(name, jmesPath, query);
  const other = fallback?.render(view, view.environment);
  if (isFault(other)) return unresolved(name, entry.default!, other);
  const rendered = value?.render(view, view.environment);
  if (isFault(rendered)) return unresolved(name, entry.value!, rendered);
  // A query that is rendered to nothing is no query.
  if (query === undefined || query === "") return rendered ?? other ?? null;
  if (!isString(query)) return new Fault(`jmespath value must be a string ${name} ${jmesPath}: <nil>`);
  const scope = rendered === undefined ? view : scopeOf(rendered);
  const result = queries.apply(query, scope, view.environment);
  if (isFault(result)) {
    if (other !== undefined) return other;
    const cause = rendered === undefined ? queries.problem(query, result, view) : result.message;
    return new Fault(`failed to apply jmespath ${query} to variable <nil>: ${cause}`);
  }
  return result === null && rendered === undefined && other !== undefined ? other : result;
}

function unresolved(name: string, source: Json, fault: Fault): Fault {
  return new Fault(
    `failed to substitute variables in context entry ${name} ${goPrint(source)}: ${fault.message}`,
  );
}

function optional(value: Json | undefined): Template | undefined {
  return value === undefined ? undefined : compileTemplate(value);
}
