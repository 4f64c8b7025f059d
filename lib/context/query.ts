import { type Fault, isFault, type Json, type Scope } from "../json/mod.ts";
import { type CompiledExpression, compileExpression, type Environment } from "../jmespath/mod.ts";

const maxRemembered = 512;
const compiled = new Map<string, CompiledExpression | Fault>();

/**
 * Applies a query whose text may have been put together for this request. Texts are compiled once and remembered, so a
 * query without variables costs a lookup.
 */
export function queryWith(text: string, scope: Scope, environment: Environment): Json | Fault {
  let expression = compiled.get(text);
  if (expression === undefined) {
    if (compiled.size >= maxRemembered) compiled.clear();
    expression = compileExpression(text);
    compiled.set(text, expression);
  }
  return isFault(expression) ? expression : expression.evaluate(scope, environment);
}
