import { Fault, type Json, scopeOf } from "../../lib/json/mod.ts";
import { compileExpression, type Environment, type ExpressionOptions } from "../../lib/jmespath/mod.ts";

/** 2023-11-14T22:13:20Z, and always the middle. */
export const fixedEnvironment: Environment = { now: () => 1_700_000_000_000, random: () => 0.5 };

/** The result of an expression on a document, or `error: …`, or `syntax error: …`. */
export function evaluate(
  expression: string,
  input: Json = null,
  { environment = fixedEnvironment, ...options }: ExpressionOptions & { readonly environment?: Environment } =
    {},
): Json {
  const compiled = compileExpression(expression, { root: "document", ...options });
  if (compiled instanceof Fault) return `syntax error: ${compiled.message}`;
  const result = compiled.evaluate(scopeOf(input), environment);
  return result instanceof Fault ? `error: ${result.message}` : result;
}
