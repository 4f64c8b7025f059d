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
import { broughtList, broughtMap, broughtValue } from "./brought.ts";
import { type Cell, type Merged, type MergeResult, put, shared, wrongKind } from "./cell.ts";
import type { Draft } from "./draft.ts";
import { directedList, directiveOfMap, isDirected, withoutDirective } from "./directive.ts";
import { mergeDistinctLists } from "./distinct_list.ts";
import { mergeKeyedList } from "./keyed_list.ts";
import type { MergeField } from "./merge_keys.ts";
import { elementOf, embeddedSchema, fieldOf } from "./merge_schema.ts";
import { uniteScalars } from "./scalar_list.ts";
import { settleFields, settleValue } from "./settle.ts";

/**
 * Merges a patch without anchors into a resource, lists by Kubernetes' merge keys for the resource's kind.
 * The resource is never modified; what does not change is shared with it, and it is returned itself when nothing does.
 *
 * Kyverno parity: kustomize's merge with new elements in front. It also looks at what the patch does not mention:
 * lists with merge keys lose elements that repeat a key.
 */
export function merge(resource: JsonObject, patch: JsonObject): JsonObject | Fault {
  const walk = new Merge(undefined);
  const merged = walk.map(resource, patch, undefined);
  if (isFault(merged)) return merged;
  if (!isObject(merged)) return new Fault("filter cannot create or delete objects");
  return walk.changed ? merged : resource;
}

/** The same for a draft: whether it changed. After a fault the draft is of no use. */
export function mergeInto(draft: Draft, patch: JsonObject): boolean | Fault {
  const walk = new Merge(draft);
  const merged = walk.map(draft.resource, patch, undefined);
  if (isFault(merged)) return merged;
  if (!isObject(merged)) return new Fault("filter cannot create or delete objects");
  if (walk.changed) draft.resource = merged;
  return walk.changed;
}

/**
 * The last map that a merge left without anything to settle, and the schema under which that was found. It is most often
 * what the next patch is merged into: a resource that goes through many is looked through once. (A table of all such
 * maps, weak as it may be, costs more than it saves.)
 */
let atRest: { readonly map: Json; readonly schema: MergeField } | undefined;

type Writable = { [name: string]: Json };

/** One merge: what is known of it while it walks down resource and patch side by side. */
class Merge {
  /** Whether the result differs from the resource. */
  changed = false;
  /** Where it may write, if it merges into a draft. */
  #draft: Draft | undefined;
  /** Whether the result, as far as it has a schema, has nothing to settle. */
  #settled = true;
  /** Whether the part of the resource that is being walked has nothing to settle. */
  #resting = false;

  constructor(draft: Draft | undefined) {
    this.#draft = draft;
  }

  /** Merges a value of the patch into the one that the resource has in its place. */
  #value(dest: Json | undefined, patch: Json, schema: MergeField | undefined): MergeResult {
    if (patch === null) return undefined;
    if (dest === undefined || dest === null) return this.#brought(broughtValue(patch, schema), schema);
    if (typeof dest !== "object") return typeof patch === "object" ? wrongKind("ScalarNode", patch) : patch;
    if (isList(dest)) {
      if (!isList(patch)) return wrongKind("SequenceNode", patch);
      // Lists that do not merge are replaced as they are, `$patch` and all.
      return schema?.shape === "list" ? this.#list(dest, patch, schema) : this.#replaced(dest, patch);
    }
    return isObject(patch) ? this.map(dest as JsonObject, patch, schema) : wrongKind("MappingNode", patch);
  }

  /** Merges maps. One of unknown schema may say itself what kind it is. */
  map(dest: JsonObject, patch: JsonObject, known: MergeField | undefined): MergeResult {
    if (known !== undefined) return this.#directed(dest, patch, known);
    const schema = embeddedSchema(dest, patch);
    if (schema === undefined) return this.#directed(dest, patch, undefined);
    const settled = this.#settled, resting = this.#resting;
    this.#settled = true;
    this.#resting = atRest?.map === dest && atRest.schema === schema;
    const merged = this.#directed(dest, patch, schema);
    atRest = this.#settled && isObject(merged) ? { map: merged, schema } : undefined;
    this.#settled = settled;
    this.#resting = resting;
    return merged;
  }

  #directed(dest: JsonObject, patch: JsonObject, schema: MergeField | undefined): MergeResult {
    if (!isDirected(patch)) return this.#fields(dest, patch, schema);
    const directive = directiveOfMap(patch);
    if (isFault(directive)) return directive;
    if (directive === "delete") return undefined;
    const content = withoutDirective(patch);
    if (directive === "merge") return this.#fields(dest, content, schema);
    return this.#replaced(dest, this.#brought(broughtMap(content, schema), schema));
  }

  #fields(dest: JsonObject, patch: JsonObject, schema: MergeField | undefined): JsonObject | Fault {
    let after: Writable | undefined;
    for (const key in patch) { // Its own keys: what objects inherit is not enumerable.
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
      // Kyverno parity: a text stays a text, also when the patch has a number or a bool for it.
      const kept = typeof old === "string" && typeof value !== "object" ? String(value) : value;
      if (kept === old) continue;
      if (typeof kept !== "object" || old === undefined || old === null) this.changed = true;
      setField(after ??= this.#writable(dest), key, kept);
    }
    const merged = after ?? dest;
    if (schema === undefined || this.#resting) return merged;
    return this.#settledAs(settleFields(merged, schema, patch), merged);
  }

  #writable(map: JsonObject): Writable {
    return this.#draft === undefined ? { ...map } : this.#draft.writable(map);
  }

  #list(dest: readonly Json[], patch: readonly Json[], schema: MergeField): MergeResult {
    const { directive, elements } = directedList(patch);
    if (isFault(directive)) return directive;
    if (directive === "delete") return undefined;
    if (directive === "replace") {
      return this.#replaced(dest, this.#brought(broughtList(elements, schema), schema));
    }
    if (schema.keys.length === 0) return this.#replaced(dest, uniteScalars(dest, elements));

    const element = elementOf(schema);
    const merged = mergeDistinctLists({
      dest,
      patch: elements,
      keys: schema.keys,
      mergeElement: (dest, patch) =>
        patch === undefined ? this.#settle(dest!, element) : this.#value(dest, patch, element),
    });
    if (isFault(merged)) return merged;
    if (merged === undefined) return this.#anyLists(dest, elements, schema);
    if (merged.rearranged) this.changed = true;
    return shared(merged.elements, dest);
  }

  /** What becomes of a part of the resource that the patch does not mention. */
  #settle(value: Json, schema: MergeField | undefined): Json | Fault {
    if (schema === undefined || this.#resting) return value;
    return this.#settledAs(settleValue(value, schema), value);
  }

  /** What has become of a value by settling it. */
  #settledAs<T extends Json>(settled: T | Fault, before: T): T | Fault {
    if (settled !== before) this.#settled = false;
    return this.#replaced(before, settled);
  }

  /** What takes a value's place, or the value itself if it is no different. */
  #replaced<T extends Json>(before: T, after: T | Fault): T | Fault {
    if (isFault(after) || after === before) return after;
    if (equal(after, before)) return before;
    this.changed = true;
    return after;
  }

  /** Takes in what the patch brings. */
  #brought<T extends MergeResult>(outcome: T, schema: MergeField | undefined): T {
    if (schema === undefined || outcome === undefined || isFault(outcome)) return outcome;
    if (settleValue(outcome, schema) !== outcome) this.#settled = false;
    return outcome;
  }

  /** Merges lists whatever is in them. */
  #anyLists(dest: readonly Json[], patch: readonly Json[], schema: MergeField): readonly Json[] | Fault {
    const element = elementOf(schema);
    const changed = this.changed, draft = this.#draft;
    // An element may come to stand in several places, so none is written to.
    this.#draft = undefined;
    const merged = mergeKeyedList({
      dest: dest.map((value): Cell => ({ value })),
      patch: patch.map((value): Cell => ({ value })),
      keys: schema.keys,
      mergeElement: (dest, patch) => this.#cell(dest, patch, element),
    });
    // Not all that is merged gets into the result, nor is all of it settled.
    this.changed = changed;
    this.#draft = draft;
    this.#settled = false;
    return isFault(merged) ? merged : this.#replaced(dest, merged.map(({ value }) => value));
  }

  /** Merges two elements, maps both; the one that the result grows from is exchanged in its cell. */
  #cell(dest: Cell | undefined, patch: Cell | undefined, schema: MergeField | undefined): Merged {
    if (patch === undefined) return dest && put(this.#settle(dest.value, schema), dest);
    const changes = patch.value as JsonObject; // Elements are found by their keys: maps.
    const directive = directiveOfMap(changes);
    if (!isFault(directive)) patch.value = withoutDirective(changes);
    if (directive === "delete") return undefined;
    const content = patch.value as JsonObject;
    if (dest === undefined) return put(broughtMap(content, schema), patch);
    if (isFault(directive)) return directive;
    if (directive === "merge") return put(this.map(dest.value as JsonObject, content, schema), dest);
    return put(broughtMap(content, schema ?? embeddedSchema(dest.value, content)), patch);
  }
}
