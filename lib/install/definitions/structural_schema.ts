import type { JsonObject } from "../../json/mod.ts";
import { isChoice, type Shape } from "../../shape/mod.ts";

/** Parts of the schema of a field beyond its type, by the field's path: `rules[].skipBackgroundRequests`. */
export type FieldDetails = Readonly<Record<string, JsonObject>>;

/** The parts of a schema that a shape does not say. */
export interface SchemaTexts {
  readonly details?: FieldDetails;
  /** Describes the field at a path of names, without list indexes: `kubectl explain` shows the sentence. */
  readonly describe?: (path: readonly string[]) => string | undefined;
}

/**
 * The schema of a CustomResourceDefinition for a shape that the loader checks (Kubernetes API: structural schemas).
 * Open subtrees keep all fields; elsewhere the API server refuses or prunes unknown fields.
 */
export function structuralSchema(shape: Shape, texts: SchemaTexts = {}, path = ""): JsonObject {
  return { ...typeOf(shape, texts, path), ...texts.details?.[path] };
}

function typeOf(shape: Shape, texts: SchemaTexts, path: string): JsonObject {
  switch (shape) {
    case "open":
      return { "x-kubernetes-preserve-unknown-fields": true };
    case "text":
      return { type: "string" };
    case "flag":
      return { type: "boolean" };
    case "number":
      return { type: "integer" };
  }
  if (isChoice(shape)) return { type: "string", enum: [...shape] };
  if (isListShape(shape)) {
    return { type: "array", items: structuralSchema(shape[0], texts, `${path}[]`) };
  }
  const properties = Object.entries(shape).map(([name, each]) => {
    const inner = path === "" ? name : `${path}.${name}`;
    const description = texts.describe?.(inner.replaceAll("[]", "").split("."));
    const schema = structuralSchema(each, texts, inner);
    return [name, description === undefined ? schema : { description, ...schema }] as const;
  });
  return { type: "object", properties: Object.fromEntries(properties) };
}

function isListShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
