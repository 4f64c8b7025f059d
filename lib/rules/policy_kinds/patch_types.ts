import { type CelType, dynType, type Library, listType, objectType, stringType } from "../../cel/mod.ts";

/** `Object{…}` and `Object.spec{…}`: the parts of an object, with any fields. */
export const objectPatchType: CelType = partType("Object");

/** `JSONPatch{op, path, from, value}`. */
const jsonPatchType: CelType = objectType("JSONPatch", {
  op: stringType,
  path: stringType,
  from: stringType,
  value: dynType,
});

/** The type of an expression that returns a JSON patch. */
export const jsonPatchListType: CelType = listType(jsonPatchType);

function partType(name: string): CelType {
  return objectType(name, () => dynType);
}

/** The types that mutating policies construct. */
export const patchTypesLibrary: Library = {
  name: "patches",
  functions: [],
  structs: (name) => {
    if (name === "JSONPatch") return jsonPatchType;
    if (name === "Object") return objectPatchType;
    return name.startsWith("Object.") ? partType(name) : undefined;
  },
};
