import { parseApiVersion } from "../kube/mod.ts";

/*
 * The tables of this folder (made by tests/generators/merge_keys.ts) have kinds, `group/Kind` or
 * `group/version,version/Kind`, with the name of their type, and types: `field:form` for each field, where the form is
 *     Type            an object
 *     {Type}          a map of such objects
 *     Type[key,key]   a list of such objects that is merged by these keys, `[]` for scalars
 *     Type*           a list that is replaced as a whole
 */

/** The types of all kinds of a table, by the name of the kind. */
export type KindTypes<Type> = ReadonlyMap<string, readonly KindType<Type>[]>;

/**
 * The type of a kind in one group. `version` is empty when the type is that of all versions without an entry.
 */
interface KindType<Type> {
  readonly group: string;
  readonly version: string;
  readonly type: Type;
}

/** The form of a field. */
export interface FieldForm {
  readonly shape: "object" | "map" | "list";
  /** The name of the type of the object, of the map's values or of the list's elements; it may be empty. */
  readonly type: string;
  /** The keys by which a list is merged, none for lists of scalars; `undefined` for everything else. */
  readonly keys: readonly string[] | undefined;
}

/** Reads the fields of a type: `name:form` for each, with spaces between them. */
export function fieldsOf(written: string): (readonly [name: string, form: FieldForm])[] {
  return written.split(" ").map((field) => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon), parseForm(field.slice(colon + 1))];
  });
}

function parseForm(text: string): FieldForm {
  if (text.startsWith("{")) return { shape: "map", type: text.slice(1, -1), keys: undefined };
  if (text.endsWith("*")) return { shape: "list", type: text.slice(0, -1), keys: undefined };
  const bracket = text.indexOf("[");
  if (bracket < 0) return { shape: "object", type: text, keys: undefined };
  const keys = text.slice(bracket + 1, -1);
  return { shape: "list", type: text.slice(0, bracket), keys: keys === "" ? [] : keys.split(",") };
}

/**
 * Reads the kinds of each group, separated by spaces: `Kind:Type` for all versions without an entry, and
 * `version,version/Kind:Type` for some; `:Type` is left out where it has the name of the kind.
 */
export function readKinds<Type>(
  groups: Readonly<Record<string, string>>,
  types: ReadonlyMap<string, Type>,
): KindTypes<Type> {
  const found = new Map<string, KindType<Type>[]>();
  for (const [group, written] of Object.entries(groups)) {
    for (const entry of written.split(" ")) {
      const [path = "", name] = entry.split(":");
      const [kind = "", versions = ""] = path.split("/").reverse();
      const type = types.get(name ?? kind)!;
      const entries = versions.split(",").map((version) => ({ group, version, type }));
      found.set(kind, [...found.get(kind) ?? [], ...entries]);
    }
  }
  return found;
}

/** Returns the type of a kind. A version without an entry has the type of `group/Kind`, where there is one. */
export function typeOfKind<Type>(kinds: KindTypes<Type>, apiVersion: string, kind: string): Type | undefined {
  const named = kinds.get(kind);
  if (named === undefined) return undefined;
  const { group, version } = parseApiVersion(apiVersion);
  let general: Type | undefined;
  for (const each of named) {
    if (each.group !== group) continue;
    if (each.version === version) return each.type;
    if (each.version === "") general = each.type;
  }
  return general;
}
