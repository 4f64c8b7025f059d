import { Fault, isFault, isList, isObject, type Json, valueAtPath } from "../json/mod.ts";
import { type PatchOperation, planJsonPatch } from "./json_patch.ts";
import { pointerParts } from "./pointer_parts.ts";

/**
 * Applies a JSON patch as the API server does: `add` creates no parents, and `remove` needs an existing path. When a
 * `test` fails the document does not change.
 *
 * ```ts
 * import { applyStrictly } from "./strict_patch.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * assert(isFault(applyStrictly([{ op: "add", path: "/a/b", value: 1 }], {})));
 * assert.deepEqual(applyStrictly([{ op: "add", path: "/a", value: 1 }], {}), { a: 1 });
 * ```
 */
export function applyStrictly(operations: readonly PatchOperation[], document: Json): Json | Fault {
  let current = document;
  for (const operation of operations) {
    const missing = missingPath(operation, current);
    if (missing !== undefined) return missing;
    const next = planJsonPatch([operation]).apply(current);
    if (isFault(next)) return operation.op === "test" ? document : next;
    current = next;
  }
  return current;
}

function missingPath({ op, path }: PatchOperation, document: Json): Fault | undefined {
  if (op !== "add" && op !== "remove" || path === "") return undefined;
  const { parents, last } = pointerParts(path);
  const container = valueAtPath(document, parents);
  if (!isObject(container) && !isList(container)) {
    return new Fault(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
  }
  if (op === "add" || valueAtPath(container, [last]) !== undefined) return undefined;
  return new Fault(
    `error in remove for path: '${path}': Unable to remove nonexistent key: ${last}: missing value`,
  );
}
