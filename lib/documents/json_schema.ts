import type { JsonObject } from "../json/mod.ts";
import { type FieldNotes, isChoice, type Shape } from "../shape/mod.ts";
import { type DescribedKind, describedKinds } from "./described_kinds.ts";
import { fieldNote, fieldNotes } from "./field_note.ts";

/**
 * The JSON Schemas (draft 7) of policies by kind. They are made from the shapes that the loader checks, so both
 * accept the same documents.
 */
export function policySchemas(): ReadonlyMap<string, JsonObject> {
  const notes = fieldNotes();
  return new Map(describedKinds.map((each) => [each.kind, schemaOf(each, notes)]));
}

function schemaOf({ kind, versions, spec }: DescribedKind, notes: readonly FieldNotes[]): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: kind,
    type: "object",
    properties: {
      apiVersion: { type: "string", enum: versions },
      kind: { type: "string", const: kind },
      metadata: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      spec: ofShape(spec, ["spec"], notes),
      status: {},
    },
    required: ["apiVersion", "kind", "metadata", "spec"],
    additionalProperties: false,
  };
}

/**
 * The schema of a shape. Nothing is required and null is allowed, because the loader reads null as absent. The path
 * has field names only, without list indexes.
 */
function ofShape(shape: Shape, path: readonly string[], notes: readonly FieldNotes[]): JsonObject {
  if (shape === "open") return {};
  if (shape === "text") return { type: ["string", "number", "boolean", "null"] };
  if (shape === "flag") return { type: ["boolean", "null"] };
  if (shape === "number") return { type: ["number", "null"] };
  if (isChoice(shape)) return { enum: [...shape, null] };
  if (isListShape(shape)) {
    const [item] = shape;
    const scalar = typeof item === "string" ? ["string", "number", "boolean"] : [];
    return { type: ["array", "null", ...scalar], items: ofShape(item, path, notes) };
  }
  const properties = Object.fromEntries(
    Object.entries(shape).map(([name, each]) => {
      const description = fieldNote([...path, name], notes);
      return [name, {
        ...(description !== undefined && { description }),
        ...ofShape(each, [...path, name], notes),
      }];
    }),
  );
  return { type: ["object", "null"], properties, additionalProperties: false };
}

function isListShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
