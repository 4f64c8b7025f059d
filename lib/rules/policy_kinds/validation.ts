import { isCelFault, type Program, type Result } from "../../cel/mod.ts";
import { Fault, type JsonObject, textField } from "../../json/mod.ts";
import { type CelEvaluation, type ExpressionSet, wanted } from "../cel/mod.ts";

/**
 * The result of one validation: `undefined` when it holds, its message when it does not, a fault when it cannot be
 * evaluated.
 */
export type CompiledValidation = (evaluation: CelEvaluation) => string | Fault | undefined;

/** Compiles one entry of `validations` of a Kyverno policy. */
export function compileValidation(
  entry: JsonObject,
  index: number,
  expressions: ExpressionSet,
): CompiledValidation {
  const path = ["spec", "validations", index];
  const expression = textField(entry, "expression");
  const program = expressions.compile(expression, [...path, "expression"], wanted.bool);
  const text = textField(entry, "messageExpression");
  const messageProgram = text === ""
    ? undefined
    : expressions.compile(text, [...path, "messageExpression"], wanted.text);
  const message = textField(entry, "message");
  return (evaluation) => {
    if (program === undefined) return new Fault("the expression does not compile");
    const value = evaluation.evaluate(program);
    evaluation.record(expression, value);
    if (value === true) return undefined;
    if (isCelFault(value)) return new Fault(value.message);
    if (value !== false) return new Fault("the expression gives no bool");
    const text = messageProgram === undefined ? message : made(messageProgram, evaluation);
    return text || `CEL expression validation failed at index ${index}`;
  };
}

function made(program: Program, evaluation: CelEvaluation): string {
  const value: Result = evaluation.evaluate(program);
  if (isCelFault(value)) return `failed to evaluate message expression: ${value.message}`;
  return typeof value === "string" ? value : "failed to convert message expression to string";
}
