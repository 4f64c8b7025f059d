import { apiCallShape } from "../../context/mod.ts";
import type { FieldNotes, Shape } from "../../shape/mod.ts";
import { age, byDefault, type DefinedKind, namesOfKind, type PrinterColumn } from "./defined_kind.ts";

const categories = ["kyverno"];

const reference: Shape = { apiVersion: "text", kind: "text", namespace: "text", name: "text", uid: "text" };

function column(name: string, jsonPath: string): PrinterColumn {
  return { name, jsonPath, type: "string" };
}

const entryNotes: FieldNotes = {
  "spec.kubernetesResource": "Objects of the cluster that are watched.",
  "kubernetesResource.group": "The API group; empty for the core group.",
  "kubernetesResource.version": "The API version.",
  "kubernetesResource.resource": "The resource in the plural: `deployments`.",
  "kubernetesResource.namespace": "The namespace of the objects; all when absent.",
  "apiCall.refreshInterval": "The time after which the call is made again: `10m`.",
  "apiCall.retryLimit": "The number of attempts when the call fails.",
  "spec.projections": "Parts of the objects or of the answer, under names; rules read them as `ENTRY.NAME`.",
  "projections.name": "The name of the part.",
  "projections.jmesPath": "The expression in JMESPath that makes the part.",
};

const requestNotes: FieldNotes = {
  "spec.requestType": "`generate`, `mutate`, `cel-generate` or `cel-mutate`.",
  "spec.policy": "The policy: its name, or `NAMESPACE/NAME`.",
  "spec.rule": "The rule.",
  "spec.ruleContext": "The rules and their triggers.",
  "ruleContext.rule": "The rule.",
  "ruleContext.trigger": "The object whose request makes the rule run.",
  "ruleContext.deleteDownstream": "Whether generated objects are deleted.",
  "ruleContext.synchronize": "Whether generated objects follow their source.",
  "ruleContext.cacheRestore": "Whether the request restores what was cached.",
  "spec.context": "The user and the admission request.",
  "spec.resource": "The object whose request makes the rule run.",
  "spec.deleteDownstream": "Whether generated objects are deleted.",
  "spec.synchronize": "Whether generated objects follow their source.",
  uid: "The uid of the object.",
};

/** The kinds of global context entries and of update requests. */
export const workKinds: readonly DefinedKind[] = [
  {
    ...namesOfKind("GlobalContextEntry"),
    about: "Objects of the cluster or an answer of a service, kept in memory for all policies.",
    notes: entryNotes,
    categories,
    versions: [{ name: "v2beta1" }, { name: "v2" }, { name: "v2alpha1", deprecated: true }],
    columns: [
      age("AGE"),
      column("REFRESH INTERVAL", ".spec.apiCall.refreshInterval"),
      { name: "LAST REFRESH", jsonPath: ".status.lastRefreshTime", type: "date" },
      column("READY", '.status.conditions[?(@.type == "Ready")].status'),
      column("MESSAGE", '.status.conditions[?(@.type == "Ready")].message'),
    ],
    fields: {
      spec: {
        kubernetesResource: { group: "text", version: "text", resource: "text", namespace: "text" },
        apiCall: { ...apiCallShape, refreshInterval: "text", retryLimit: "number" },
        projections: [{ name: "text", jmesPath: "text" }],
      },
    },
    details: {
      "spec.apiCall.method": byDefault("GET"),
      "spec.apiCall.refreshInterval": byDefault("10m"),
      "spec.apiCall.retryLimit": { minimum: 1, ...byDefault(3) },
    },
    required: ["spec"],
    status: true,
  },
  {
    group: "kyverno.io",
    kind: "UpdateRequest",
    about: "Work that a rule left: objects to generate or to change. Postern makes and deletes it.",
    notes: requestNotes,
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
