import { asObject, asString, field, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { propertyOf } from "./plan/mod.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from "./types/mod.ts";

/**
 * Returns the schema of a reference (`#/components/schemas/io.k8s.api.core.v1.Pod`); `undefined` for an unknown one.
 */
export type ReferredSchema = (reference: string) => JsonObject | undefined;

/**
 * The type of the objects of a kind, from its OpenAPI schema, as the API server types `object` when it checks
 * expressions. Fields are read from the schema when an expression names them, so that a schema may contain itself.
 * What a schema leaves open (quantities, integers or strings, unknown fields, values that may be null) is dynamic:
 * expressions that evaluate without an error must not be called mistakes. Kubernetes does not know the fields of such
 * types.
 *
 * ```ts
 * import { schemaType } from "./schema_type.ts";
 * import assert from "node:assert/strict";
 * const type = schemaType({ type: "object", properties: { size: { type: "integer" } } }, { name: "Widget" });
 * assert.equal(type.field?.("size")?.name, "int");
 * assert.equal(type.field?.("siz"), undefined);
 * assert.equal(type.field?.("metadata")?.field?.("name")?.name, "string");
 * ```
 */
export function schemaType(
  schema: JsonObject,
  { name, referred = () => undefined }: { readonly name: string; readonly referred?: ReferredSchema },
): CelType {
  return typeOf(withMetadata(resolved(schema, referred).schema, referred), name, referred);
}

/** The fields that every object has, also where its schema does not name them (Kubernetes API). */
function withMetadata(schema: JsonObject, referred: ReferredSchema): JsonObject {
  const properties = asObject(schema["properties"]) ?? {};
  const text = { type: "string" };
  const metadata = resolved(properties["metadata"] ?? {}, referred).schema;
  const hasName = field(metadata["properties"] ?? null, "name") !== undefined;
  return {
    ...schema,
    type: "object",
    properties: {
      ...properties,
      apiVersion: text,
      kind: text,
      ...(!hasName && { metadata: { type: "object", properties: { name: text, generateName: text } } }),
    },
  };
}

/** A schema without references, with the name of the one that it refers to. */
interface Resolved {
  readonly schema: JsonObject;
  readonly name: string | undefined;
}

/** Follows `$ref`, which fields with a default have below `allOf`. */
function resolved(written: Json, referred: ReferredSchema): Resolved {
  const all = field(written, "allOf");
  const inner = Array.isArray(all) && all.length === 1 ? all[0]! : written;
  const reference = asString(field(inner, "$ref"));
  if (reference === undefined) return { schema: asObject(written) ?? {}, name: undefined };
  return {
    schema: referred(reference) ?? {},
    name: reference.slice(Math.max(reference.lastIndexOf("/"), reference.lastIndexOf(".")) + 1),
  };
}

const simpleTypes: Readonly<Record<string, CelType>> = {
  boolean: boolType,
  number: doubleType,
  integer: intType,
};

const textTypes: Readonly<Record<string, CelType>> = {
  "byte": bytesType,
  "duration": durationType,
  "date": timestampType,
  "date-time": timestampType,
};

function typeOf(written: Json, path: string, referred: ReferredSchema): CelType {
  const { schema, name = path } = resolved(written, referred);
  if (schema["x-kubernetes-int-or-string"] === true || schema["nullable"] === true) return dynType;
  const type = asString(schema["type"]) ?? "";
  switch (type) {
    case "array":
      return listType(typeOf(schema["items"] ?? {}, `${name}.@idx`, referred));
    case "object":
      return structureOf(schema, name, referred);
    case "string":
      return textTypes[asString(schema["format"]) ?? ""] ?? stringType;
    default:
      return simpleTypes[type] ?? dynType;
  }
}

function structureOf(schema: JsonObject, name: string, referred: ReferredSchema): CelType {
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const properties = asObject((isEmbedded ? withMetadata(schema, referred) : schema)["properties"]);
  const others = schema["additionalProperties"];
  if (isObject(others ?? null)) return mapType(stringType, typeOf(others!, `${name}.@elem`, referred));
  if (properties === undefined) return dynType;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const types = new Map<string, CelType>();
  return objectType(name, (written) => {
    const property = propertyOf(written);
    if (property === undefined || !Object.hasOwn(properties, property)) return isOpen ? dynType : undefined;
    const type = types.get(property) ?? typeOf(properties[property]!, `${name}.${property}`, referred);
    types.set(property, type);
    return type;
  });
}
