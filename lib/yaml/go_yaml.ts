import { goFloat, isList, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { compareKeys } from "./key_order.ts";
import { scalarText } from "./scalar_text.ts";

/** How the block collections of a text are indented. */
interface Layout {
  /** How much deeper than its key a list stands. */
  readonly listIndent: number;
}

/**
 * Prints a value as Go's yaml.v3 does with an indentation of two: the same key order and quotes, literal blocks for
 * texts of several lines, no folding. Kyverno prints its message about a denied request this way.
 *
 * ```ts
 * import { goYaml } from "./go_yaml.ts";
 * import assert from "node:assert/strict";
 * assert.equal(goYaml({ policy: { "rule: 1": "it's on" } }), "policy:\n  'rule: 1': it's on\n");
 * ```
 */
export function goYaml(value: Json): string {
  return writeDocument(value, { listIndent: 2 });
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
  return writeDocument(value, { listIndent: 0 });
}

function writeDocument(value: Json, layout: Layout): string {
  return isCollection(value) ? writeBlock(value, 0, layout) : writeLine(value, 2);
}

/** Whether a value is written in several lines: a map or list that is not empty. */
function isCollection(value: Json): value is JsonObject | readonly Json[] {
  return isList(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}

/** A map or list from the column `indent` on; the first line is not indented. */
function writeBlock(value: JsonObject | readonly Json[], indent: number, layout: Layout): string {
  const pad = " ".repeat(indent);
  if (isList(value)) {
    return value.map((element) =>
      isCollection(element)
        ? `- ${writeBlock(element, indent + 2, layout)}`
        : `- ${writeLine(element, indent + 2)}`
    ).join(pad);
  }
  const map = value as JsonObject;
  return Object.keys(map).sort(compareKeys).map((key) => writeEntry(key, map[key]!, { indent, layout })).join(
    pad,
  );
}

function writeEntry(key: string, value: Json, place: { indent: number; layout: Layout }): string {
  const { indent, layout } = place;
  if (!isSimpleKey(key)) {
    const written = isCollection(value)
      ? writeBlock(value, indent + 2, layout)
      : writeLine(value, indent + 2);
    return `? ${writeLine(key, indent + 2)}${" ".repeat(indent)}: ${written}`;
  }
  const name = scalarText(key, "key", 0);
  if (!isCollection(value)) return `${name}: ${writeLine(value, indent + 2)}`;
  const deeper = indent + (isList(value) ? layout.listIndent : 2);
  return `${name}:\n${" ".repeat(deeper)}${writeBlock(value, deeper, layout)}`;
}

/** Keys of several lines, or of more than 128 bytes, need the long form `? key`. */
function isSimpleKey(key: string): boolean {
  return !/[\n\r\u0085]/.test(key) &&
    (key.length <= 42 || new TextEncoder().encode(key).length <= 128);
}

/** A scalar or an empty collection to the end of its line, or of its block. */
function writeLine(value: Json, indent: number): string {
  const text = inlineText(value, indent);
  return text.endsWith("\n") ? text : `${text}\n`;
}

function inlineText(value: Json, indent: number): string {
  if (typeof value === "string") return scalarText(value, "value", indent);
  if (isList(value)) return "[]";
  if (isObject(value)) return "{}";
  return typeof value === "number" && !Number.isSafeInteger(value) ? goFloat(value) : String(value);
}
