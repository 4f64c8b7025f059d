import { fieldNote, fieldNotes } from "../../documents/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { FieldNotes, Shape } from "../../shape/mod.ts";
import type { DefinedKind, PrinterColumn } from "./defined_kind.ts";
import { celDefinitions, classicDefinitions } from "./policy_kinds.ts";
import { reportKinds } from "./report_kinds.ts";
import { structuralSchema } from "./structural_schema.ts";
import { workKinds } from "./work_kinds.ts";

/** Every kind of objects that an installation defines. */
export const definedKinds: readonly DefinedKind[] = [
  ...classicDefinitions,
  ...celDefinitions,
  ...workKinds,
  ...reportKinds,
];

/**
 * The CustomResourceDefinitions of all kinds (Kubernetes API: `apiextensions.k8s.io/v1`). They are made from the
 * shapes that the loader checks, so the API server and Postern accept the same objects.
 */
export function definitions(): JsonObject[] {
  return definedKinds.map(definition);
}

function definition(defined: DefinedKind): JsonObject {
  const { group, kind, plural, shortNames, categories, namespaced, versions } = defined;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
        ...(categories !== undefined && { categories: [...categories] }),
      },
      scope: namespaced ? "Namespaced" : "Cluster",
      conversion: { strategy: "None" },
      versions: versions.map(({ name, deprecated }, index) => ({
        name,
        served: true,
        storage: index === 0,
        ...(deprecated === true && { deprecated }),
        schema: { openAPIV3Schema: schemaOf(defined) },
        ...(defined.status && { subresources: { status: {} } }),
        ...(defined.columns.length > 0 && { additionalPrinterColumns: defined.columns.map(columnOf) }),
      })),
    },
  };
}

/** Descriptions of the fields that every kind has, and of Postern's status. */
const commonNotes: FieldNotes = {
  spec: "The part that its author writes.",
  status: "Whether it is in force, and what its author must mend. Postern writes it.",
};

function schemaOf({ about, notes = {}, fields, details = {}, required, status }: DefinedKind): JsonObject {
  const tables = [notes, ...fieldNotes()];
  const describe = (path: readonly string[]) =>
    path.length === 1 ? (notes[path[0]!] ?? commonNotes[path[0]!]) : fieldNote(path, tables);
  const all: Shape = { ...fields, ...(status && { status: "open" }) };
  const { properties } = structuralSchema(all, { details, describe }) as { readonly properties: JsonObject };
  const statusSchema = { ...(properties["status"] as JsonObject), type: "object" };
  return {
    type: "object",
    description: about,
    properties: {
      apiVersion: { type: "string", description: "The group and the version of the API." },
      kind: { type: "string", description: "The kind of the object." },
      metadata: { type: "object" },
      ...properties,
      ...(status && { status: statusSchema }),
    },
    ...(required !== undefined && { required: [...required] }),
  };
}

function columnOf(column: PrinterColumn): JsonObject {
  return { ...column };
}
