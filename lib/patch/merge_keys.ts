import { fieldsOf, readKinds, typeOfKind } from "./kind_types.ts";
import table from "./merge_keys.json" with { type: "json" };

/**
 * The fields of a type that are merging lists or hold some. A strategic merge patch replaces all other lists as
 * a whole.
 */
export interface MergeType {
  readonly fields: ReadonlyMap<string, MergeField>;
  /** The same fields as a list, to iterate over. */
  readonly entries: readonly (readonly [name: string, field: MergeField])[];
  /** A field that holds an object of this type. It is one object for each type, so that fields compare by identity. */
  readonly whole: MergeField;
}

/** A field of a {@link MergeType}. */
export interface MergeField {
  readonly shape: "object" | "map" | "list";
  /** For a list, the keys that identify its elements; none for lists of scalars. */
  readonly keys: readonly string[];
  /**
   * The type of the object, of the map's values or of the list's elements; `undefined` when they hold no
   * merging lists.
   */
  readonly type: MergeType | undefined;
}

/*
 * The table (made by tests/generators/merge_keys.ts) has types: `field:form` for each field, where the form is
 *     Type            an object
 *     {Type}          a map of such objects
 *     Type[key,key]   a list merged by these keys, `[key]` when nothing below its elements merges, `[]` for scalars
 * and kinds, as kind_types.ts reads them.
 */
const types = readTypes(table.types);
const byKind = readKinds(table.kinds, types);

/**
 * Returns where lists merge in a built-in kind; `undefined` for custom resources and for kinds without such
 * lists. A version that Kubernetes no longer has counts as the kind's present one.
 *
 * Source: the x-kubernetes-patch-strategy, -patch-merge-key and -list-map-keys of the Kubernetes API.
 *
 * ```ts
 * import { mergeTypeOf } from "./merge_keys.ts";
 * import assert from "node:assert/strict";
 * const spec = mergeTypeOf("v1", "Service")?.fields.get("spec")?.type;
 * assert.deepEqual(spec?.fields.get("ports")?.keys, ["port", "protocol"]);
 * assert.equal(mergeTypeOf("example.com/v1", "Service"), undefined);
 * ```
 */
export function mergeTypeOf(apiVersion: string, kind: string): MergeType | undefined {
  return typeOfKind(byKind, apiVersion, kind);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function readTypes(
  written: Readonly<Record<string, string>>,
): Map<string, MergeType> {
  const read = new Map<
    string,
    MergeType & { fields: Map<string, MergeField>; entries: [string, MergeField][] }
  >();
  // All types are made before their fields are read, because a type may contain itself.
  for (const name of Object.keys(written)) {
    const whole: Writable<MergeField> = { shape: "object", keys: [], type: undefined };
    read.set(name, whole.type = { fields: new Map(), entries: [], whole });
  }
  for (const [name, { fields, entries }] of read) {
    for (const [field, text] of fieldsOf(written[name]!)) {
      const type = parseField(text, read);
      fields.set(field, type);
      entries.push([field, type]);
    }
  }
  return read;
}

function parseField(text: string, types: ReadonlyMap<string, MergeType>): MergeField {
  if (text.startsWith("{")) return { shape: "map", keys: [], type: types.get(text.slice(1, -1)) };
  const bracket = text.indexOf("[");
  if (bracket < 0) return { shape: "object", keys: [], type: types.get(text) };
  const keys = text.slice(bracket + 1, -1);
  return {
    shape: "list",
    keys: keys === "" ? [] : keys.split(","),
    type: bracket === 0 ? undefined : types.get(text.slice(0, bracket)),
  };
}
