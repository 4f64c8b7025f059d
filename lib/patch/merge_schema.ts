import { isObject, type Json, type StepBudget } from "../json/mod.ts";
import { type MergeField, mergeTypeOf } from "./merge_keys.ts";

/** A map without repeated elements in the lists that its schema merges. */
export interface NormalizedMap {
  readonly map: Json;
  readonly schema: MergeField;
}

/**
 * The state that merges of one request share: the last map that one of them left normalized. The next patch is
 * usually merged into this map, so a resource that many patches change is searched for repeated elements once.
 * It ends with its request, because the map may be a Secret. tests/bench/patch_bench.ts: without it ten patches
 * take 38 % more.
 */
export interface MergeMemory {
  normalized: NormalizedMap | undefined;
  /** The steps that copies of maps with many fields take. */
  steps?: StepBudget;
}

/** Returns how a field of a map merges; `undefined` when the schema does not say. */
export function fieldOf(schema: MergeField | undefined, name: string): MergeField | undefined {
  if (schema?.type === undefined || schema.shape === "list") return undefined;
  return schema.shape === "map" ? schema.type.whole : schema.type.fields.get(name);
}

/** Returns how the elements of a list merge. */
export function elementOf(list: MergeField): MergeField | undefined {
  return list.type?.whole;
}

/**
 * Returns the schema of a map that has an `apiVersion` and a `kind`: the resource itself, or an object inside a
 * custom resource.
 */
export function embeddedSchema(dest: Json | undefined, patch: Json): MergeField | undefined {
  return schemaOf(dest) ?? schemaOf(patch);
}

function schemaOf(value: Json | undefined): MergeField | undefined {
  if (!isObject(value)) return undefined;
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || apiVersion === "" || kind === "") {
    return undefined;
  }
  return mergeTypeOf(apiVersion, kind)?.whole;
}
