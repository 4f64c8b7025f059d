import { type Diagnostic, didYouMean, type Locate, replacing, withPosition } from "../diagnostics/mod.ts";
import { documentPathText, isList, isObject, type Json } from "../json/mod.ts";
import type { Shape } from "./shape.ts";

/** Compares a value with its shape. Unknown fields and wrong types become diagnostics with their position. */
export function checkShape(
  value: Json,
  shape: Shape,
  start: { path: (string | number)[]; locate: Locate },
): Diagnostic[] {
  const found: Diagnostic[] = [];
  walk(value, shape, start.path);
  return found;

  function walk(node: Json, expected: Shape, path: (string | number)[]): void {
    if (node === null || expected === "open") return;
    if (typeof expected === "string") return checkScalar(node, expected, path);
    if (isListShape(expected)) {
      // A scalar in place of a list is read as a list of one: older policies have `clusterroles: cluster-admin`.
      if (isList(node)) node.forEach((item, index) => walk(item, expected[0], [...path, index]));
      else if (typeof expected[0] !== "string") wrongType(path, "a list");
      return;
    }
    if (!isObject(node)) return wrongType(path, `an object, not ${nameOf(node)}`);
    for (const [name, child] of Object.entries(node)) {
      if (Object.hasOwn(expected, name)) walk(child, expected[name]!, [...path, name]);
      else unknown(name, Object.keys(expected), path);
    }
  }

  function checkScalar(node: Json, expected: "text" | "flag" | "number", path: (string | number)[]): void {
    const right = expected === "flag"
      ? typeof node === "boolean"
      : expected === "number"
      ? typeof node === "number"
      : !isObject(node) && !isList(node);
    if (!right) wrongType(path, `${wanted[expected]}, not ${nameOf(node)}`);
  }

  function unknown(name: string, names: string[], path: (string | number)[]): void {
    const meant = didYouMean(name, names);
    const hint = name === "true" || name === "false"
      ? `YAML 1.1 reads words such as ${truthWords[name]} as ${name}, keys too: quote what is meant as text`
      : meant === undefined
      ? `accepted fields: ${names.join(", ")}`
      : `did you mean "${meant}"?`;
    const where = path.length === 0 ? "" : ` in ${documentPathText(path)}`;
    const message = `Unknown field "${name}"${where}`;
    report({ code: "unknown-field", message, hint, ...replacing(name, meant) }, [...path, name]);
  }

  function wrongType(path: (string | number)[], right: string): void {
    report({ code: "wrong-type", message: `${documentPathText(path)} must be ${right}` }, path);
  }

  function report(problem: Omit<Diagnostic, "severity">, path: (string | number)[]): void {
    found.push(withPosition({ severity: "error", ...problem, path }, start.locate));
  }
}

/** The older spellings of a key that YAML 1.1 reads as a truth value. */
const truthWords = { true: "y, yes and on", false: "n, no and off" } as const;

const wanted = { text: "text", flag: "true or false", number: "a number" } as const;

function isListShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function nameOf(value: Json): string {
  if (value === null) return "null";
  return isList(value)
    ? "a list"
    : isObject(value)
    ? "an object"
    : `${typeof value} ${JSON.stringify(value)}`;
}
