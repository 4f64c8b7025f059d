import {
  asList,
  asObject,
  asTexts,
  dig,
  field,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../json/mod.ts";

/**
 * The sections of a CEL policy that other policies and webhook configurations are made of, as the author wrote them.
 */
export interface CelSections {
  readonly constraints: ConstraintSection;
  readonly matchConditions: readonly JsonObject[];
  readonly variables: readonly Json[];
  readonly validations: readonly Json[];
  readonly mutations: readonly Json[];
  readonly auditAnnotations: Json | undefined;
  readonly validationActions: readonly string[];
  readonly reinvocationPolicy: string;
  /** The kinds of admission policies that `spec.autogen` wants to be made. */
  readonly admissionPolicies: {
    readonly validatingAdmissionPolicy: boolean;
    readonly mutatingAdmissionPolicy: boolean;
  };
}

/** `matchConstraints`. */
export interface ConstraintSection {
  readonly written: JsonObject;
  readonly matchPolicy: "Exact" | "Equivalent";
  readonly namespaceSelector: Json | undefined;
  readonly objectSelector: Json | undefined;
  /** Whether it is one resource rule without names, and nothing else. */
  readonly isOneRule: boolean;
}

/** Reads the sections of a spec. */
export function parseCelSections(spec: JsonObject): CelSections {
  const wants = (kind: string): boolean => dig(spec, "autogen", kind, "enabled") === true;
  return {
    constraints: parseConstraints(asObject(field(spec, "matchConstraints")) ?? {}),
    matchConditions: asList(field(spec, "matchConditions")).filter(isObject),
    variables: asList(field(spec, "variables")),
    validations: asList(field(spec, "validations")),
    mutations: asList(field(spec, "mutations")),
    auditAnnotations: field(spec, "auditAnnotations"),
    validationActions: asTexts(field(spec, "validationActions")),
    reinvocationPolicy: textField(spec, "reinvocationPolicy"),
    admissionPolicies: {
      validatingAdmissionPolicy: wants("validatingAdmissionPolicy"),
      mutatingAdmissionPolicy: wants("mutatingAdmissionPolicy"),
    },
  };
}

function parseConstraints(written: JsonObject): ConstraintSection {
  const namespaceSelector = field(written, "namespaceSelector"),
    objectSelector = field(written, "objectSelector");
  const rules = asList(written["resourceRules"]);
  return {
    written,
    matchPolicy: written["matchPolicy"] === "Exact" ? "Exact" : "Equivalent",
    namespaceSelector,
    objectSelector,
    isOneRule: isEmpty(namespaceSelector) && isEmpty(objectSelector) && rules.length === 1 &&
      asList(written["excludeResourceRules"]).length === 0 &&
      asList(field(rules[0], "resourceNames")).length === 0,
  };
}

function isEmpty(selector: Json | undefined): boolean {
  return ["matchLabels", "matchExpressions"].every((part) =>
    Object.keys(field(selector, part) ?? {}).length === 0
  );
}
