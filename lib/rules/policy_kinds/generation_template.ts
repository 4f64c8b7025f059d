import type { Program } from "../../cel/mod.ts";
import {
  type DocumentPath,
  Fault,
  field,
  goTypeOf,
  isFault,
  isList,
  isObject,
  isString,
  type Json,
  type JsonObject,
  setField,
} from "../../json/mod.ts";
import { parseDocuments } from "../../yaml/mod.ts";
import type { ObjectType } from "../rule_kind.ts";
import { type CelEvaluation, type ExpressionSet, wanted } from "../cel/mod.ts";

/** The compiled objects of a template. */
export interface GenerationTemplate {
  /** Returns the objects for one request. */
  render(evaluation: CelEvaluation): readonly JsonObject[] | Fault;
  /** The types that are constant in the template. */
  readonly types: readonly ObjectType[];
}

type Render = (evaluation: CelEvaluation) => Json | Fault;

/**
 * Compiles `template: {value, interpolate}`: YAML documents, in which `(( expression ))` is replaced where
 * `interpolate` is `cel`. An expression that is a whole value may return any JSON; one inside a text returns a part
 * of the text. Keys are not replaced.
 */
export function compileGenerationTemplate(
  template: { readonly value: string; readonly interpolate: boolean },
  expressions: ExpressionSet,
  path: DocumentPath,
): GenerationTemplate {
  const { documents, diagnostics } = parseDocuments(template.value, "template");
  for (const { severity, message } of diagnostics) {
    if (severity === "error") expressions.mistake(`template: ${message}`, path);
  }
  const expressionOf: CompileExpression | undefined = template.interpolate
    ? (text) => compilePlaceholder(text, expressions.compile(text, path, wanted.any))
    : undefined;
  const renders = documents.map(({ value }) => compileNode(value, expressionOf));
  if (documents.length === 0 || documents.some(({ value }) => !isObject(value))) {
    expressions.mistake("template: every document must be an object, and there must be one", path);
  }
  return { render: (evaluation) => renderAll(renders, evaluation), types: documents.flatMap(typeOfDocument) };
}

/** Compiles the expression of a placeholder. */
type CompileExpression = (text: string) => Render;

/** Compiles a part of a document. Without `expressionOf` its texts have no placeholders. */
function compileNode(node: Json, expressionOf: CompileExpression | undefined): Render {
  if (isString(node)) return expressionOf === undefined ? () => node : compileText(node, expressionOf);
  if (isList(node)) {
    const items = node.map((item, index) => inside(`item ${index}`, compileNode(item, expressionOf)));
    return (evaluation) => collect(items.map((render) => render(evaluation)));
  }
  if (!isObject(node)) return () => node;
  const entries = Object.entries(node).map(([key, value]) =>
    [key, inside(`field ${JSON.stringify(key)}`, compileNode(value, expressionOf))] as const
  );
  return (evaluation) => {
    const object: { [key: string]: Json } = {};
    for (const [key, render] of entries) {
      const value = render(evaluation);
      if (isFault(value)) return value;
      setField(object, key, value);
    }
    return object;
  };
}

function compileText(text: string, expressionOf: CompileExpression): Render {
  const pieces = splitPlaceholders(text);
  if (pieces.length === 1) return () => text;
  const renders = pieces.map((piece, index): Render => index % 2 === 0 ? () => piece : expressionOf(piece));
  if (pieces.length === 3 && pieces[0] === "" && pieces[2] === "") return renders[1]!;
  return (evaluation) => {
    const parts = collect(renders.map((render) => render(evaluation)));
    if (isFault(parts)) return parts;
    const other = parts.findIndex((part) => part === null || typeof part === "object");
    return other < 0 ? parts.map((part) => isString(part) ? part : JSON.stringify(part)).join("") : new Fault(
      `placeholder ${JSON.stringify(pieces[other])} embedded in a string must evaluate to a scalar, got ` +
        `${goTypeOf(parts[other])}; use a whole-value placeholder for structured results`,
    );
  };
}

function renderAll(renders: readonly Render[], evaluation: CelEvaluation): readonly JsonObject[] | Fault {
  const objects: JsonObject[] = [];
  for (const [index, render] of renders.entries()) {
    const object = render(evaluation);
    const fault = isFault(object) ? object.message : isObject(object) ? undefined : "no object";
    if (fault !== undefined) {
      return new Fault(`failed to render generation template: document ${index + 1}: ${fault}`);
    }
    objects.push(object as JsonObject);
  }
  return objects;
}

function typeOfDocument({ value }: { readonly value: Json }): ObjectType[] {
  const apiVersion = field(value, "apiVersion"), kind = field(value, "kind");
  const isWritten = (text: Json | undefined): text is string => isString(text) && !text.includes("((");
  return isWritten(apiVersion) && isWritten(kind) ? [{ apiVersion, kind }] : [];
}

function compilePlaceholder(expression: string, program: Program | undefined): Render {
  if (program === undefined) return () => new Fault("the expression does not compile");
  return inside(
    `failed to evaluate placeholder ${JSON.stringify(expression)}`,
    (evaluation) => evaluation.evaluateToJson(program),
  );
}

/** Kyverno parity: faults name fields and items. Pinned by "a fault in a template names the part of the document". */
function inside(part: string, render: Render): Render {
  return (evaluation) => {
    const value = render(evaluation);
    return isFault(value) ? new Fault(`${part}: ${value.message}`) : value;
  };
}

function collect(values: readonly (Json | Fault)[]): readonly Json[] | Fault {
  const found: Json[] = [];
  for (const value of values) {
    if (isFault(value)) return value;
    found.push(value);
  }
  return found;
}

/** Splits a text: literal parts at even indices, the expressions of placeholders at odd ones. */
function splitPlaceholders(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let start = text.indexOf("((", from); start >= 0; start = text.indexOf("((", from)) {
    const end = closing(text, start + 2);
    if (end < 0) break;
    pieces.push(text.slice(from, start), text.slice(start + 2, end).trim());
    from = end + 2;
  }
  pieces.push(text.slice(from));
  return pieces;
}

/** The index of the `))` that closes a placeholder; -1 when none does. Brackets in string literals do not count. */
function closing(text: string, from: number): number {
  let depth = 0, quote = "";
  for (let index = from; index < text.length; index++) {
    const unit = text[index]!;
    if (quote !== "") {
      if (unit === "\\") index++;
      else if (unit === quote) quote = "";
    } else if (unit === "'" || unit === '"') quote = unit;
    else if (unit === "(") depth++;
    else if (unit === ")") {
      if (depth > 0) depth--;
      else return text[index + 1] === ")" ? index : -1;
    }
  }
  return -1;
}
