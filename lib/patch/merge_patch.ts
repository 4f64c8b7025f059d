import { isObject, type Json, setField } from "../json/mod.ts";

/**
 * Applies a JSON merge patch (RFC 7386): objects merge, `null` removes, everything else replaces.
 * The target is never modified; it is returned itself when the patch changes nothing.
 *
 * ```ts
 * import { mergePatch } from "./merge_patch.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(mergePatch({ a: 1, b: 2 }, { b: null, c: { d: 3 } }), { a: 1, c: { d: 3 } });
 * ```
 */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const base = isObject(target) ? target : {};
  let merged: Record<string, Json> | undefined = base === target ? undefined : {};
  for (const key of Object.keys(patch)) {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    const value = patch[key]!;
    if (value === null) {
      if (before === undefined) continue;
      merged ??= { ...base };
      delete merged[key];
      continue;
    }
    const after = mergePatch(before ?? null, value);
    if (after === before) continue;
    merged ??= { ...base };
    setField(merged, key, after);
  }
  return merged ?? base;
}
