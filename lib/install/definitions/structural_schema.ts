import type { JsonObject } from "../../json/mod.ts";
import type { Shape } from "../../shape/mod.ts";

/** Parts of the schema of a field beyond its type, by the field's path: `rules[].skipBackgroundRequests`. */
export type FieldDetails = Readonly<Record<string, JsonObject>>;

/**
 * The schema of a CustomResourceDefinition for a shape that the loader checks (Kubernetes API: structural schemas).
 * Open subtrees keep all fields; elsewhere the API server refuses or prunes unknown fields.
 */
export function structuralSchema(shape: Shape, details: FieldDetails = {}, path = ""): JsonObject {
  return { ...typeOf(shape, details, path), ...details[path] };
}

function typeOf(shape: Shape, details: FieldDetails, path: string): JsonObject {
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
  if (isListShape(shape)) {
    return { type: "array", items: structuralSchema(shape[0], details, `${path}[]`) };
  }
  const properties = Object.entries(shape).map(([name, each]) =>
    [name, structuralSchema(each, details, path === "" ? name : `${path}.${name}`)] as const
  );
  return { type: "object", properties: Object.fromEntries(properties) };
}

function isListShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
