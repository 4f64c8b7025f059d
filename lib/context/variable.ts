import { Fault, isFault, isString, type Json, scopeOf } from "../json/mod.ts";
import type { VariableEntry } from "../policy/mod.ts";
import { compileExpression } from "../jmespath/mod.ts";
import { compileTemplate, type Template } from "../template/mod.ts";
import type { Context, ContextEntry } from "./context.ts";
import type { ContextEntryKind } from "./entry_kind.ts";
import type { EntryOptions } from "./entry_options.ts";
import { readsRoles } from "./need.ts";
import { EntryQueries } from "./query.ts";

/**
 * `variable: {value, jmesPath, default}`.
 * Kyverno parity: with a value, a null result of jmesPath is an error even when there is a default; without one, the
 * default takes its place. Pinned by "no default for null of a value".
 */
export const variableKind: ContextEntryKind<VariableEntry> = {
  compile: compileVariable,
  isServed: () => true,
};

function compileVariable(entry: VariableEntry, options: EntryOptions): ContextEntry {
  const { name, jmesPath: written } = entry;
  const value = optional(entry.value);
  const fallback = optional(entry.default);
  const path = written === "" ? undefined : compileTemplate(written);
  options.variables(value?.uses ?? [], ["variable", "value"]);
  options.variables(fallback?.uses ?? [], ["variable", "default"]);
  options.variables(path?.uses ?? [], ["variable", "jmesPath"]);
  // A query without a value is applied to the context itself.
  const query = value === undefined && path?.constant ? compileExpression(written) : undefined;
  if (query !== undefined && !isFault(query) && readsRoles(query.paths)) options.need({ kind: "roles" });
  const queries = new EntryQueries(value === undefined ? "context" : "document");
  return { name, source: "value", load };

  function load(view: Context): Json | Fault {
    const result = compute(view);
    if (result === null) {
      return new Fault(`failed to add context entry for variable ${name} since it evaluated to nil`);
    }
    return result;
  }

  function compute(view: Context): Json | Fault {
    const other = fallback?.render(view, view.environment);
    if (isFault(other)) {
      return new Fault(`failed to substitute variables in context entry ${name} default: ${other.message}`);
    }
    const given = value?.render(view, view.environment);
    if (isFault(given)) {
      return new Fault(`failed to substitute variables in context entry ${name} value: ${given.message}`);
    }
    if (path === undefined) return given ?? other ?? null;
    const query = path.render(view, view.environment);
    if (isFault(query)) {
      return new Fault(`failed to substitute variables in context entry ${name} jmesPath: ${query.message}`);
    }
    if (!isString(query)) return new Fault(`jmespath value must be a string ${name} ${written}: <nil>`);
    const result = queries.apply(query, given === undefined ? view : scopeOf(given), view.environment);
    if (isFault(result)) {
      if (other !== undefined) return other;
      // Kyverno quotes the value here. Postern does not, because it may come from a Secret, and the message goes into
      // answers and logs.
      const failure = given === undefined
        ? `<nil>: JMESPath query failed: ${result.message}`
        : `${name}: ${result.message}`;
      return new Fault(`failed to apply jmespath ${query} to variable ${failure}`);
    }
    return result === null && given === undefined && other !== undefined ? other : result;
  }
}

function optional(value: Json | undefined): Template | undefined {
  return value === undefined ? undefined : compileTemplate(value);
}
