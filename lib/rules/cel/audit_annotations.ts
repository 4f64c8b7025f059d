import { isCelFault, nullType, stringType } from "../../cel/mod.ts";
import { asList, type DocumentPath, Fault, isObject, type Json, textField } from "../../json/mod.ts";
import { labelKeyProblem } from "../../kube/mod.ts";
import type { CelEvaluation } from "./evaluation.ts";
import type { ExpressionSet } from "./expressions.ts";

/** The most characters of a recorded value. */
const maxValue = 10 * 1024;
/** The most characters of an expression that the API server accepts. */
const maxExpression = 5 * 1024;

/** Evaluates the audit annotations of a policy, by key; a fault when an expression failed. */
export type AuditAnnotations = (evaluation: CelEvaluation) => Readonly<Record<string, string>> | Fault;

/** The options of compiling audit annotations. */
export interface AuditAnnotationOptions {
  readonly path: DocumentPath;
  /** Returns the key as the message of a fault quotes it: `'key'` when absent. */
  readonly quoted?: (key: string) => string;
}

/** Compiles `[{key, valueExpression}]`; null and empty values add nothing. */
export function compileAuditAnnotations(
  written: Json | undefined,
  expressions: ExpressionSet,
  { path, quoted = (key) => `'${key}'` }: AuditAnnotationOptions,
): AuditAnnotations {
  const seen = new Set<string>();
  const annotations = asList(written).filter(isObject).flatMap((annotation, index) => {
    const key = textField(annotation, "key");
    const text = textField(annotation, "valueExpression");
    const problem = key.includes("/") ? "name part must have no prefix" : labelKeyProblem(key);
    if (problem !== undefined) expressions.warn(`"${key}": ${problem}`, [...path, index, "key"]);
    if (seen.has(key)) {
      expressions.warn(`The key "${key}" occurs twice: the last value counts`, [...path, index, "key"]);
    }
    seen.add(key);
    if (text.length > maxExpression) {
      const message = `The expression has ${text.length} characters; ${maxExpression} are allowed`;
      expressions.warn(message, [...path, index, "valueExpression"]);
    }
    const program = expressions.compile(text, [...path, index, "valueExpression"], [stringType, nullType]);
    return program === undefined ? [] : [{ key, program }];
  });
  if (annotations.length === 0) return () => none;
  return (evaluation) => {
    const found: Record<string, string> = {};
    for (const { key, program } of annotations) {
      const value = evaluation.evaluate(program);
      if (isCelFault(value)) {
        return new Fault(`failed to evaluate auditAnnotation ${quoted(key)}: ${value.message}`);
      }
      if (typeof value === "string" && value !== "") found[key] = value.slice(0, maxValue);
    }
    return found;
  };
}

const none: Readonly<Record<string, string>> = {};
