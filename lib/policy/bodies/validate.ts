import { asList, asObject, asString, field, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { selectorShape } from "../../shape/mod.ts";
import { manifestsShape } from "../image_shape.ts";
import type { BodyFormat } from "./body_format.ts";
import { type Validation, validation } from "./check.ts";

/** The Pod must satisfy a level of the Pod Security Standards. */
export interface PodSecurityBody extends Validation {
  readonly kind: "podSecurity";
  readonly level: string;
  /** The version; empty for the latest. */
  readonly version: string;
  readonly exclude: readonly JsonObject[];
}

/** CEL expressions with the semantics of a ValidatingAdmissionPolicy. */
export interface CelBody extends Validation {
  readonly kind: "cel";
  /** Whether a ValidatingAdmissionPolicy is made from the rule, which the API server enforces. */
  readonly generate: boolean;
  readonly expressions: readonly JsonObject[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly auditAnnotations: readonly JsonObject[];
  readonly paramKind: JsonObject | undefined;
  readonly paramRef: JsonObject | undefined;
}

/** An assertion tree over the request. */
export interface AssertBody extends Validation {
  readonly kind: "assert";
  readonly tree: Json;
}

/** The object must be signed as a whole, in the format of k8s-manifest-sigstore. */
export interface ManifestsBody extends Validation {
  readonly kind: "manifests";
  readonly manifests: JsonObject;
}

export const podSecurityFormat: BodyFormat<PodSecurityBody> = {
  kind: "podSecurity",
  section: "validate",
  shape: {
    podSecurity: {
      level: "text",
      version: "text",
      exclude: [{ controlName: "text", images: ["text"], restrictedField: "text", values: ["text"] }],
    },
  },
  recognises: (validate) => isObject(field(validate, "podSecurity")),
  read: (validate) => {
    const block = field(validate, "podSecurity");
    return {
      kind: "podSecurity",
      level: asString(field(block, "level")) ?? "",
      version: asString(field(block, "version")) ?? "",
      exclude: asList(field(block, "exclude")).filter(isObject),
      ...validation(validate),
    };
  },
  carryOver: (validate) => ({ podSecurity: validate["podSecurity"]! }),
};

export const celFormat: BodyFormat<CelBody> = {
  kind: "cel",
  section: "validate",
  shape: {
    cel: {
      generate: "flag",
      expressions: [{ expression: "text", message: "text", messageExpression: "text", reason: "text" }],
      auditAnnotations: [{ key: "text", valueExpression: "text" }],
      variables: [{ name: "text", expression: "text" }],
      paramKind: { apiVersion: "text", kind: "text" },
      paramRef: { name: "text", namespace: "text", selector: selectorShape, parameterNotFoundAction: "text" },
    },
  },
  recognises: (validate) => isObject(field(validate, "cel")),
  read: (validate) => {
    const block = field(validate, "cel");
    return {
      kind: "cel",
      generate: field(block, "generate") === true,
      expressions: asList(field(block, "expressions")).filter(isObject),
      variables: asList(field(block, "variables")).map((variable) => ({
        name: asString(field(variable, "name")) ?? "",
        expression: asString(field(variable, "expression")) ?? "",
      })),
      auditAnnotations: asList(field(block, "auditAnnotations")).filter(isObject),
      paramKind: asObject(field(block, "paramKind")),
      paramRef: asObject(field(block, "paramRef")),
      ...validation(validate),
    };
  },
  carryOver: (validate) => ({ cel: validate["cel"]! }),
};

export const assertFormat: BodyFormat<AssertBody> = {
  kind: "assert",
  section: "validate",
  shape: { assert: "open" },
  recognises: (validate) => field(validate, "assert") !== undefined,
  read: (validate) => ({ kind: "assert", tree: field(validate, "assert")!, ...validation(validate) }),
  carryOver: ({ assert }, wrap) =>
    isObject(assert)
      ? {
        assert: Object.fromEntries(
          Object.entries(assert).map(([name, value]) =>
            [name, name === "object" || name === "oldObject" ? wrap(value) : value] as const
          ),
        ),
      }
      : undefined,
};

export const manifestsFormat: BodyFormat<ManifestsBody> = {
  kind: "manifests",
  section: "validate",
  shape: { manifests: manifestsShape },
  recognises: (validate) => isObject(field(validate, "manifests")),
  read: (validate) => ({
    kind: "manifests",
    manifests: asObject(field(validate, "manifests"))!,
    ...validation(validate),
  }),
};
