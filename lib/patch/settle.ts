import { type Fault, isFault, isList, type Json, type JsonObject, setField } from "../json/mod.ts";
import { isDistinct } from "./identity.ts";
import { mergeKeyedList } from "./keyed_list.ts";
import type { MergeField } from "./merge_keys.ts";
import { elementOf } from "./merge_schema.ts";
import { uniteScalars } from "./scalar_list.ts";

/**
 * What merging does to a part of the resource that the patch does not mention: repeated elements go. The value itself
 * when there is nothing to settle.
 */
export function settleValue(value: Json, schema: MergeField): Json | Fault {
  if (typeof value !== "object" || value === null) return value;
  if (!isList(value)) return settleFields(value as JsonObject, schema, {});
  return schema.shape === "list" ? settleList(value, schema) : value;
}

/** Settles the fields of a map, except for those that the patch mentions. */
export function settleFields(
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
    const value = map[name]; // Objects inherit nothing of the names that types have.
    if (typeof value !== "object" || value === null || Object.hasOwn(mentioned, name)) continue;
    const settled = settleValue(value, field);
    if (settled === value) continue;
    if (isFault(settled)) return settled;
    setField(after ??= { ...map }, name, settled);
  }
  return after ?? map;
}

function settleList(list: readonly Json[], schema: MergeField): readonly Json[] | Fault {
  const { keys } = schema, element = elementOf(schema);
  if (isDistinct(list, keys)) return element === undefined ? list : settleElements(list, element);
  if (keys.length === 0) return uniteScalars(list, []);
  const merged = mergeKeyedList({
    dest: list.map((value) => ({ value })),
    patch: [],
    keys,
    mergeElement(cell) {
      if (cell === undefined || element === undefined) return cell;
      const settled = settleValue(cell.value, element);
      if (isFault(settled)) return settled;
      cell.value = settled;
      return cell;
    },
  });
  return isFault(merged) ? merged : merged.map(({ value }) => value);
}

function settleElements(list: readonly Json[], schema: MergeField): readonly Json[] | Fault {
  let after: Json[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const settled = settleValue(list[index]!, schema);
    if (isFault(settled)) return settled;
    if (settled !== list[index]) (after ??= [...list])[index] = settled;
  }
  return after ?? list;
}
