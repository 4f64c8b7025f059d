import { exceptionSpecShape, policySpecShape, specShapeOf } from "../../documents/mod.ts";
import type { FieldNotes, Shape } from "../../shape/mod.ts";
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
  policy("ClusterPolicy", "clusterpolicies", {
    shortName: "cpol",
    namespaced: false,
    about: "Rules that validate, mutate and generate objects and verify images, in the whole cluster.",
  }),
  policy("Policy", "policies", {
    shortName: "pol",
    namespaced: true,
    about: "Rules that validate, mutate and generate objects and verify images, in one namespace.",
  }),
  {
    group: "kyverno.io",
    kind: "PolicyException",
    about: "Exempts the objects that it matches from named rules of ClusterPolicies and Policies.",
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
  cleanup("CleanupPolicy", "cleanuppolicies", {
    shortName: "cleanpol",
    namespaced: true,
    about: "Deletes the objects of its namespace that it matches, on schedule.",
  }),
  cleanup("ClusterCleanupPolicy", "clustercleanuppolicies", {
    shortName: "ccleanpol",
    namespaced: false,
    about: "Deletes the objects that it matches, on schedule.",
  }),
];

interface Naming {
  readonly about: string;
  readonly shortName: string;
  readonly namespaced: boolean;
}

/** The fields of a CustomResourceDefinition that all policy kinds of kyverno.io share. */
function kindOf(kind: string, plural: string, { about, shortName, namespaced }: Naming) {
  const common = {
    group: "kyverno.io",
    kind,
    about,
    plural,
    shortNames: [shortName],
    categories,
    namespaced,
  };
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
    notes: { "spec.exclude": "Objects that match and are not deleted all the same." },
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

const exceptionNotes: FieldNotes = {
  "spec.policyRefs": "The policies that have no effect on the objects.",
  "policyRefs.name": "The name of a policy.",
  "policyRefs.kind": "The kind of the policy, such as ValidatingPolicy.",
  "spec.matchConditions": "Expressions that must all be true for an object to be exempted.",
  "spec.images": "Images that the policies must allow; they read them as `exceptions.allowedImages`.",
  "spec.allowedValues": "Values that the policies must allow; they read them as `exceptions.allowedValues`.",
  "spec.reportResult": "`skip` or `pass`: the result that reports have.",
  "spec.expiresAt": "The time at which the exception ends.",
};

/** The kinds of policies.kyverno.io, each cluster-wide and with `Namespaced` before its name, and their exceptions. */
export const celKinds: readonly DefinedKind[] = [
  ...cel("ValidatingPolicy", { shortName: "vpol", about: "Expressions in CEL that objects must satisfy" }),
  ...cel("MutatingPolicy", { shortName: "mpol", about: "Changes of objects, in CEL" }),
  ...cel("GeneratingPolicy", {
    shortName: "gpol",
    about: "Objects that are made when others change, in CEL",
    columns: [conditionMessage],
  }),
  ...cel("ImageValidatingPolicy", {
    shortName: "ivpol",
    about: "Signatures and attestations that images must have, in CEL",
  }),
  ...cel("DeletingPolicy", {
    shortName: "dpol",
    about: "Deletes objects on schedule; conditions are in CEL",
  }),
  {
    group: "policies.kyverno.io",
    kind: "PolicyException",
    about: "Exempts the objects that it matches from policies in CEL.",
    notes: exceptionNotes,
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

interface CelNaming {
  readonly shortName: string;
  /** The begin of the sentence about the kind, which ends in its scope. */
  readonly about: string;
  readonly columns?: readonly PrinterColumn[];
}

function cel(
  kind: string,
  { about, shortName, columns = [conditionReady, conditionMessage] }: CelNaming,
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
      about: `${about}, in the whole cluster.`,
      plural,
      shortNames: [shortName],
      namespaced: false,
      versions: [...versions, { name: "v1alpha1", deprecated: true }],
    },
    {
      ...shared,
      kind: `Namespaced${kind}`,
      about: `${about}, in one namespace.`,
      plural: `namespaced${plural}`,
      shortNames: [`n${shortName}`],
      namespaced: true,
      versions,
    },
  ];
}
