import { parseApiVersion } from "../../kube/mod.ts";
import { openReports, policyReports, type ReportKind } from "../../live/mod.ts";
import type { FieldNotes, Shape } from "../../shape/mod.ts";
import { age, type DefinedKind, type PrinterColumn } from "./defined_kind.ts";
import type { FieldDetails } from "./structural_schema.ts";

const results = ["pass", "fail", "warn", "error", "skip"];

const reference: Shape = {
  apiVersion: "text",
  kind: "text",
  namespace: "text",
  name: "text",
  uid: "text",
  resourceVersion: "text",
  fieldPath: "text",
};

/** A report about one object (the Kubernetes Policy WG's report API, `wgpolicyk8s.io/v1alpha2`). */
const report: Readonly<Record<string, Shape>> = {
  scope: reference,
  scopeSelector: "open",
  summary: Object.fromEntries(results.map((name) => [name, "number" as const])),
  results: [{
    source: "text",
    policy: "text",
    rule: "text",
    category: "text",
    severity: "text",
    timestamp: { seconds: "number", nanos: "number" },
    result: "text",
    scored: "flag",
    resources: [reference],
    resourceSelector: "open",
    message: "text",
    properties: "open",
  }],
};

const notes: FieldNotes = {
  source: "The program that wrote the results.",
  scope: "The object that the report is about.",
  scopeSelector: "Labels of the objects that the report is about.",
  configuration: "The configuration of the program that wrote the report.",
  summary: "The number of results of each kind.",
  results: "A result for each rule that was evaluated.",
  "summary.pass": "The number of rules that the object satisfies.",
  "summary.fail": "The number of rules that it breaks.",
  "summary.warn": "The number of rules that it breaks and that do not count.",
  "summary.error": "The number of rules that could not be evaluated.",
  "summary.skip": "The number of rules that were skipped.",
  "results.source": "The program, or the kind of the policy.",
  "results.policy": "The policy: its name, or `NAMESPACE/NAME`.",
  "results.rule": "The rule.",
  "results.category": "The annotation policies.kyverno.io/category of the policy.",
  "results.severity": "The annotation policies.kyverno.io/severity of the policy.",
  "results.timestamp": "The time of the evaluation.",
  "timestamp.seconds": "Seconds since 1970.",
  "timestamp.nanos": "Nanoseconds within the second.",
  "results.result": "`pass`, `fail`, `warn`, `error` or `skip`.",
  "results.scored": "Whether a failure counts as one; otherwise it is a warning.",
  "results.resources": "The objects, if they are others than those of the scope.",
  "results.resourceSelector": "Labels of the objects.",
  "results.message": "The reason of the result.",
  "results.description": "The reason of the result.",
  "results.properties": "Further values, such as the names of exceptions.",
  uid: "The uid of the object.",
  resourceVersion: "The version of the object.",
  fieldPath: "The part of the object.",
};

const details: FieldDetails = {
  "results[].result": { enum: results },
  "results[].timestamp.seconds": { format: "int64" },
  "results[].timestamp.nanos": { format: "int32" },
};

function columns(priority: number): PrinterColumn[] {
  const scope = (name: string): PrinterColumn => ({
    name,
    jsonPath: `.scope.${name.toLowerCase()}`,
    type: "string",
    priority,
  });
  const sums = ["Pass", "Fail", "Warn", "Error", "Skip"].map((name): PrinterColumn => ({
    name,
    jsonPath: `.summary.${name.toLowerCase()}`,
    type: "integer",
  }));
  return [scope("Kind"), scope("Name"), ...sums, age("Age")];
}

interface ReportGroup {
  readonly reports: ReportKind;
  /** The priority of the columns that name the object. */
  readonly priority: number;
  readonly fields: Readonly<Record<string, Shape>>;
}

const policyWorkingGroup: ReportGroup = { reports: policyReports, priority: 0, fields: report };

const openGroup: ReportGroup = {
  reports: openReports,
  priority: 1,
  fields: {
    ...report,
    source: "text",
    configuration: "open",
    results: [{ ...(report["results"] as readonly [object])[0], description: "text" }],
  },
};

/** Reports about policies. */
export const reportKinds: readonly DefinedKind[] = [
  definedKind(policyWorkingGroup, "namespaced", "polr"),
  definedKind(policyWorkingGroup, "clusterWide", "cpolr"),
  definedKind(openGroup, "namespaced", "reps"),
  definedKind(openGroup, "clusterWide", "creps"),
];

function definedKind(
  { reports, priority, fields }: ReportGroup,
  scope: "namespaced" | "clusterWide",
  shortName: string,
): DefinedKind {
  const { group, version } = parseApiVersion(reports.apiVersion), { kind, path } = reports[scope];
  const object = scope === "namespaced" ? "an object in a namespace" : "a cluster-wide object";
  return {
    group,
    kind,
    about: `The results of policies for ${object}.`,
    notes,
    plural: path,
    shortNames: [shortName],
    namespaced: scope === "namespaced",
    versions: [{ name: version }],
    columns: columns(priority),
    fields,
    details,
    status: false,
  };
}
