import { equal, goJson, isList, isObject, type Json, type JsonObject, sortedKeys } from "../../json/mod.ts";
import type { Ignores } from "./ignored_fields.ts";

/** The depth to which objects are compared; the API server accepts none that nest deeper. */
const maxDepth = 200;

/**
 * The difference between an object and its signed manifest, in Kyverno's words; `undefined` when they are equal. A
 * field that only one of them has is a difference.
 */
export function differenceOf(manifest: JsonObject, object: JsonObject, ignores: Ignores): string | undefined {
  const before = new Map<string, Json>(), after = new Map<string, Json>();
  collect(manifest, before);
  collect(object, after);
  const items: Json[] = [];
  for (const key of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    if (ignores(key)) continue;
    const left = before.get(key) ?? null, right = after.get(key) ?? null;
    if (!equal(left, right)) items.push({ key, values: { after: right, before: left } });
  }
  return items.length === 0 ? undefined : goJson({ items });
}

/**
 * Collects the leaves of a value by their paths, with dots between keys and indexes. An empty object or list is not a
 * leaf.
 */
function collect(value: Json, leaves: Map<string, Json>, path: readonly string[] = []): void {
  if (path.length < maxDepth && isList(value)) {
    value.forEach((element, index) => collect(element, leaves, [...path, String(index)]));
  } else if (path.length < maxDepth && isObject(value)) {
    for (const name of sortedKeys(value)) collect(value[name]!, leaves, [...path, name]);
  } else {
    leaves.set(path.join("."), value);
  }
}
