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

/** Reads the fields of a type: `name:form` for each, with spaces between them. */
export function fieldsOf(written: string): (readonly [name: string, form: string])[] {
  return written.split(" ").map((field) => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon), field.slice(colon + 1)];
  });
}

/** Reads kinds, `group/Kind` or `group/version/Kind` where a version differs from the most stable one. */
export function readKinds<Type>(
  kinds: Readonly<Record<string, string>>,
  types: ReadonlyMap<string, Type>,
): KindTypes<Type> {
  const found = new Map<string, KindType<Type>[]>();
  for (const [written, name] of Object.entries(kinds)) {
    const [group = "", ...rest] = written.split("/");
    const kind = rest.pop()!;
    const type = { group, version: rest[0] ?? "", type: types.get(name)! };
    found.set(kind, [...found.get(kind) ?? [], type]);
  }
  return found;
}

/** Returns the type of a kind. A version without an entry has the type of the most stable one. */
export function typeOfKind<Type>(kinds: KindTypes<Type>, apiVersion: string, kind: string): Type | undefined {
  const named = kinds.get(kind);
  if (named === undefined) return undefined;
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  let general: Type | undefined;
  for (const each of named) {
    if (each.group !== group) continue;
    if (each.version === version) return each.type;
    if (each.version === "") general = each.type;
  }
  return general;
}
