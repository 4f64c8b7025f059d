import { goFloat, isList, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { compareKeys } from "./key_order.ts";
import { type BlockLines, scalarText } from "./scalar_text.ts";

/** How the block collections of a text are indented. */
interface Layout {
  /** The contents of a map are indented to the next multiple of this column. */
  readonly step: number;
  /** Whether a list in a map has more indentation than its key. */
  readonly indentsLists: boolean;
}

/**
 * Prints a value as Go's yaml.v3 does: the same key order and quotes, literal blocks for texts of several
 * lines, no folding. Kyverno prints its message about a denied request with an indentation of two, and objects
 * on its command line with one of four, the default of yaml.v3.
 *
 * ```ts
 * import { goYaml } from "./go_yaml.ts";
 * import assert from "node:assert/strict";
 * assert.equal(goYaml({ policy: { "rule: 1": "it's on" } }), "policy:\n  'rule: 1': it's on\n");
 * assert.equal(goYaml({ a: [{ b: { c: 1 } }] }, 4), "a:\n    - b:\n        c: 1\n");
 * ```
 */
export function goYaml(value: Json, step: 2 | 4 = 2): string {
  return writeDocument(value, { step, indentsLists: true });
}

/**
 * Prints a value as `kubectl` does: like {@link goYaml}, but a list has the indentation of its key.
 *
 * ```ts
 * import { toYaml } from "./go_yaml.ts";
 * import assert from "node:assert/strict";
 * assert.equal(toYaml({ b: ["on", 1.5], a: {} }), 'a: {}\nb:\n- "on"\n- 1.5\n');
 * ```
 */
export function toYaml(value: Json): string {
  return writeDocument(value, { step: 2, indentsLists: false });
}

function writeDocument(value: Json, layout: Layout): string {
  return isCollection(value)
    ? writeBlock(value, 0, layout)
    : writeLine(value, { column: layout.step, beyondParent: layout.step });
}

/** Whether a value is written in several lines: a map or list that is not empty. */
function isCollection(value: Json): value is JsonObject | readonly Json[] {
  return isList(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}

/** Writes a map or list from the column `indent` on, without indenting the first line. */
function writeBlock(value: JsonObject | readonly Json[], indent: number, layout: Layout): string {
  const pad = " ".repeat(indent);
  if (isList(value)) return value.map((element) => writeElement(element, indent, layout)).join(pad);
  const map = value as JsonObject, keys = Object.keys(map), position = { indent, layout };
  if (keys.length > 1) keys.sort(compareKeys);
  let text = "";
  for (const key of keys) text += (text === "" ? "" : pad) + writeEntry(key, map[key]!, position);
  return text;
}

/** Writes an element behind its dash, whatever the step is. */
function writeElement(element: Json, indent: number, layout: Layout): string {
  return isCollection(element)
    ? `- ${writeBlock(element, indent + 2, layout)}`
    : `- ${writeLine(element, { column: indent + 2, beyondParent: 2 })}`;
}

function writeEntry(key: string, value: Json, options: { indent: number; layout: Layout }): string {
  const { indent, layout } = options;
  if (!isSimpleKey(key)) {
    const beside = { column: indent + 2, beyondParent: 2 };
    const written = isCollection(value) ? writeBlock(value, indent + 2, layout) : writeLine(value, beside);
    return `? ${writeLine(key, beside)}${" ".repeat(indent)}: ${written}`;
  }
  const inner = layout.step * Math.floor((indent + layout.step) / layout.step);
  const name = scalarText(key, "key", { column: inner, beyondParent: inner - indent });
  if (!isCollection(value)) {
    return `${name}: ${writeLine(value, { column: inner, beyondParent: inner - indent })}`;
  }
  const column = isList(value) && !layout.indentsLists ? indent : inner;
  return `${name}:\n${" ".repeat(column)}${writeBlock(value, column, layout)}`;
}

/** Keys of several lines, or of more than 128 bytes, need the long form `? key`. */
function isSimpleKey(key: string): boolean {
  return !/[\n\r\u0085]/.test(key) &&
    (key.length <= 42 || new TextEncoder().encode(key).length <= 128);
}

/** Writes a scalar or an empty collection up to the end of its line or block. */
function writeLine(value: Json, lines: BlockLines): string {
  const text = inlineText(value, lines);
  return text.endsWith("\n") ? text : `${text}\n`;
}

function inlineText(value: Json, lines: BlockLines): string {
  if (typeof value === "string") return scalarText(value, "value", lines);
  if (isList(value)) return "[]";
  if (isObject(value)) return "{}";
  if (typeof value !== "number" || Number.isSafeInteger(value)) return String(value);
  return Number.isInteger(value) && isInt64(value) ? String(BigInt(value)) : goFloat(value);
}

/**
 * Whether Go holds a whole number in 64 bits. It writes such a number with all its digits, and the API server takes no
 * other form of it.
 */
function isInt64(value: number): boolean {
  return value >= -(2 ** 63) && value < 2 ** 63;
}
