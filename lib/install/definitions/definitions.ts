import type { JsonObject } from "../../json/mod.ts";
import type { DefinedKind, PrinterColumn } from "./defined_kind.ts";
import { celKinds, classicKinds } from "./policy_kinds.ts";
import { reportKinds } from "./report_kinds.ts";
import { structuralSchema } from "./structural_schema.ts";
import { workKinds } from "./work_kinds.ts";

/** Every kind of objects that an installation defines. */
export const definedKinds: readonly DefinedKind[] = [
  ...classicKinds,
  ...celKinds,
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

function schemaOf({ fields, details, required, status }: DefinedKind): JsonObject {
  const { properties } = structuralSchema(fields, details) as { readonly properties: JsonObject };
  return {
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      ...properties,
      ...(status && { status: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }),
    },
    ...(required !== undefined && { required: [...required] }),
  };
}

function columnOf(column: PrinterColumn): JsonObject {
  return { ...column };
}
