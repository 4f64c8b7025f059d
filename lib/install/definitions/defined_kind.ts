import type { JsonObject } from "../../json/mod.ts";
import type { Shape } from "../../policy/mod.ts";
import type { FieldDetails } from "./structural_schema.ts";

/** A version in which a kind is served. */
export interface ServedVersion {
  readonly name: string;
  /** Whether users are warned when they use it. */
  readonly deprecated?: boolean;
}

/** A column that `kubectl get` prints. */
export interface PrinterColumn {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: "string" | "boolean" | "integer" | "date";
  /** 1 for columns of `-o wide`. */
  readonly priority?: number;
}

/** A kind of objects that an installation brings along. */
export interface DefinedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** The first one is stored. All have the same fields, so nothing is converted. */
  readonly versions: readonly ServedVersion[];
  readonly columns: readonly PrinterColumn[];
  /** The fields beside apiVersion, kind, metadata and status. */
  readonly fields: Readonly<Record<string, Shape>>;
  /** Of the fields, by path. */
  readonly details?: FieldDetails;
  readonly required?: readonly string[];
  /** Whether it has a status, written through a subresource of its own. */
  readonly status: boolean;
}

/** When an object was created. */
export function age(name: "AGE" | "Age"): PrinterColumn {
  return { name, jsonPath: ".metadata.creationTimestamp", type: "date" };
}

/** A default that the API server fills in. */
export function byDefault(value: string | boolean | number): JsonObject {
  return { default: value };
}
