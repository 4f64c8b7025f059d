import { isObject, type Json, type JsonObject, setField } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { openList } from "./documents.ts";
import { withNamespace } from "./resource_request.ts";

/** Fields that hold maps; templates often leave them empty, which YAML reads as null. */
const mapFields: readonly string[] = [
  "annotations",
  "labels",
  "matchLabels",
  "nodeSelector",
  "data",
  "stringData",
];

/**
 * The objects of documents as policies see them: lists opened, a namespace where there is none. Kyverno parity: labels,
 * annotations and the like that are null count as empty.
 */
export function manifestObjects(documents: readonly YamlDocument[]): JsonObject[] {
  return documents.flatMap(({ value }) => openList(value)).map((object) =>
    withNamespace(filled(object) as JsonObject)
  );
}

/** A value in which maps that templates left empty are empty, not null. */
export function filled(value: Json): Json {
  if (Array.isArray(value)) return value.map(filled);
  if (!isObject(value)) return value;
  const copy: { [key: string]: Json } = {};
  for (const [key, inner] of Object.entries(value)) {
    setField(copy, key, inner === null && mapFields.includes(key) ? {} : filled(inner));
  }
  return copy;
}
