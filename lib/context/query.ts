import { BoundedCache, type Fault, isFault, type Json, type Scope, scopeOf } from "../json/mod.ts";
import { type CompiledExpression, compileExpression, type Environment } from "../jmespath/mod.ts";

const compiled = new BoundedCache<CompiledExpression | Fault>(512);

/**
 * Applies a query whose text may contain values of this request. Texts are compiled once and cached, so a query
 * without variables costs a lookup.
 */
export function queryWith(text: string, scope: Scope, environment: Environment): Json | Fault {
  return evaluateWith("context", text, { scope, environment });
}

/** Applies a query to an external value of any type. */
export function queryDocument(text: string, document: Json, environment: Environment): Json | Fault {
  return evaluateWith("document", text, { scope: scopeOf(document), environment });
}

function evaluateWith(
  root: "context" | "document",
  text: string,
  { scope, environment }: { scope: Scope; environment: Environment },
): Json | Fault {
  const expression = compiled.getOrMake(`${root} ${text}`, () => compileExpression(text, { root }));
  return isFault(expression) ? expression : expression.evaluate(scope, environment);
}
