import { type CompiledExpression, compileExpression, type ExpressionOptions } from "../jmespath/mod.ts";
import { Fault, isFault } from "../json/mod.ts";
import { isDelete, type Render } from "./run.ts";
import type { DocumentPath, Use } from "./use.ts";

/** What planning a variable needs to know of where it stands. */
export interface Spot {
  /** The string's path as the reference writes it, for messages. */
  readonly path: string;
  /** The string's place in the document. */
  readonly place: DocumentPath;
  /** Where the document itself stands in its rule, for `{{ @ }}`. */
  readonly field: DocumentPath;
  /** What becomes of a variable without a value. */
  readonly unresolved: "fault" | "empty";
  /** How expressions are read. */
  readonly expressions: ExpressionOptions;
  /** Collects the variables. */
  readonly uses: Use[];
}

/** Kyverno parity: in a deletion every `request.object`, even inside a string, means `request.oldObject`. */
export function forDelete(text: string): string {
  return text.replaceAll("request.object", "request.oldObject");
}

/** Renders an expression as the request's operation wants it; both forms are compiled now. */
export function chooseByOperation(text: string, alive: Query, spot: Spot): Render {
  const textForDelete = forDelete(text);
  if (textForDelete === text) return alive.render;
  const deleted = compile(textForDelete, spot);
  return (run) => isDelete(run.scope) ? deleted.render(run) : alive.render(run);
}

/** An expression ready to be rendered, and what it is made of, or what keeps it from being one. */
export interface Query {
  readonly render: Render;
  readonly compiled: CompiledExpression | Fault;
}

/** Compiles an expression. What is wrong with it becomes the fault of every rendering. */
export function compile(text: string, spot: Spot): Query {
  const failed = `failed to resolve ${text} at path ${spot.path}: `;
  if (text === "") return broken(new Fault(`${failed}invalid query (nil)`));
  const compiled = compileExpression(text, spot.expressions);
  if (isFault(compiled)) return broken(new Fault(`${failed}incorrect query ${text}: ${compiled.message}`));
  const { names } = compiled;
  const render: Render = ({ scope, environment }) => {
    const value = compiled.evaluate(scope, environment);
    if (!isFault(value)) return value;
    // What the scope could not get is the cause itself; it is no failure of the expression, and never an empty string.
    if (value.missing === undefined && names.some((name) => scope.get(name) === value)) {
      return new Fault(failed + value.message);
    }
    if (spot.unresolved === "empty") return "";
    return new Fault(`${failed}JMESPath query failed: ${value.message}`, value.missing);
  };
  return { render, compiled };
}

function broken(fault: Fault): Query {
  return { render: () => fault, compiled: fault };
}

/** Adds an expression to the variables of its document. */
export function noteUse(text: string, offset: number, { compiled }: Query, spot: Spot): void {
  const place = { expression: text, path: spot.place, column: offset + 1 };
  if (isFault(compiled)) {
    spot.uses.push({ ...place, names: [], paths: [], problem: compiled });
    return;
  }
  const { names, paths } = compiled;
  spot.uses.push({ ...place, names, paths });
}
