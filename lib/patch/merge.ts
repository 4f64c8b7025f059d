import {
  equal,
  Fault,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setField,
} from "../json/mod.ts";
import { patchOnlyList, patchOnlyMap, patchOnlyValue } from "./patch_only_values.ts";
import { type Cell, type Merged, type MergeResult, put, shared, wrongKind } from "./cell.ts";
import { copyOf, type Draft } from "./draft.ts";
import { directedList, directiveOfMap, isDirected, withoutDirective } from "./directive.ts";
import { mergeDistinctLists } from "./distinct_list.ts";
import { mergeKeyedList } from "./keyed_list.ts";
import type { MergeField } from "./merge_keys.ts";
import { elementOf, embeddedSchema, fieldOf, type MergeMemory } from "./merge_schema.ts";
import { uniteScalars } from "./scalar_list.ts";
import { normalizeFields, normalizeValue } from "./normalize_lists.ts";

/**
 * Merges a patch without anchors into a resource. Lists merge by Kubernetes' merge keys for the resource's
 * kind. The resource is never modified. The result shares unchanged values with it, and is the resource itself
 * when nothing changes.
 *
 * Kyverno parity: this is kustomize's merge, which puts new elements first. It also normalizes the parts that
 * the patch does not mention: it removes repeated elements from lists with merge keys. Pinned by "elements are
 * merged by their key, new ones come first" and "of containers that repeat a name the last stays, as it is".
 */
export function merge(
  resource: JsonObject,
  patch: JsonObject,
  memory: MergeMemory = { normalized: undefined },
): JsonObject | Fault {
  const walk = new Merge(undefined, memory);
  const merged = walk.map(resource, patch, undefined);
  if (isFault(merged)) return merged;
  if (!isObject(merged)) return new Fault("filter cannot create or delete objects");
  return walk.changed ? merged : resource;
}

/** Merges a patch into a draft, and returns whether the draft changed. After a fault the draft must not be used. */
export function mergeInto(draft: Draft, patch: JsonObject): boolean | Fault {
  const walk = new Merge(draft, draft);
  const merged = walk.map(draft.root, patch, undefined);
  if (isFault(merged)) return merged;
  if (!isObject(merged)) return new Fault("filter cannot create or delete objects");
  if (walk.changed) draft.root = merged;
  return walk.changed;
}

type Writable = { [name: string]: Json };

/** One merge: it walks down the resource and the patch together. */
class Merge {
  /** Whether the result differs from the resource. */
  changed = false;
  /** The draft into which it merges; `undefined` when it must not write into the resource. */
  #draft: Draft | undefined;
  readonly #memory: MergeMemory;
  /** Whether the result has no repeated elements, as far as a schema describes it. */
  #isNormalized = true;
  /** Whether the current part of the resource is normalized already. */
  #skipsNormalizing = false;

  constructor(draft: Draft | undefined, memory: MergeMemory) {
    this.#draft = draft;
    this.#memory = memory;
  }

  /** Merges a value of the patch into the value that the resource has at the same path. */
  #value(dest: Json | undefined, patch: Json, schema: MergeField | undefined): MergeResult {
    if (patch === null) return undefined;
    if (dest === undefined || dest === null) return this.#fromPatch(patchOnlyValue(patch, schema), schema);
    if (typeof dest !== "object") return typeof patch === "object" ? wrongKind("ScalarNode", patch) : patch;
    if (isList(dest)) {
      if (!isList(patch)) return wrongKind("SequenceNode", patch);
      // The patch's list replaces a list that does not merge, with any `$patch` element in it.
      return schema?.shape === "list" ? this.#list(dest, patch, schema) : this.#replaced(dest, patch);
    }
    return isObject(patch) ? this.map(dest as JsonObject, patch, schema) : wrongKind("MappingNode", patch);
  }

  /** Merges maps. Where the field has no schema, the map's `apiVersion` and `kind` may determine one. */
  map(dest: JsonObject, patch: JsonObject, fieldSchema: MergeField | undefined): MergeResult {
    if (fieldSchema !== undefined) return this.#directed(dest, patch, fieldSchema);
    const schema = embeddedSchema(dest, patch);
    if (schema === undefined) return this.#directed(dest, patch, undefined);
    const wasNormalized = this.#isNormalized, skipped = this.#skipsNormalizing;
    this.#isNormalized = true;
    const last = this.#memory.normalized;
    this.#skipsNormalizing = last?.map === dest && last.schema === schema;
    if (!this.#skipsNormalizing) this.#draft?.update();
    const merged = this.#directed(dest, patch, schema);
    this.#memory.normalized = this.#isNormalized && isObject(merged) ? { map: merged, schema } : undefined;
    this.#isNormalized = wasNormalized;
    this.#skipsNormalizing = skipped;
    return merged;
  }

  #directed(dest: JsonObject, patch: JsonObject, schema: MergeField | undefined): MergeResult {
    if (!isDirected(patch)) return this.#fields(dest, patch, schema);
    const directive = directiveOfMap(patch);
    if (isFault(directive)) return directive;
    if (directive === "delete") return undefined;
    const content = withoutDirective(patch);
    if (directive === "merge") return this.#fields(dest, content, schema);
    this.#draft?.update();
    return this.#replaced(dest, this.#fromPatch(patchOnlyMap(content, schema), schema));
  }

  #fields(dest: JsonObject, patch: JsonObject, schema: MergeField | undefined): JsonObject | Fault {
    let after: Writable | undefined;
    for (const key in patch) { // Only the object's keys: inherited properties are not enumerable.
      const old = Object.hasOwn(dest, key) ? dest[key] : undefined;
      const value = this.#value(old, patch[key]!, fieldOf(schema, key));
      if (value === old) continue;
      if (value === undefined) {
        after ??= this.#writable(dest);
        delete after[key];
        this.changed = true;
        continue;
      }
      if (isFault(value)) return value;
      // Kyverno parity: a string stays a string, even when the patch has a number or a bool. Pinned by "a text stays a
      // text".
      const kept = typeof old === "string" && typeof value !== "object" ? String(value) : value;
      if (kept === old) continue;
      if (typeof kept !== "object" || old === undefined || old === null) this.changed = true;
      setField(after ??= this.#writable(dest), key, kept);
    }
    const merged = after ?? dest;
    if (schema === undefined || this.#skipsNormalizing) return merged;
    return this.#normalizedAs(normalizeFields(merged, schema, patch), merged);
  }

  #writable(map: JsonObject): Writable {
    return this.#draft === undefined ? copyOf(map, this.#memory.steps) : this.#draft.writable(map);
  }

  #list(dest: readonly Json[], patch: readonly Json[], schema: MergeField): MergeResult {
    const { directive, elements } = directedList(patch);
    if (isFault(directive)) return directive;
    if (directive === "delete") return undefined;
    if (directive === "replace") {
      this.#draft?.update();
      return this.#replaced(dest, this.#fromPatch(patchOnlyList(elements, schema), schema));
    }
    if (schema.keys.length === 0) return this.#replaced(dest, uniteScalars(dest, elements));

    return this.#elementsByKey(dest, elements, schema) ?? this.#distinctLists(dest, elements, schema) ??
      this.#anyLists(dest, elements, schema);
  }

  /** Merges into the elements that the draft finds by their keys; `undefined` when it cannot. */
  #elementsByKey(
    dest: readonly Json[],
    patch: readonly Json[],
    schema: MergeField,
  ): readonly Json[] | Fault | undefined {
    const draft = this.#draft, element = elementOf(schema);
    if (draft === undefined) return undefined;
    const isNormalized = this.#skipsNormalizing || element === undefined;
    const list = isNormalized ? draft.listOf(dest, schema.keys) : undefined;
    const rearranged = list?.merge(patch, (dest, patch) => this.#value(dest, patch!, element));
    if (isFault(rearranged)) return rearranged;
    if (list === undefined || rearranged === undefined) return void draft.forgetList(dest);
    if (rearranged) this.changed = true;
    draft.noteList(list.array, list);
    return list.array;
  }

  /** Merges lists in which all elements have different keys; `undefined` for others. */
  #distinctLists(
    dest: readonly Json[],
    patch: readonly Json[],
    schema: MergeField,
  ): readonly Json[] | Fault | undefined {
    const element = elementOf(schema);
    const merged = mergeDistinctLists({
      dest,
      patch,
      keys: schema.keys,
      mergeElement: (dest, patch) =>
        patch === undefined ? this.#normalize(dest!, element) : this.#value(dest, patch, element),
    });
    if (merged === undefined || isFault(merged)) return merged;
    if (merged.rearranged) this.changed = true;
    const result = shared(merged.elements, dest);
    if (!isFault(result)) this.#draft?.noteList(result);
    return result;
  }

  /** Normalizes a part of the resource that the patch does not mention. */
  #normalize(value: Json, schema: MergeField | undefined): Json | Fault {
    if (schema === undefined || this.#skipsNormalizing) return value;
    return this.#normalizedAs(normalizeValue(value, schema), value);
  }

  /** Records whether normalizing changed a value, and returns the normalized value. */
  #normalizedAs<T extends Json>(normalized: T | Fault, before: T): T | Fault {
    if (normalized !== before) this.#isNormalized = false;
    return this.#replaced(before, normalized);
  }

  /** Returns the new value, or the old one when both are equal. */
  #replaced<T extends Json>(before: T, after: T | Fault): T | Fault {
    if (isFault(after) || after === before) return after;
    if (equal(after, before)) return before;
    this.changed = true;
    return after;
  }

  /** Takes over a value that only the patch has. */
  #fromPatch<T extends MergeResult>(outcome: T, schema: MergeField | undefined): T {
    if (schema === undefined || outcome === undefined || isFault(outcome)) return outcome;
    if (normalizeValue(outcome, schema) !== outcome) this.#isNormalized = false;
    return outcome;
  }

  /** Merges lists in which elements may lack or repeat keys. */
  #anyLists(dest: readonly Json[], patch: readonly Json[], schema: MergeField): readonly Json[] | Fault {
    const element = elementOf(schema);
    const changed = this.changed, draft = this.#draft;
    draft?.update();
    // The result may contain an element twice, so the merge writes into no element.
    this.#draft = undefined;
    const merged = mergeKeyedList({
      dest: dest.map((value): Cell => ({ value })),
      patch: patch.map((value): Cell => ({ value })),
      keys: schema.keys,
      mergeElement: (dest, patch) => this.#cell(dest, patch, element),
    });
    // Some merged elements do not get into the result, and some are not normalized.
    this.changed = changed;
    this.#draft = draft;
    this.#isNormalized = false;
    return isFault(merged) ? merged : this.#replaced(dest, merged.map(({ value }) => value));
  }

  /** Merges two elements, which are both maps, and puts the result into the cell of one of them. */
  #cell(dest: Cell | undefined, patch: Cell | undefined, schema: MergeField | undefined): Merged {
    if (patch === undefined) return dest && put(this.#normalize(dest.value, schema), dest);
    const changes = patch.value as JsonObject; // An element with keys is a map.
    const directive = directiveOfMap(changes);
    if (!isFault(directive)) patch.value = withoutDirective(changes);
    if (directive === "delete") return undefined;
    const content = patch.value as JsonObject;
    if (dest === undefined) return put(patchOnlyMap(content, schema), patch);
    if (isFault(directive)) return directive;
    if (directive === "merge") return put(this.map(dest.value as JsonObject, content, schema), dest);
    return put(patchOnlyMap(content, schema ?? embeddedSchema(dest.value, content)), patch);
  }
}
