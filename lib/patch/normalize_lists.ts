import { type Fault, isFault, isList, type Json, type JsonObject, setField } from "../json/mod.ts";
import { isDistinct } from "./identity.ts";
import { mergeKeyedList } from "./keyed_list.ts";
import type { MergeField } from "./merge_keys.ts";
import { elementOf } from "./merge_schema.ts";
import { uniteScalars } from "./scalar_list.ts";

/**
 * Removes repeated elements from the merging lists in a value, as a merge does with parts of the resource that the
 * patch does not mention. Returns the value itself when it has none.
 */
export function normalizeValue(value: Json, schema: MergeField): Json | Fault {
  if (typeof value !== "object" || value === null) return value;
  if (!isList(value)) return normalizeFields(value as JsonObject, schema, {});
  return schema.shape === "list" ? normalizeList(value, schema) : value;
}

/** Normalizes the fields of a map, except those that the patch mentions. */
export function normalizeFields(
  map: JsonObject,
  { shape, type }: MergeField,
  mentioned: JsonObject,
): JsonObject | Fault {
  if (type === undefined || shape === "list") return map;
  const fields = shape === "object"
    ? type.entries
    : Object.keys(map).map((name) => [name, type.whole] as const);
  let after: Record<string, Json> | undefined;
  for (const [name, field] of fields) {
    const value = map[name]; // No type has a field with the name of an inherited property.
    if (typeof value !== "object" || value === null || Object.hasOwn(mentioned, name)) continue;
    const normalized = normalizeValue(value, field);
    if (normalized === value) continue;
    if (isFault(normalized)) return normalized;
    setField(after ??= { ...map }, name, normalized);
  }
  return after ?? map;
}

function normalizeList(list: readonly Json[], schema: MergeField): readonly Json[] | Fault {
  const { keys } = schema, element = elementOf(schema);
  if (isDistinct(list, keys)) return element === undefined ? list : normalizeElements(list, element);
  if (keys.length === 0) return uniteScalars(list, []);
  const merged = mergeKeyedList({
    dest: list.map((value) => ({ value })),
    patch: [],
    keys,
    mergeElement(cell) {
      if (cell === undefined || element === undefined) return cell;
      const normalized = normalizeValue(cell.value, element);
      if (isFault(normalized)) return normalized;
      cell.value = normalized;
      return cell;
    },
  });
  return isFault(merged) ? merged : merged.map(({ value }) => value);
}

function normalizeElements(list: readonly Json[], schema: MergeField): readonly Json[] | Fault {
  let after: Json[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const normalized = normalizeValue(list[index]!, schema);
    if (isFault(normalized)) return normalized;
    if (normalized !== list[index]) (after ??= [...list])[index] = normalized;
  }
  return after ?? list;
}
