import { type Fault, isFault, isList, isObject, type Json, type JsonObject, setField } from "../json/mod.ts";
import { type Cell, isBlank, type Merged, type MergeResult, put, shared } from "./cell.ts";
import { directedList, directiveOfMap, withoutDirective } from "./directive.ts";
import { isDistinct } from "./identity.ts";
import { mergeKeyedList } from "./keyed_list.ts";
import type { MergeField } from "./merge_keys.ts";
import { elementOf, embeddedSchema, fieldOf } from "./merge_schema.ts";
import { uniteScalars } from "./scalar_list.ts";

/**
 * Returns a value of the patch as it gets into a resource that has none: without nulls, without values that
 * have the directive `delete`, and without elements that repeat a key.
 *
 * Kyverno parity: at the top, a list's directive is ignored and a map's unknown directive is kept; below, an unknown
 * directive is an error. Pinned by tests/patch/strategic_merge_test.ts.
 */
export function patchOnlyValue(patch: Json, schema: MergeField | undefined): MergeResult {
  if (isList(patch)) return schema?.shape === "list" ? patchOnlyList(patch, schema) : patch;
  if (!isObject(patch)) return patch;
  const directive = directiveOfMap(patch);
  if (directive === "delete") return undefined;
  return patchOnlyMap(isFault(directive) ? patch : withoutDirective(patch), schema);
}

/** Returns a map that only the patch has, as it gets into the result. The caller removes its directive. */
export function patchOnlyMap(content: JsonObject, fieldSchema: MergeField | undefined): JsonObject | Fault {
  const schema = fieldSchema ?? embeddedSchema(undefined, content);
  let after: Record<string, Json> | undefined;
  for (const key of Object.keys(content)) {
    const before = content[key]!;
    const value = nestedValue(before, fieldOf(schema, key));
    if (value === before) continue;
    if (isFault(value)) return value;
    after ??= { ...content };
    if (value === undefined) delete after[key];
    else setField(after, key, value);
  }
  return after ?? content;
}

/** Returns a merging list that only the patch has, as it gets into the result. */
export function patchOnlyList(list: readonly Json[], schema: MergeField): readonly Json[] | Fault {
  if (schema.keys.length === 0) return shared(uniteScalars(list, list), list);
  if (!isDistinct(list, schema.keys)) return withoutRepeatedElements(list, schema);
  const element = elementOf(schema);
  const elements: Json[] = [];
  for (const item of list) {
    const value = nestedValue(item, element);
    if (isFault(value)) return value;
    if (value !== undefined && !isBlank(value)) elements.push(value);
  }
  return shared(elements, list);
}

/** Merges a list with itself, which removes repeated elements. */
function withoutRepeatedElements(list: readonly Json[], schema: MergeField): readonly Json[] | Fault {
  const cells = list.map((value): Cell => ({ value })), element = elementOf(schema);
  const merged = mergeKeyedList({
    dest: cells,
    patch: cells,
    keys: schema.keys,
    mergeElement: (cell) => cell === undefined ? undefined : nestedCell(cell, element),
  });
  return isFault(merged) ? merged : shared(merged.map(({ value }) => value), list);
}

function nestedCell(cell: Cell, schema: MergeField | undefined): Merged {
  const patch = cell.value as JsonObject; // An element with keys is a map.
  const directive = directiveOfMap(patch);
  if (isFault(directive)) return directive;
  cell.value = withoutDirective(patch);
  return directive === "delete" ? undefined : put(patchOnlyMap(cell.value as JsonObject, schema), cell);
}

function nestedValue(value: Json, schema: MergeField | undefined): MergeResult {
  if (typeof value !== "object") return value;
  if (value === null) return undefined;
  if (isList(value)) {
    if (schema?.shape !== "list") return value;
    const { directive, elements } = directedList(value);
    if (isFault(directive)) return directive;
    return directive === "delete" ? undefined : patchOnlyList(elements, schema);
  }
  const patch = value as JsonObject;
  const directive = directiveOfMap(patch);
  if (isFault(directive)) return directive;
  return directive === "delete" ? undefined : patchOnlyMap(withoutDirective(patch), schema);
}
