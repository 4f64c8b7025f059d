import { compileExpression, expressionHint } from "../../jmespath/mod.ts";
import { isFault } from "../../json/mod.ts";
import type { EntryOptions } from "../entry_options.ts";
import type { EntrySource } from "../entry_source.ts";

/** Reports a query without variables that does not compile: a rule that reads the entry fails. */
export function checkQuery(kind: EntrySource, query: string, options: EntryOptions): void {
  if (query === "" || query.includes("{{")) return;
  const expression = compileExpression(query);
  if (!isFault(expression)) return;
  const message = `"${query}": ${expression.message}`;
  const hint = expressionHint(query);
  options.report({
    severity: "warning",
    code: "bad-expression",
    message,
    ...(hint !== undefined && { hint }),
    path: [kind, "jmesPath"],
  });
}

/** Reports an entry that does not name what it reads: a rule that reads the entry fails. */
export function checkReference(path: [EntrySource, string], reference: string, options: EntryOptions): void {
  if (reference !== "") return;
  const message = `A context entry ${path[0]} needs ${path[1]}`;
  options.report({ severity: "warning", code: "missing-reference", message, path });
}
