import {
  choosing,
  type Diagnostic,
  didYouMean,
  type Locate,
  replacing,
  withPosition,
} from "../diagnostics/mod.ts";
import { type DocumentPath, documentPathText, isList, isObject, isString, type Json } from "../json/mod.ts";
import { isChoice, type Shape } from "./shape.ts";

/** The position of a value in its file. */
export interface ShapeStart {
  readonly path: (string | number)[];
  readonly locate: Locate;
  /**
   * Whether it is the value of an object that an API server stores: numbers in place of texts, and a text in place of a
   * list, are read, and are warnings. Without it they are accepted.
   */
  readonly stored?: boolean;
}

/** Compares a value with its shape. Unknown fields and wrong types become diagnostics with their position. */
export function checkShape(value: Json, shape: Shape, start: ShapeStart): Diagnostic[] {
  const check = new ShapeCheck(start);
  check.walk(value, shape, start.path);
  return check.diagnostics;
}

type Path = (string | number)[];

/** Walks down a value and its shape together, and collects the differences. */
class ShapeCheck {
  readonly diagnostics: Diagnostic[] = [];
  readonly #start: ShapeStart;

  constructor(start: ShapeStart) {
    this.#start = start;
  }

  walk(node: Json, expected: Shape, path: Path): void {
    if (node === null || expected === "open") return;
    if (typeof expected === "string") return this.#scalar(node, expected, path);
    if (isChoice(expected)) {
      return void choiceProblems(node, expected, path).forEach((each) => this.#report(each, path));
    }
    if (isListShape(expected)) {
      // A scalar in place of a list is read as a list of one: older policies have `clusterroles: cluster-admin`.
      if (isList(node)) node.forEach((item, index) => this.walk(item, expected[0], [...path, index]));
      else if (typeof expected[0] !== "string") this.#wrongType(path, "a list");
      else this.#readAnyway(path, `a list, not ${nameOf(node)}`, "write it as a list of one");
      return;
    }
    if (!isObject(node)) return this.#wrongType(path, `an object, not ${nameOf(node)}`);
    for (const [name, child] of Object.entries(node)) {
      if (Object.hasOwn(expected, name)) this.walk(child, expected[name]!, [...path, name]);
      else this.#unknownField(name, Object.keys(expected), path);
    }
  }

  #scalar(node: Json, expected: "text" | "flag" | "number", path: Path): void {
    if (!isOfType(node, expected)) this.#wrongType(path, `${wanted[expected]}, not ${nameOf(node)}`);
    else if (expected === "text" && !isString(node)) {
      this.#readAnyway(path, `text, not ${nameOf(node)}`, "quote what is meant as text");
    }
  }

  /** Reports a value that Postern reads and an API server refuses. */
  #readAnyway(path: Path, right: string, hint: string): void {
    if (this.#start.stored !== true) return;
    const message = `${documentPathText(path)} must be ${right}`;
    this.#report({ severity: "warning", code: "refused-by-api-server", message, hint }, path);
  }

  #unknownField(name: string, names: string[], path: Path): void {
    const meant = didYouMean(name, names), hint = hintFor(name, names, meant);
    const where = path.length === 0 ? "" : ` in ${documentPathText(path)}`;
    const message = `Unknown field "${name}"${where}`;
    this.#report({ code: "unknown-field", message, hint, ...replacing(name, meant) }, [...path, name]);
  }

  #wrongType(path: Path, right: string): void {
    const which = path.length === 0 ? "The document" : documentPathText(path);
    this.#report({ code: "wrong-type", message: `${which} must be ${right}` }, path);
  }

  #report(problem: Omit<Diagnostic, "severity"> & Partial<Diagnostic>, path: Path): void {
    this.diagnostics.push(withPosition({ severity: "error", ...problem, path }, this.#start.locate));
  }
}

function isOfType(value: Json, type: "text" | "flag" | "number"): boolean {
  if (type === "text") return !isObject(value) && !isList(value);
  return type === "flag" ? typeof value === "boolean" : typeof value === "number";
}

function hintFor(name: string, names: readonly string[], meant: string | undefined): string {
  if (name === "true" || name === "false") {
    return `YAML 1.1 reads words such as ${
      truthWords[name]
    } as ${name}, keys too: quote what is meant as text`;
  }
  return meant === undefined ? `accepted fields: ${names.join(", ")}` : `did you mean "${meant}"?`;
}

/** The older spellings of a key that YAML 1.1 reads as a truth value. */
const truthWords = { true: "y, yes and on", false: "n, no and off" } as const;

const wanted = { text: "text", flag: "true or false", number: "a number" } as const;

function isListShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

/** The problem of a text that is none of those that its field may have. In another case it is read. */
function choiceProblems(node: Json, shape: ReadonlySet<string>, path: DocumentPath): Diagnostic[] {
  const text = isString(node) ? node : "", choices = [...shape];
  if (shape.has(text)) return [];
  const isRead = choices.some((choice) => choice.toLowerCase() === text.toLowerCase());
  return [{
    severity: isRead ? "warning" : "error",
    code: isRead ? "refused-by-api-server" : "unknown-value",
    message: `${path.findLast(isString)} cannot be ${JSON.stringify(node)}`,
    ...choosing(text, choices),
  }];
}

function nameOf(value: Json): string {
  if (value === null) return "null";
  return isList(value)
    ? "a list"
    : isObject(value)
    ? "an object"
    : `${typeof value} ${JSON.stringify(value)}`;
}
