import { exceptionSpecShape, policySpecShape, specShapeOf } from "../../documents/mod.ts";
import {
  celGroup,
  type CelKind,
  clusterWideKind,
  type PolicyObjectKind,
  policyObjectKinds,
} from "../../policy/mod.ts";
import type { FieldNotes, Shape } from "../../shape/mod.ts";
import {
  age,
  byDefault,
  type DefinedKind,
  namesOf,
  namesOfKind,
  type PrinterColumn,
} from "./defined_kind.ts";
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

/** Kyverno parity: the defaults of its definitions; pinned by "definitions set the same defaults as Kyverno's". */
const policyDetails: FieldDetails = {
  "spec.admission": byDefault(true),
  "spec.background": byDefault(true),
  "spec.emitWarning": byDefault(false),
  "spec.validationFailureAction": byDefault("Audit"),
  "spec.rules[].skipBackgroundRequests": byDefault(true),
  "spec.rules[].validate.allowExistingViolations": byDefault(true),
};

/** Policies, exceptions and cleanup policies of kyverno.io. */
export const classicDefinitions: readonly DefinedKind[] = [
  policy(
    "ClusterPolicy",
    "Rules that validate, mutate and generate objects and verify images, in the whole cluster.",
  ),
  policy("Policy", "Rules that validate, mutate and generate objects and verify images, in one namespace."),
  {
    ...namesOfKind("PolicyException"),
    about: "Exempts the objects that it matches from named rules of ClusterPolicies and Policies.",
    categories,
    versions: [{ name: "v2" }, { name: "v2beta1", deprecated: true }],
    columns: [],
    fields: { spec: exceptionSpecShape },
    required: ["spec"],
    status: false,
  },
  cleanup("CleanupPolicy", "Deletes the objects of its namespace that it matches, on schedule."),
  cleanup("ClusterCleanupPolicy", "Deletes the objects that it matches, on schedule."),
];

/** The fields of a CustomResourceDefinition that all policy kinds of kyverno.io share. */
function kindOf(kind: string, about: string) {
  return { ...namesOfKind(kind), about, categories, required: ["spec"], status: true };
}

function policy(kind: string, about: string): DefinedKind {
  return {
    ...kindOf(kind, about),
    versions: [{ name: "v1" }, { name: "v2beta1" }],
    columns: policyColumns,
    fields: { spec: policySpecShape },
    details: policyDetails,
  };
}

function cleanup(kind: string, about: string): DefinedKind {
  const { match, exclude, context } = ruleShape();
  return {
    ...kindOf(kind, about),
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

/** The begin of the sentence about each kind, which ends in its scope. */
const celSentences: Readonly<Record<CelKind, string>> = {
  ValidatingPolicy: "Expressions in CEL that objects must satisfy",
  MutatingPolicy: "Changes of objects, in CEL",
  GeneratingPolicy: "Objects that are made when others change, in CEL",
  ImageValidatingPolicy: "Signatures and attestations that images must have, in CEL",
  DeletingPolicy: "Deletes objects on schedule; conditions are in CEL",
};

/** The kinds of policies.kyverno.io: those of policies, and exceptions from them. */
export const celDefinitions: readonly DefinedKind[] = [
  ...policyObjectKinds.filter(({ role }) => role === "cel" || role === "deleting").map(celPolicy),
  {
    ...namesOfKind("PolicyException", celGroup),
    about: "Exempts the objects that it matches from policies in CEL.",
    notes: exceptionNotes,
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

function celPolicy(policyKind: PolicyObjectKind): DefinedKind {
  const kind = clusterWideKind(policyKind.kind) as CelKind, { namespaced } = policyKind;
  const versions = [{ name: "v1beta1" }, { name: "v1" }];
  return {
    ...namesOf(policyKind),
    about: `${celSentences[kind]}, in ${namespaced ? "one namespace" : "the whole cluster"}.`,
    categories,
    versions: namespaced ? versions : [...versions, { name: "v1alpha1", deprecated: true }],
    columns: [
      age("AGE"),
      ...(kind === "GeneratingPolicy" ? [] : [conditionReady]),
      conditionMessage,
    ],
    fields: { spec: specShapeOf(kind) },
    // The schema of an ImageValidatingPolicy does not restrict the values of `failurePolicy`.
    details: kind === "ImageValidatingPolicy" ? {} : { "spec.failurePolicy": { enum: ["Ignore", "Fail"] } },
    required: ["spec"],
    status: true,
  };
}
