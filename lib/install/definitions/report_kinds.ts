import type { Shape } from "../../shape/mod.ts";
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
  readonly group: string;
  readonly version: string;
  /** The priority of the columns that name the object. */
  readonly priority: number;
  readonly fields: Readonly<Record<string, Shape>>;
}

const policyWorkingGroup: ReportGroup = {
  group: "wgpolicyk8s.io",
  version: "v1alpha2",
  priority: 0,
  fields: report,
};

const openReports: ReportGroup = {
  group: "openreports.io",
  version: "v1alpha1",
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
  made(policyWorkingGroup, "PolicyReport", { shortName: "polr", namespaced: true }),
  made(policyWorkingGroup, "ClusterPolicyReport", { shortName: "cpolr", namespaced: false }),
  made(openReports, "Report", { shortName: "reps", namespaced: true }),
  made(openReports, "ClusterReport", { shortName: "creps", namespaced: false }),
];

function made(
  { group, version, priority, fields }: ReportGroup,
  kind: string,
  { shortName, namespaced }: { readonly shortName: string; readonly namespaced: boolean },
): DefinedKind {
  return {
    group,
    kind,
    plural: `${kind.toLowerCase()}s`,
    shortNames: [shortName],
    namespaced,
    versions: [{ name: version }],
    columns: columns(priority),
    fields,
    details,
    status: false,
  };
}
