import table from "./apply_types.json" with { type: "json" };
import { type FieldForm, fieldsOf, readKinds, typeOfKind } from "./kind_types.ts";

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

/** Returns how server-side apply merges objects of a kind. Of a custom resource only the metadata has a type. */
export type ApplyTypes = (apiVersion: string, kind: string) => StructType;

/**
 * Reads how server-side apply merges the built-in kinds. The result takes 90 KB, and few policies need it: make it when
 * the first of them is compiled, and share it.
 *
 * Source: the x-kubernetes-list-type, -list-map-keys, -map-type and -patch-strategy of the Kubernetes API.
 *
 * ```ts
 * import { readApplyTypes } from "./apply_types.ts";
 * import assert from "node:assert/strict";
 * const applyTypeOf = readApplyTypes();
 * const pod = applyTypeOf("v1", "Pod");
 * const spec = pod.fields.get("spec");
 * assert(spec?.shape === "struct");
 * assert.deepEqual(spec.fields.get("nodeSelector"), { shape: "struct", isAtomic: true, fields: new Map() });
 * assert.deepEqual([...applyTypeOf("example.com/v1", "Pod").fields.keys()], ["metadata"]);
 * ```
 */
export function readApplyTypes(): ApplyTypes {
  const kinds = readKinds(table.kinds, readTypes(table.types));
  const metadata = typeOfKind(kinds, "v1", "ConfigMap")!.fields.get("metadata")!;
  const customResource: StructType = {
    shape: "struct",
    isAtomic: false,
    fields: new Map([["metadata", metadata]]),
  };
  return (apiVersion, kind) => typeOfKind(kinds, apiVersion, kind) ?? customResource;
}

/** Reads the types of the table, which kind_types.ts describes. `!` before a Type: it is replaced as a whole. */
function readTypes(written: Readonly<Record<string, string>>): ReadonlyMap<string, StructType> {
  const fields = new Map<string, Map<string, ApplyType>>();
  // All types are made before their fields are read, because a type may contain itself.
  for (const name of Object.keys(written)) fields.set(name, new Map());
  const read = new Map<string, StructType>();
  for (const [name, ofType] of fields) {
    read.set(name, { shape: "struct", isAtomic: false, fields: ofType });
    for (const [field, form] of fieldsOf(written[name]!)) ofType.set(field, typeOfForm(form, fields));
  }
  return read;
}

function typeOfForm(
  { shape, type, keys }: FieldForm,
  fields: ReadonlyMap<string, StructType["fields"]>,
): ApplyType {
  const struct = type === "" ? undefined : structOf(type, fields);
  if (shape === "map") return { shape, values: struct };
  return shape === "list" ? { shape, keys, elements: struct } : struct!;
}

function structOf(name: string, fields: ReadonlyMap<string, StructType["fields"]>): StructType {
  const isAtomic = name.startsWith("!");
  return { shape: "struct", isAtomic, fields: fields.get(isAtomic ? name.slice(1) : name) ?? new Map() };
}
