import table from "./apply_types.json" with { type: "json" };
import { fieldsOf, readKinds, typeOfKind } from "./kind_types.ts";

/**
 * How server-side apply merges a value. A value without a type is a list that is replaced as a whole, a struct or map
 * that merges, or a scalar.
 */
export type ApplyType = StructType | MapType | ListType;

/** An object with declared fields. */
export interface StructType {
  readonly shape: "struct";
  /** Whether it is replaced as a whole. */
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, ApplyType>;
}

/** An object with any keys. */
export interface MapType {
  readonly shape: "map";
  readonly values: ApplyType | undefined;
}

/** A list. */
export interface ListType {
  readonly shape: "list";
  /** The keys that identify its elements, none for a set; `undefined` when the list is replaced as a whole. */
  readonly keys: readonly string[] | undefined;
  readonly elements: ApplyType | undefined;
}

/*
 * The table (made by tests/generators/merge_keys.ts) has types: `field:form` for each field, where the form is
 *     Type            a struct, which is empty when nothing below it needs a type
 *     {Type}          a map of such structs, `{}` of anything
 *     Type[key,key]   a list merged by these keys, `[]` for a set
 *     Type*           a list that is replaced as a whole
 * with `!` before a Type that is replaced as a whole, and kinds, as kind_types.ts reads them.
 */
const types = /* @__PURE__ */ readTypes(table.types);
const byKind = /* @__PURE__ */ readKinds(table.kinds, types);

/**
 * Returns how server-side apply merges objects of a built-in kind; `undefined` for custom resources.
 *
 * Source: the x-kubernetes-list-type, -list-map-keys, -map-type and -patch-strategy of the Kubernetes API.
 *
 * ```ts
 * import { applyTypeOf } from "./apply_types.ts";
 * import assert from "node:assert/strict";
 * const pod = applyTypeOf("v1", "Pod");
 * const spec = pod?.fields.get("spec");
 * assert(spec?.shape === "struct");
 * assert.deepEqual(spec.fields.get("nodeSelector"), { shape: "struct", isAtomic: true, fields: new Map() });
 * assert.equal(applyTypeOf("example.com/v1", "Pod"), undefined);
 * ```
 */
export function applyTypeOf(apiVersion: string, kind: string): StructType | undefined {
  return typeOfKind(byKind, apiVersion, kind);
}

function readTypes(
  written: Readonly<Record<string, string>>,
): ReadonlyMap<string, StructType> {
  const fields = new Map<string, Map<string, ApplyType>>();
  // All types are made before their fields are read, because a type may contain itself.
  for (const name of Object.keys(written)) fields.set(name, new Map());
  const read = new Map<string, StructType>();
  for (const [name, ofType] of fields) {
    read.set(name, { shape: "struct", isAtomic: false, fields: ofType });
    for (const [field, text] of fieldsOf(written[name]!)) ofType.set(field, parseField(text, fields));
  }
  return read;
}

function parseField(text: string, types: ReadonlyMap<string, StructType["fields"]>): ApplyType {
  if (text.startsWith("{")) return { shape: "map", values: parseStruct(text.slice(1, -1), types) };
  if (text.endsWith("*")) {
    return { shape: "list", keys: undefined, elements: parseStruct(text.slice(0, -1), types) };
  }
  const bracket = text.indexOf("[");
  if (bracket < 0) return parseStruct(text, types)!;
  const keys = text.slice(bracket + 1, -1);
  const elements = parseStruct(text.slice(0, bracket), types);
  return { shape: "list", keys: keys === "" ? [] : keys.split(","), elements };
}

function parseStruct(text: string, types: ReadonlyMap<string, StructType["fields"]>): StructType | undefined {
  if (text === "") return undefined;
  const isAtomic = text.startsWith("!");
  return { shape: "struct", isAtomic, fields: types.get(isAtomic ? text.slice(1) : text) ?? new Map() };
}
