import type { JsonObject } from "../json/mod.ts";
import { celPolicySpecShape } from "./cel_shape.ts";
import type { FieldNotes, Shape } from "../shape/mod.ts";
import { fieldNote, fieldNotes } from "./field_note.ts";
import { imagePolicySpecShape } from "./image_shape.ts";
import { exceptionSpecShape, policySpecShape } from "./spec_shape.ts";

/** A kind of policy document and the shape of its `spec`. */
interface DescribedKind {
  readonly kind: string;
  readonly versions: readonly string[];
  readonly spec: Shape;
}

const celKinds = [
  "ValidatingPolicy",
  "MutatingPolicy",
  "GeneratingPolicy",
  "DeletingPolicy",
  "ImageValidatingPolicy",
];

const kinds: readonly DescribedKind[] = [
  { kind: "ClusterPolicy", versions: ["kyverno.io/v1", "kyverno.io/v2beta1"], spec: policySpecShape },
  { kind: "Policy", versions: ["kyverno.io/v1", "kyverno.io/v2beta1"], spec: policySpecShape },
  { kind: "PolicyException", versions: ["kyverno.io/v2", "kyverno.io/v2beta1"], spec: exceptionSpecShape },
  ...celKinds.flatMap((kind) => [kind, `Namespaced${kind}`]).map((kind): DescribedKind => ({
    kind,
    versions: ["v1", "v1beta1", "v1alpha1"].map((version) => `policies.kyverno.io/${version}`),
    spec: kind.endsWith("ImageValidatingPolicy") ? imagePolicySpecShape : celPolicySpecShape,
  })),
];

/** The shape of the `spec` of a kind; `open` for a kind without description. */
export function specShapeOf(kind: string): Shape {
  return kinds.find((each) => each.kind === kind)?.spec ?? "open";
}

/**
 * The JSON Schemas (draft 7) of policies by kind. They are made from the shapes that the loader checks, so both
 * accept the same documents.
 */
export function policySchemas(): ReadonlyMap<string, JsonObject> {
  const notes = fieldNotes();
  return new Map(kinds.map((each) => [each.kind, schemaOf(each, notes)]));
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
