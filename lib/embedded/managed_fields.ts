import {
  asList,
  asObject,
  dig,
  equal,
  field,
  formatPointer,
  isObject,
  type Json,
  type JsonObject,
  parsePointer,
  setField,
  textField,
} from "../json/mod.ts";

/** The fields of one manager: an entry of `metadata.managedFields`, with its fields as JSON pointers. */
export interface Ownership {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly time: string;
  readonly fields: ReadonlySet<string>;
}

/** Fields of metadata that no write changes after the creation: only the server sets them. */
export const serverFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "generation",
  "resourceVersion",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];

/** The fields of metadata that no manager owns: those that the server sets, and those that name the object. */
const unowned = new Set([
  "/apiVersion",
  "/kind",
  ...[...serverFields, "generateName", "managedFields", "selfLink"].map((name) => `/metadata/${name}`),
]);

/** The JSON pointers of an object's leaves that managers can own. A list is one leaf. */
export function ownableFields(object: Json): Set<string> {
  const found = new Set<string>();
  const walk = (value: Json, path: readonly string[]) => {
    const pointer = formatPointer(path);
    if (unowned.has(pointer)) return;
    if (isObject(value) && (Object.keys(value).length > 0 || path.length === 0)) {
      for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
    } else if (pointer !== "/metadata") found.add(pointer);
  };
  walk(object, []);
  return found;
}

/** Parses `metadata.managedFields`. Keys and values of lists in it stand for the whole list. */
export function ownershipsOf(object: Json): Ownership[] {
  return asList(dig(object, "metadata", "managedFields")).map((entry) => ({
    manager: textField(entry, "manager"),
    operation: field(entry, "operation") === "Apply" ? "Apply" : "Update",
    apiVersion: textField(entry, "apiVersion"),
    time: textField(entry, "time"),
    fields: readFields(field(entry, "fieldsV1")),
  }));
}

function readFields(fieldsV1: Json | undefined): Set<string> {
  const found = new Set<string>();
  const walk = (node: JsonObject, path: readonly string[]) => {
    const names = Object.keys(node).filter((key) => key.startsWith("f:"));
    if (path.length > 0 && names.length === 0) found.add(formatPointer(path));
    for (const key of names) walk(asObject(node[key]) ?? {}, [...path, key.slice(2)]);
  };
  walk(asObject(fieldsV1) ?? {}, []);
  return found;
}

function writeFields(fields: ReadonlySet<string>): JsonObject {
  const root: { [name: string]: Json } = {};
  for (const pointer of [...fields].sort()) {
    let node: { [name: string]: Json } = root;
    for (const name of parsePointer(pointer)) {
      const key = `f:${name}`;
      const next: { [name: string]: Json } = {
        ...asObject(Object.hasOwn(node, key) ? node[key] : undefined),
      };
      setField(node, key, next);
      node = next;
    }
  }
  return root;
}

/** The object with these entries as `metadata.managedFields`, without entries that have no fields. */
export function withOwnerships(object: JsonObject, ownerships: readonly Ownership[]): JsonObject {
  const entries = ownerships.filter(({ fields }) => fields.size > 0).map((each) => ({
    manager: each.manager,
    operation: each.operation,
    apiVersion: each.apiVersion,
    time: each.time,
    fieldsType: "FieldsV1",
    fieldsV1: writeFields(each.fields),
  }));
  const { managedFields: _former, ...metadata } = asObject(object["metadata"]) ?? {};
  return { ...object, metadata: { ...metadata, ...(entries.length > 0 ? { managedFields: entries } : {}) } };
}

/** Whether two pointers are equal, or one is inside the other. */
export function overlaps(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`);
}

/** The entries after a manager took over fields: no other entry has them. */
export function takenOver(
  ownerships: readonly Ownership[],
  by: Ownership,
  options: { readonly addsToFormer: boolean },
): Ownership[] {
  const others: Ownership[] = [];
  let former: ReadonlySet<string> = new Set();
  for (const each of ownerships) {
    if (each.manager === by.manager && each.operation === by.operation) former = each.fields;
    else {
      const kept = [...each.fields].filter((pointer) =>
        ![...by.fields].some((owned) => overlaps(pointer, owned))
      );
      others.push({ ...each, fields: new Set(kept) });
    }
  }
  const fields = options.addsToFormer ? new Set([...former, ...by.fields]) : by.fields;
  return [...others, { ...by, fields }];
}

/**
 * The object after a write other than an apply: the writer owns the changed fields, and nobody owns removed ones.
 * `before` is `undefined` for a new object.
 */
export function tracked(
  before: Json | undefined,
  after: JsonObject,
  by: Omit<Ownership, "fields">,
): JsonObject {
  const present = ownableFields(after);
  const changed = [...present].filter((pointer) => {
    if (before === undefined) return true;
    const path = parsePointer(pointer);
    const old = dig(before, ...path), now = dig(after, ...path);
    return old === undefined || now === undefined || !equal(old, now);
  });
  const former = ownershipsOf(before ?? null).map((each) => ({
    ...each,
    fields: new Set(
      [...each.fields].filter((pointer) => dig(after, ...parsePointer(pointer)) !== undefined),
    ),
  }));
  if (changed.length === 0) return withOwnerships(after, former);
  return withOwnerships(
    after,
    takenOver(former, { ...by, fields: new Set(changed) }, { addsToFormer: true }),
  );
}
