import { exceptionSpecShape, policySpecShape, specShapeOf } from "../../documents/mod.ts";
import type { Shape } from "../../shape/mod.ts";
import { age, byDefault, type DefinedKind, type PrinterColumn } from "./defined_kind.ts";
import type { FieldDetails } from "./structural_schema.ts";

const categories = ["kyverno"];

const ready = '.status.conditions[?(@.type == "Ready")]';

function count(name: string, field: string): PrinterColumn {
  return { name, jsonPath: `.status.rulecount.${field}`, type: "integer", priority: 1 };
}

const policyColumns: readonly PrinterColumn[] = [
  { name: "ADMISSION", jsonPath: ".spec.admission", type: "boolean" },
  { name: "BACKGROUND", jsonPath: ".spec.background", type: "boolean" },
  { name: "READY", jsonPath: `${ready}.status`, type: "string" },
  age("AGE"),
  { name: "FAILURE POLICY", jsonPath: ".spec.failurePolicy", type: "string", priority: 1 },
  count("VALIDATE", "validate"),
  count("MUTATE", "mutate"),
  count("GENERATE", "generate"),
  count("VERIFY IMAGES", "verifyimages"),
  { name: "MESSAGE", jsonPath: `${ready}.message`, type: "string" },
];

const actions = { enum: ["audit", "enforce", "Audit", "Enforce"] };

/** Kyverno parity: the defaults of its definitions; pinned by "definitions set the same defaults as Kyverno's". */
const policyDetails: FieldDetails = {
  "spec.admission": byDefault(true),
  "spec.background": byDefault(true),
  "spec.emitWarning": byDefault(false),
  "spec.validationFailureAction": { ...actions, ...byDefault("Audit") },
  "spec.failurePolicy": { enum: ["Ignore", "Fail"] },
  "spec.applyRules": { enum: ["All", "One"] },
  "spec.rules[].skipBackgroundRequests": byDefault(true),
  "spec.rules[].validate.failureAction": actions,
  "spec.rules[].validate.allowExistingViolations": byDefault(true),
};

/** Policies, exceptions and cleanup policies of kyverno.io. */
export const classicKinds: readonly DefinedKind[] = [
  policy("ClusterPolicy", "clusterpolicies", { shortName: "cpol", namespaced: false }),
  policy("Policy", "policies", { shortName: "pol", namespaced: true }),
  {
    group: "kyverno.io",
    kind: "PolicyException",
    plural: "policyexceptions",
    shortNames: ["polex"],
    categories,
    namespaced: true,
    versions: [{ name: "v2" }, { name: "v2beta1", deprecated: true }],
    columns: [],
    fields: { spec: exceptionSpecShape },
    required: ["spec"],
    status: false,
  },
  cleanup("CleanupPolicy", "cleanuppolicies", { shortName: "cleanpol", namespaced: true }),
  cleanup("ClusterCleanupPolicy", "clustercleanuppolicies", { shortName: "ccleanpol", namespaced: false }),
];

interface Naming {
  readonly shortName: string;
  readonly namespaced: boolean;
}

/** The fields of a CustomResourceDefinition that all policy kinds of kyverno.io share. */
function kindOf(kind: string, plural: string, { shortName, namespaced }: Naming) {
  const common = { group: "kyverno.io", kind, plural, shortNames: [shortName], categories, namespaced };
  return { ...common, required: ["spec"], status: true };
}

function policy(kind: string, plural: string, naming: Naming): DefinedKind {
  return {
    ...kindOf(kind, plural, naming),
    versions: [{ name: "v1" }, { name: "v2beta1" }],
    columns: policyColumns,
    fields: { spec: policySpecShape },
    details: policyDetails,
  };
}

function cleanup(kind: string, plural: string, naming: Naming): DefinedKind {
  const { match, exclude, context } = ruleShape();
  return {
    ...kindOf(kind, plural, naming),
    versions: [{ name: "v2" }, { name: "v2beta1", deprecated: true }],
    columns: [{ name: "Schedule", jsonPath: ".spec.schedule", type: "string" }, age("Age")],
    fields: {
      spec: {
        match: match!,
        exclude: exclude!,
        context: context!,
        conditions: "open",
        schedule: "text",
        deletionPropagationPolicy: "text",
      },
    },
    details: { "spec.deletionPropagationPolicy": { enum: ["Foreground", "Background", "Orphan"] } },
  };
}

/** The fields of a rule: a cleanup policy matches as a rule does. */
function ruleShape(): Readonly<Record<string, Shape>> {
  const rules = (policySpecShape as Readonly<Record<string, Shape>>)["rules"] as readonly [
    Readonly<Record<string, Shape>>,
  ];
  return rules[0];
}

const conditionReady: PrinterColumn = {
  name: "READY",
  jsonPath: ".status.conditionStatus.ready",
  type: "string",
};
const conditionMessage: PrinterColumn = {
  name: "MESSAGE",
  jsonPath: ".status.conditionStatus.message",
  type: "string",
};

/** The kinds of policies.kyverno.io, each cluster-wide and with `Namespaced` before its name, and their exceptions. */
export const celKinds: readonly DefinedKind[] = [
  ...cel("ValidatingPolicy", "vpol"),
  ...cel("MutatingPolicy", "mpol"),
  ...cel("GeneratingPolicy", "gpol", [conditionMessage]),
  ...cel("ImageValidatingPolicy", "ivpol"),
  ...cel("DeletingPolicy", "dpol"),
  {
    group: "policies.kyverno.io",
    kind: "PolicyException",
    plural: "policyexceptions",
    shortNames: [],
    namespaced: true,
    versions: [{ name: "v1beta1" }, { name: "v1" }, { name: "v1alpha1", deprecated: true }],
    columns: [],
    fields: {
      spec: {
        policyRefs: [{ name: "text", kind: "text" }],
        matchConditions: [{ name: "text", expression: "text" }],
        images: ["text"],
        allowedValues: ["text"],
        reportResult: "text",
        expiresAt: "text",
      },
    },
    details: { "spec.reportResult": { enum: ["skip", "pass"], ...byDefault("skip") } },
    required: ["spec"],
    status: false,
  },
];

function cel(
  kind: string,
  shortName: string,
  columns: readonly PrinterColumn[] = [conditionReady, conditionMessage],
): DefinedKind[] {
  const plural = `${kind.toLowerCase().slice(0, -1)}ies`;
  const shared = {
    group: "policies.kyverno.io",
    categories,
    columns: [age("AGE"), ...columns],
    fields: { spec: specShapeOf(kind) },
    // The schema of an ImageValidatingPolicy does not restrict the values of `failurePolicy`.
    details: kind === "ImageValidatingPolicy" ? {} : { "spec.failurePolicy": { enum: ["Ignore", "Fail"] } },
    required: ["spec"],
    status: true,
  };
  const versions = [{ name: "v1beta1" }, { name: "v1" }];
  return [
    {
      ...shared,
      kind,
      plural,
      shortNames: [shortName],
      namespaced: false,
      versions: [...versions, { name: "v1alpha1", deprecated: true }],
    },
    {
      ...shared,
      kind: `Namespaced${kind}`,
      plural: `namespaced${plural}`,
      shortNames: [`n${shortName}`],
      namespaced: true,
      versions,
    },
  ];
}
