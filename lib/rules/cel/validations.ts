import { isCelFault, type Program } from "../../cel/mod.ts";
import {
  asList,
  asString,
  type DocumentPath,
  field,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import type { CelEvaluation } from "./evaluation.ts";
import { type ExpressionSet, wanted } from "./expressions.ts";

/** The result of a policy's validations: the first one that is not true decides. */
export type ValidationVerdict =
  | { readonly result: "pass" }
  | { readonly result: "fail" | "error"; readonly message: string };

/** One entry of `expressions` or `validations`, compiled. */
interface Validation {
  readonly expression: string;
  readonly program: Program | undefined;
  readonly message: string;
  readonly messageProgram: Program | undefined;
}

/** The options of compiling validations. */
export interface ValidationsOptions {
  readonly path: DocumentPath;
  /** The message of entries that have none. */
  readonly fallbackMessage?: string;
  /** Whether a warning names messages that read `authorizer`, which Kyverno and the API server give none. */
  readonly authorizerWarning?: boolean;
  /** Receives the problems of message expressions; when absent, the policy's receiver does. */
  readonly reportMessage?: (problem: PathDiagnostic) => void;
}

/** The most characters of a message from an expression. */
const maxMessage = 5 * 1024;

const reasons = ["Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"];

const passed: ValidationVerdict = { result: "pass" };

/**
 * Compiles validations with the semantics and messages of the API server. The message comes from `messageExpression`
 * if that gives one line of text, otherwise from `message`, otherwise from the expression.
 */
export function compileValidations(
  written: Json | undefined,
  expressions: ExpressionSet,
  options: ValidationsOptions,
): (evaluation: CelEvaluation) => ValidationVerdict {
  const compiler = new ValidationCompiler(expressions, options);
  const validations = asList(written).filter(isObject).map((entry, index) => compiler.compile(entry, index));
  return (evaluation) => {
    for (const validation of validations) {
      const verdict = verdictOf(validation, evaluation);
      if (verdict.result !== "pass") return verdict;
    }
    return passed;
  };
}

/** Compiles the entries of one list. */
class ValidationCompiler {
  readonly #expressions: ExpressionSet;
  readonly #options: ValidationsOptions;

  constructor(expressions: ExpressionSet, options: ValidationsOptions) {
    this.#expressions = expressions;
    this.#options = options;
  }

  compile(entry: JsonObject, index: number): Validation {
    const path = [...this.#options.path, index], { fallbackMessage = "" } = this.#options;
    const expression = textField(entry, "expression");
    const messageExpression = textField(entry, "messageExpression");
    this.#checkReason(field(entry, "reason"), [...path, "reason"]);
    return {
      expression,
      program: this.#expressions.compile(expression, [...path, "expression"], wanted.bool),
      message: (asString(field(entry, "message")) || fallbackMessage).trim(),
      messageProgram: messageExpression === ""
        ? undefined
        : this.#message(messageExpression, [...path, "messageExpression"]),
    };
  }

  #message(text: string, path: DocumentPath): Program | undefined {
    const { authorizerWarning = false, reportMessage } = this.#options, expressions = this.#expressions;
    const compile = (): Program | undefined => expressions.compile(text, path, wanted.text);
    const program = reportMessage === undefined ? compile() : expressions.reporting(reportMessage, compile);
    const readsAuthorizer = [...program?.facts.variables ?? []].some((name) =>
      /^authorizer(?:\.|$)/.test(name)
    );
    if (readsAuthorizer && authorizerWarning) {
      expressions.warn("A messageExpression has no authorizer in Kyverno and in the API server", path);
    }
    return program;
  }

  #checkReason(reason: Json | undefined, path: DocumentPath): void {
    if (reason === undefined || reason === null || reasons.some((allowed) => allowed === reason)) return;
    const message = `reason cannot be ${JSON.stringify(reason)}: use one of ${reasons.join(", ")}`;
    this.#expressions.mistake(message, path);
  }
}

function verdictOf(
  { expression, program, message, messageProgram }: Validation,
  evaluation: CelEvaluation,
): ValidationVerdict {
  if (program === undefined) return { result: "error", message: "compilation error" };
  const value = evaluation.evaluate(program);
  evaluation.record(expression, value);
  if (value === true) return passed;
  if (isCelFault(value)) {
    const text = value.kind === "cost" && value.message.startsWith("validation failed")
      ? value.message
      : `expression '${expression}' resulted in error: ${value.message}`;
    return { result: "error", message: text };
  }
  const made = messageProgram === undefined ? "" : messageOf(evaluation.evaluate(messageProgram));
  return { result: "fail", message: made || message || `failed expression: ${expression.trim()}` };
}

/** The value of a message expression, if it can be a message; otherwise the empty text. */
function messageOf(value: unknown): string {
  if (typeof value !== "string") return "";
  const text = value.trim();
  return text.includes("\n") || new TextEncoder().encode(text).length > maxMessage ? "" : text;
}
