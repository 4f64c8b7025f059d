import { apiCallShape } from "../../context/mod.ts";
import type { Shape } from "../../shape/mod.ts";
import { age, byDefault, type DefinedKind, type PrinterColumn } from "./defined_kind.ts";

const categories = ["kyverno"];

const reference: Shape = { apiVersion: "text", kind: "text", namespace: "text", name: "text", uid: "text" };

function column(name: string, jsonPath: string): PrinterColumn {
  return { name, jsonPath, type: "string" };
}

/** The kinds of global context entries and of update requests. */
export const workKinds: readonly DefinedKind[] = [
  {
    group: "kyverno.io",
    kind: "GlobalContextEntry",
    plural: "globalcontextentries",
    shortNames: ["gctxentry"],
    categories,
    namespaced: false,
    versions: [{ name: "v2beta1" }, { name: "v2" }, { name: "v2alpha1", deprecated: true }],
    columns: [
      age("AGE"),
      column("REFRESH INTERVAL", ".spec.apiCall.refreshInterval"),
      { name: "LAST REFRESH", jsonPath: ".status.lastRefreshTime", type: "date" },
    ],
    fields: {
      spec: {
        kubernetesResource: { group: "text", version: "text", resource: "text", namespace: "text" },
        apiCall: { ...apiCallShape, refreshInterval: "text", retryLimit: "number" },
        projections: [{ name: "text", jmesPath: "text" }],
      },
    },
    details: {
      "spec.apiCall.method": { enum: ["GET", "POST"], ...byDefault("GET") },
      "spec.apiCall.refreshInterval": byDefault("10m"),
      "spec.apiCall.retryLimit": { minimum: 1, ...byDefault(3) },
    },
    required: ["spec"],
    status: true,
  },
  {
    group: "kyverno.io",
    kind: "UpdateRequest",
    plural: "updaterequests",
    shortNames: ["ur"],
    categories,
    namespaced: true,
    versions: [{ name: "v2" }],
    columns: [
      column("Policy", ".spec.policy"),
      column("RuleType", ".spec.requestType"),
      column("ResourceKind", ".spec.resource.kind"),
      column("ResourceName", ".spec.resource.name"),
      column("ResourceNamespace", ".spec.resource.namespace"),
      column("status", ".status.state"),
      age("Age"),
    ],
    fields: {
      spec: {
        requestType: "text",
        policy: "text",
        rule: "text",
        ruleContext: [{
          rule: "text",
          trigger: reference,
          deleteDownstream: "flag",
          synchronize: "flag",
          cacheRestore: "flag",
        }],
        context: "open",
        resource: reference,
        deleteDownstream: "flag",
        synchronize: "flag",
      },
    },
    status: true,
  },
];
