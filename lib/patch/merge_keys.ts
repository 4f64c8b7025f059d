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

// kind_types.ts describes the table. Below the elements of a list without a Type, `[key]`, nothing merges.
const types = readTypes(table.types);
const byKind = readKinds(table.kinds, types);

/**
 * Returns where lists merge in a built-in kind; `undefined` for custom resources and for kinds without such
 * lists.
 *
 * Kyverno parity: the x-kubernetes-patch-strategy, -patch-merge-key and -list-map-keys of Kubernetes 1.21.2, with which
 * Kyverno merges in every cluster. Lists, kinds and versions that are newer or older are replaced as in a custom
 * resource: `schedulingGates`, `autoscaling/v2`. Pinned by "lists, kinds and versions that Kubernetes 1.21 does not
 * have do not merge".
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
    for (const [field, { shape, type, keys = [] }] of fieldsOf(written[name]!)) {
      const merged = { shape, keys, type: read.get(type) };
      fields.set(field, merged);
      entries.push([field, merged]);
    }
  }
  return read;
}
