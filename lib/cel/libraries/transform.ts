import { failure } from "../fault.ts";
import { dynType, listType, mapType, stringType } from "../types/mod.ts";
import { CelMap, costSize, isMapValue, mapGet, type Value } from "../values/mod.ts";
import { type Library, type Overload, overload, type Result } from "./library.ts";

interface Fields {
  readonly key: string;
  readonly value: string;
}

/** A map from the keys in one list's objects to the values at the same index in the other's. */
function merge(keys: readonly Value[], values: readonly Value[], fields: Fields): Result {
  if (keys.length !== values.length) {
    const sizes = `list1: ${keys.length}, list2: ${values.length}`;
    return failure(`listObjToMap must take lists of equal length. ${sizes}`);
  }
  const map = new CelMap();
  for (const [index, entry] of keys.entries()) {
    const other = values[index]!;
    if (!isMapValue(entry) || !isMapValue(other)) return failure("listObjToMap takes lists of objects");
    const key = mapGet(entry, fields.key);
    if (typeof key !== "string") {
      return failure("the passed key name cannot be handled as a string in the key object list");
    }
    map.set(key, mapGet(other, fields.value) ?? null);
  }
  return map;
}

const overloads: readonly Overload[] = [
  overload({
    id: "list_of_object_to_map",
    takes: [listType(dynType), listType(dynType), stringType, stringType],
    gives: mapType(dynType, dynType),
    effort: ([keys]) => 250 * costSize(keys),
    call: (keys, values, key, value) => merge(keys, values, { key, value }),
  }),
];

/** `transform.listObjToMap(keys, values, keyField, valueField)`, also without `transform.`. */
export const transformLibrary: Library = {
  name: "kyverno.transform",
  functions: [{ name: "listObjToMap", overloads }, { name: "transform.listObjToMap", overloads }],
};
