import { Fault, isFault, isList, isObject, type Json, type JsonObject, setField } from "../json/mod.ts";
import { type Cell, type Merged, nodeKind, wrongKind } from "./cell.ts";
import { takeDirective } from "./directive.ts";
import { isDistinct, mergeKeyedList } from "./keyed_list.ts";
import { type MergeField, type MergeType, mergeTypeOf } from "./merge_keys.ts";

/** The two sides of a node; they are one cell where the patch brings something new. */
interface Pair {
  readonly dest: Cell | undefined;
  readonly patch: Cell | undefined;
}

/**
 * Merges a patch without anchors into a resource, lists by Kubernetes' merge keys for the resource's kind.
 * The resource is never modified; what does not change is shared with it.
 *
 * Kyverno parity: kustomize's merge with new elements in front. It also looks at what the patch does not mention:
 * lists with merge keys lose elements that repeat a key.
 */
export function merge(resource: JsonObject, patch: JsonObject): JsonObject | Fault {
  const merged = walk({ dest: { value: resource }, patch: { value: patch } }, undefined);
  if (isFault(merged)) return merged;
  if (merged === undefined || !isObject(merged.value)) {
    return new Fault("filter cannot create or delete objects");
  }
  return merged.value;
}

function walk(pair: Pair, schema: MergeField | undefined): Merged {
  const { dest, patch } = pair;
  if (patch === undefined) return dest === undefined ? undefined : settle(dest, schema);
  const leading = dest?.value ?? patch.value;
  if (leading === null) return undefined;
  const kind = nodeKind(leading);
  if (patch.value !== null && nodeKind(patch.value) !== kind) return wrongKind(kind, patch.value);
  switch (kind) {
    case "MappingNode":
      return walkMap({ dest, patch }, schema);
    case "SequenceNode":
      // Lists that do not merge are replaced as they are, `$patch` and all.
      return schema?.shape === "list" ? walkList({ dest, patch }, schema) : patch;
    case "ScalarNode":
      return patch;
  }
}

/** Picks the side that the result grows from, by the patch's directive; `undefined` when the node is removed. */
function pickTarget(dest: Cell | undefined, patch: Cell): Merged {
  if (dest === undefined || dest.value === null) {
    // Kyverno parity: a list that the patch brings is not asked for a directive, and a map's unknown one is kept.
    return isObject(patch.value) && takeDirective(patch) === "delete" ? undefined : patch;
  }
  if (patch.value === null) return undefined;
  const directive = takeDirective(patch);
  if (isFault(directive)) return directive;
  return directive === "delete" ? undefined : directive === "replace" ? patch : dest;
}

function walkMap(
  { dest, patch }: { dest: Cell | undefined; patch: Cell },
  known: MergeField | undefined,
): Merged {
  const schema = known ?? embeddedSchema(dest, patch);
  const target = pickTarget(dest, patch);
  if (target === undefined || isFault(target)) return target;
  const before = target.value as JsonObject;
  const changes = patch.value as JsonObject;
  const fields = new Fields(before);
  for (const key of Object.keys(changes)) {
    const present = Object.hasOwn(before, key) ? { value: before[key]! } : undefined;
    const change = target === patch ? present : { value: changes[key]! };
    const merged = walk({ dest: present, patch: change }, fieldOf(schema, key));
    if (isFault(merged)) return merged;
    fields.set(key, merged?.value);
  }
  if (target !== patch) {
    const failure = settleFields(fields, schema, changes);
    if (failure !== undefined) return failure;
  }
  target.value = fields.result();
  return target;
}

/** The fields of a map while it changes: copied when the first one does. */
class Fields {
  readonly before: JsonObject;
  #after: Record<string, Json> | undefined;

  constructor(before: JsonObject) {
    this.before = before;
  }

  /** Sets a field, or removes it with `undefined` or null. */
  set(key: string, value: Json | undefined): void {
    const old = Object.hasOwn(this.before, key) ? this.before[key] : undefined;
    if (value === undefined || value === null) {
      if (old === undefined) return;
      this.#after ??= { ...this.before };
      delete this.#after[key];
      return;
    }
    // Kyverno parity: a text stays a text, also when the patch has a number or a bool for it.
    const kept = typeof old === "string" && typeof value !== "object" ? String(value) : value;
    if (kept === old) return;
    this.#after ??= { ...this.before };
    setField(this.#after, key, kept);
  }

  result(): JsonObject {
    return this.#after ?? this.before;
  }
}

function walkList({ dest, patch }: { dest: Cell | undefined; patch: Cell }, schema: MergeField): Merged {
  const target = pickTarget(dest, patch);
  if (target === undefined || isFault(target)) return target;
  const before = target.value as readonly Json[];
  const elements = before.map((value): Cell => ({ value }));
  const merged = mergeKeyedList({
    dest: elements,
    patch: target === patch ? elements : (patch.value as readonly Json[]).map((value): Cell => ({ value })),
    keys: schema.keys,
    mergeElement: (dest, patch) => walk({ dest, patch }, elementSchema(schema)),
  });
  if (isFault(merged)) return merged;
  const same = merged.length === before.length && merged.every((cell, index) => cell.value === before[index]);
  if (!same) target.value = merged.map((cell) => cell.value);
  return target;
}

/** What merging does to a part of the resource that the patch does not mention: repeated elements go. */
function settle(cell: Cell, schema: MergeField | undefined): Merged {
  const settled = schema === undefined ? cell.value : settleValue(cell.value, schema);
  if (isFault(settled)) return settled;
  cell.value = settled;
  return cell;
}

/**
 * Maps and lists that are known to have nothing to settle, by the schema under which that was found. The results of a
 * merge are, and so a resource that goes through many patches is looked through once.
 */
const atRest = new WeakMap<object, MergeField>();

function settleValue(value: Json, schema: MergeField): Json | Fault {
  if (typeof value !== "object" || value === null || atRest.get(value) === schema) return value;
  const settled = isList(value)
    ? schema.shape === "list" ? settleList(value, schema) : value
    : settleMap(value as JsonObject, schema);
  if (settled === value) atRest.set(value, schema);
  return settled;
}

function settleMap(value: JsonObject, schema: MergeField): Json | Fault {
  const fields = new Fields(value);
  return settleFields(fields, schema, {}) ?? fields.result();
}

function settleList(value: readonly Json[], schema: MergeField): Json | Fault {
  const element = elementSchema(schema);
  if (isDistinct(value, schema.keys)) {
    if (element === undefined) return value;
    let settled: Json[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item = settleValue(value[index]!, element);
      if (isFault(item)) return item;
      if (item !== value[index]) (settled ??= [...value])[index] = item;
    }
    return settled ?? value;
  }
  const merged = mergeKeyedList({
    dest: value.map((value): Cell => ({ value })),
    patch: [],
    keys: schema.keys,
    mergeElement: (dest) => dest === undefined ? undefined : settle(dest, element),
  });
  return isFault(merged) ? merged : merged.map((item) => item.value);
}

function settleFields(
  fields: Fields,
  schema: MergeField | undefined,
  mentioned: JsonObject,
): Fault | undefined {
  if (schema?.type === undefined || schema.shape === "list") return undefined;
  const names = schema.shape === "map" ? Object.keys(fields.before) : schema.type.fields.keys();
  for (const name of names) {
    if (Object.hasOwn(mentioned, name) || !Object.hasOwn(fields.before, name)) continue;
    const field = fieldOf(schema, name);
    const value = fields.before[name]!;
    const settled = field === undefined ? value : settleValue(value, field);
    if (isFault(settled)) return settled;
    if (settled !== value) fields.set(name, settled);
  }
  return undefined;
}

function fieldOf(schema: MergeField | undefined, name: string): MergeField | undefined {
  if (schema?.type === undefined || schema.shape === "list") return undefined;
  return schema.shape === "map" ? objectOf(schema.type) : schema.type.fields.get(name);
}

function elementSchema(list: MergeField): MergeField | undefined {
  return list.type === undefined ? undefined : objectOf(list.type);
}

const objects = new WeakMap<MergeType, MergeField>();

function objectOf(type: MergeType): MergeField {
  let field = objects.get(type);
  if (field === undefined) objects.set(type, field = { shape: "object", keys: [], type });
  return field;
}

/** The schema of a map that says what kind it is: the resource itself, or one that a custom resource embeds. */
function embeddedSchema(...sides: readonly (Cell | undefined)[]): MergeField | undefined {
  for (const side of sides) {
    if (side === undefined || !isObject(side.value)) continue;
    const { apiVersion, kind } = side.value;
    if (typeof apiVersion !== "string" || typeof kind !== "string" || apiVersion === "" || kind === "") {
      continue;
    }
    const type = mergeTypeOf(apiVersion, kind);
    if (type !== undefined) return objectOf(type);
  }
  return undefined;
}
