import table from "./merge_keys.json" with { type: "json" };

/**
 * The lists of a type that a strategic merge patch merges, and the fields that lead to some.
 * Lists that are not here are replaced whole.
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
  /** For a list, the keys by which elements are the same; none for lists of scalars. */
  readonly keys: readonly string[];
  /** The fields of the object, of the map's values or of the list's elements that are merging lists or hold some. */
  readonly type: MergeType | undefined;
}

/*
 * The table (made by tests/generators/merge_keys.ts) has types, whose fields are written
 *     Type            an object
 *     {Type}          a map of such objects
 *     Type[key,key]   a list merged by these keys, `[key]` when nothing below its elements merges, `[]` for scalars
 * and kinds, `group/Kind`, or `group/version/Kind` where a version differs from the most stable one.
 */
const written: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(Object.entries(table.types));
const kinds: ReadonlyMap<string, string> = new Map(Object.entries(table.kinds));
const types = new Map<string, MergeType>();

/**
 * Where lists merge in a built-in kind; `undefined` for custom resources and for kinds without such lists.
 * A version that Kubernetes no longer has is taken as the kind's present one.
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
  // A resource goes through many patches in a row.
  if (latest?.apiVersion !== apiVersion || latest.kind !== kind) {
    latest = { apiVersion, kind, type: findType(apiVersion, kind) };
  }
  return latest.type;
}

let latest: { apiVersion: string; kind: string; type: MergeType | undefined } | undefined;

function findType(apiVersion: string, kind: string): MergeType | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const name = kinds.get(`${group}/${version}/${kind}`) ?? kinds.get(`${group}/${kind}`);
  return name === undefined ? undefined : typeNamed(name);
}

function typeNamed(name: string): MergeType {
  const existing = types.get(name);
  if (existing !== undefined) return existing;
  const fields = new Map<string, MergeField>(), entries: [string, MergeField][] = [];
  const whole: Writable<MergeField> = { shape: "object", keys: [], type: undefined };
  const type: MergeType = whole.type = { fields, entries, whole };
  types.set(name, type); // Before its fields: types may lead back to themselves.
  for (const [field, text] of Object.entries(written.get(name)!)) entries.push([field, parseField(text)]);
  for (const [field, place] of entries) fields.set(field, place);
  return type;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function parseField(text: string): MergeField {
  if (text.startsWith("{")) return { shape: "map", keys: [], type: typeNamed(text.slice(1, -1)) };
  const bracket = text.indexOf("[");
  if (bracket < 0) return { shape: "object", keys: [], type: typeNamed(text) };
  const keys = text.slice(bracket + 1, -1);
  return {
    shape: "list",
    keys: keys === "" ? [] : keys.split(","),
    type: bracket === 0 ? undefined : typeNamed(text.slice(0, bracket)),
  };
}
