import { isList, type Json, type JsonObject, setField } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { openList } from "./documents.ts";
import { withNamespace } from "./resource_request.ts";

/** The fields that hold maps. Templates often leave them empty, which YAML reads as null. */
const mapFields: readonly string[] = [
  "annotations",
  "labels",
  "matchLabels",
  "nodeSelector",
  "data",
  "stringData",
];

/**
 * The objects of documents, ready for policies: items of lists, each with a namespace. Kyverno parity: labels,
 * annotations and the like that are null count as empty. Pinned by "null labels and annotations in files count as
 * empty".
 */
export function manifestObjects(documents: readonly YamlDocument[]): JsonObject[] {
  return documents.flatMap(({ value }) => openList(value)).map((object) =>
    withNamespace(filled(object) as JsonObject)
  );
}

/** The value with empty maps in place of null in these fields; the same value when there are none. */
export function filled(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) {
    const at = value.findIndex((item) => filled(item) !== item);
    return at < 0 ? value : value.map(filled);
  }
  let copy: { [key: string]: Json } | undefined;
  for (const key of Object.keys(value)) {
    const inner = value[key]!;
    const full = inner === null && mapFields.includes(key) ? {} : filled(inner);
    if (full !== inner) setField(copy ??= { ...value }, key, full);
  }
  return copy ?? value;
}
