import type { JsonObject } from "../../json/mod.ts";
import { type PolicyObjectKind, policyObjectKinds } from "../../policy/mod.ts";
import type { FieldNotes, Shape } from "../../shape/mod.ts";
import type { FieldDetails } from "./structural_schema.ts";

/** A served version of a kind. */
export interface ServedVersion {
  readonly name: string;
  /** Whether the API server warns its users. */
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

/** A kind of objects that an installation defines. */
export interface DefinedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** The versions; the first one is stored. All have the same fields, so nothing is converted. */
  readonly versions: readonly ServedVersion[];
  readonly columns: readonly PrinterColumn[];
  /** The sentence that `kubectl explain` shows about the kind. */
  readonly about: string;
  /** Descriptions of fields that policies do not have, by name or as `parent.field`; they count before those. */
  readonly notes?: FieldNotes;
  /** The fields besides apiVersion, kind, metadata and status. */
  readonly fields: Readonly<Record<string, Shape>>;
  /** Details of the fields, by path. */
  readonly details?: FieldDetails;
  readonly required?: readonly string[];
  /** Whether it has a status, which is a subresource. */
  readonly status: boolean;
}

/** The fields of a definition that the table of policy kinds has. */
export type PolicyNames = Pick<DefinedKind, "group" | "kind" | "plural" | "shortNames" | "namespaced">;

/** The names and the scope of a kind of policy objects. */
export function namesOf({ group, kind, plural, shortName, namespaced }: PolicyObjectKind): PolicyNames {
  return { group, kind, plural, shortNames: shortName === undefined ? [] : [shortName], namespaced };
}

/** The names and the scope of the kind of policy objects with a name in a group. */
export function namesOfKind(kind: string, group = "kyverno.io"): PolicyNames {
  return namesOf(policyObjectKinds.find((each) => each.kind === kind && each.group === group)!);
}

/** The column with an object's age. */
export function age(name: "AGE" | "Age"): PrinterColumn {
  return { name, jsonPath: ".metadata.creationTimestamp", type: "date" };
}

/** A default that the API server sets. */
export function byDefault(value: string | boolean | number): JsonObject {
  return { default: value };
}
