import {
  Fault,
  goJson,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseJsonText,
} from "../json/mod.ts";
import { parseYaml } from "../yaml/mod.ts";
import { jsonKind, type JsonPatch, type PatchOperation, planJsonPatch } from "./json_patch.ts";

/**
 * Reads a JSON patch as policies write it: text with a YAML or JSON list, or the list itself; null is a patch without
 * operations.
 *
 * @returns the patch, or a fault in Kyverno's words
 *
 * ```ts
 * import { parseJsonPatch } from "./parse_json_patch.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const patch = parseJsonPatch("- {op: remove, path: /spec/containers/0}");
 * assert.ok(!isFault(patch));
 * assert.deepEqual(patch.apply({ spec: { containers: [1, 2] } }), { spec: { containers: [2] } });
 * ```
 */
export function parseJsonPatch(source: Json): JsonPatch | Fault {
  const written = typeof source === "string" ? readText(source) : source;
  if (isFault(written)) return written;
  if (written === null) return planJsonPatch([]);
  if (!isList(written)) return undecodable(`${cannotUnmarshal(written)} jsonpatch.Patch`);
  const operations: PatchOperation[] = [];
  for (const item of written) {
    const operation = readOperation(item);
    if (isFault(operation)) return operation;
    operations.push(operation);
  }
  return planJsonPatch(operations);
}

/**
 * Kyverno parity: Kyverno reads text that starts with a bracket as JSON, all other text as YAML. Pinned by
 * tests/patch/parse_json_patch_test.ts.
 */
function readText(text: string): Json | Fault {
  if (text === "") return undecodable("invalid state detected");
  if (!text.startsWith("[")) {
    const value = parseYaml(text);
    return isFault(value) ? new Fault(`failed to convert patchesJSON6902 to JSON: ${value.message}`) : value;
  }
  try {
    return parseJsonText(text);
  } catch {
    return undecodable("invalid state detected");
  }
}

function readOperation(item: Json): PatchOperation | Fault {
  if (item !== null && !isObject(item)) return undecodable(`${cannotUnmarshal(item)} jsonpatch.Operation`);
  const operation = item === null ? "unsupported operation" : operationOf(item);
  return typeof operation === "string"
    ? undecodable(`invalid operation ${goJson(item)}: ${operation}`)
    : operation;
}

/** Returns the operation, or a text that says why it is invalid. */
function operationOf(item: JsonObject): PatchOperation | string {
  const { op, path, from, value } = patchFields(item);
  switch (op) {
    case "add":
    case "replace": {
      if (value === undefined) {
        return "failed to decode 'value': operation, missing value field: missing value";
      }
      const target = textOf("path", path);
      return "wrong" in target ? target.wrong : { op, path: target.text, value };
    }
    case "move":
    case "copy": {
      const source = textOf("from", from), target = textOf("path", path);
      if ("wrong" in source) return source.wrong;
      return "wrong" in target ? target.wrong : { op, path: target.text, from: source.text };
    }
    case "remove": {
      const target = textOf("path", path);
      return "wrong" in target ? target.wrong : { op, path: target.text };
    }
    case "test": {
      const target = textOf("path", path);
      return "wrong" in target
        ? target.wrong
        : { op, path: target.text, ...(value === undefined ? {} : { value }) };
    }
    default:
      return "unsupported operation";
  }
}

/** Returns the fields by their names, without inherited properties. */
function patchFields(item: JsonObject): Readonly<Record<"op" | "path" | "from" | "value", Json | undefined>> {
  const fieldNamed = (name: string) => Object.hasOwn(item, name) ? item[name] : undefined;
  return {
    op: fieldNamed("op"),
    path: fieldNamed("path"),
    from: fieldNamed("from"),
    value: fieldNamed("value"),
  };
}

function textOf(name: "path" | "from", value: Json | undefined): { text: string } | { wrong: string } {
  if (typeof value === "string") return { text: value };
  const reason = value === undefined || value === null
    ? `operation${name === "from" ? "," : ""} missing ${name} field: missing value`
    : `json: cannot unmarshal ${jsonKind(value)} into Go value of type string`;
  return { wrong: `failed to decode '${name}': ${reason}` };
}

function cannotUnmarshal(value: Json): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go value of type`;
}

function undecodable(reason: string): Fault {
  return new Fault(`failed to decode patches: ${reason}`);
}
