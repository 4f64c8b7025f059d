import { type CompiledExpression, compileExpression, type ExpressionOptions } from "../jmespath/mod.ts";
import { type DocumentPath, Fault, isFault, type Scope } from "../json/mod.ts";
import { isDelete, type Render } from "./run.ts";
import { requestVariables } from "./request_variables.ts";
import type { Use } from "./use.ts";

/** The position of the text that holds a variable, and the options for compiling the variable. */
export interface TextPosition {
  /** The string's path in the form of Kyverno's messages. */
  readonly path: string;
  /** The string's path in the document. */
  readonly steps: DocumentPath;
  /** The path of the document in its rule, for `{{ @ }}`. */
  readonly field: DocumentPath;
  /**
   * The value of a variable whose value is missing. An undeclared variable, a failed function and an exceeded limit
   * are always faults: an object must not pass a rule by breaking its expression.
   */
  readonly unresolved: "fault" | "empty";
  /** The options of compiling expressions. */
  readonly expressions: ExpressionOptions;
  /** Collects the variables. */
  readonly uses: Use[];
}

/**
 * Kyverno parity: in a deletion every `request.object`, even inside a string literal, means `request.oldObject`.
 * Pinned by tests/template/variables_test.ts.
 */
export function forDelete(text: string): string {
  return text.replaceAll("request.object", "request.oldObject");
}

/**
 * Renders an expression in the form for the request's operation. Both forms are compiled at load. Facts
 * about their texts, such as the paths that they read, are not kept: they take a fifth of the memory.
 */
export function chooseByOperation(text: string, { render }: Query, position: TextPosition): Render {
  const textForDelete = forDelete(text);
  if (textForDelete === text) return render;
  const { render: renderDeleted } = compile(textForDelete, position);
  return (run) => isDelete(run.scope) ? renderDeleted(run) : render(run);
}

/** A compiled expression, or the fault of compiling it. */
export interface Query {
  readonly render: Render;
  readonly compiled: CompiledExpression | Fault;
}

/** Compiles an expression. If it does not compile, every rendering returns the fault. */
export function compile(text: string, position: TextPosition): Query {
  const failed = `failed to resolve ${text} at path ${position.path}: `;
  if (text === "") return broken(new Fault(`${failed}invalid query (nil)`));
  const compiled = compileExpression(text, position.expressions);
  if (isFault(compiled)) return broken(new Fault(`${failed}incorrect query ${text}: ${compiled.message}`));
  const { names, evaluate } = compiled;
  const render: Render = ({ scope, environment }) => {
    const value = evaluate(scope, environment);
    if (!isFault(value)) return value;
    // A value that cannot be loaded is not an error of the expression: its fault is the result, never an empty string.
    if (value.missing === undefined && names.some((name) => scope.get(name) === value)) {
      return new Fault(failed + value.message);
    }
    if (
      position.unresolved === "empty" && value.missing !== undefined && !isUndeclared(value.missing, scope)
    ) {
      return "";
    }
    return new Fault(`${failed}JMESPath query failed: ${value.message}`, value.missing);
  };
  return { render, compiled };

  /** Whether the missing part is a variable that nothing declares, instead of a part of a value. */
  function isUndeclared(missing: string, scope: Scope): boolean {
    return names.includes(missing) && !requestVariables.includes(missing) &&
      scope.get(missing) === undefined && scope.declares?.(missing) !== true;
  }
}

function broken(fault: Fault): Query {
  return { render: () => fault, compiled: fault };
}

/** Adds an expression to the variables of its document. */
export function noteUse(
  { text, offset }: { readonly text: string; readonly offset: number },
  { compiled }: Query,
  position: TextPosition,
): void {
  const steps = { expression: text, path: position.steps, column: offset + 1 };
  if (isFault(compiled)) {
    position.uses.push({ ...steps, names: [], paths: [], functions: [], calls: [], problem: compiled });
    return;
  }
  const { names, paths, functions, calls } = compiled;
  position.uses.push({ ...steps, names, paths, functions, calls });
}
