/** A cluster with objects to clean up, and clocks by which they are due. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { asList, field, isObject, type JsonObject } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import type { PolicyObject } from "../../lib/live/policy_objects.ts";
import { policyObjectKinds } from "../../lib/policy/mod.ts";
import type { ApiCall, Clock, Cluster, Discovery, ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";

export const created = Date.parse("2026-11-22T10:00:00Z");

export function object(text: string): JsonObject {
  const { value } = parseDocuments(text, "object.yaml").documents[0]!;
  assert.ok(isObject(value));
  return value;
}

export const configMaps: ServedResource = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
  verbs: ["list", "watch", "delete"],
  subresources: [],
  preferred: true,
};

export const configMapsPath = "/api/v1/namespaces/default/configmaps";

export function configMap(name: string, labels: JsonObject = {}, namespace = "default"): JsonObject {
  const metadata = {
    name,
    namespace,
    uid: name,
    creationTimestamp: "2026-11-22T10:00:00Z",
    labels,
  };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

/** A cluster that grants every right, and lets a test see each deletion before it is carried out. */
export function clusterWith(
  objects: readonly JsonObject[],
  { clock, deleting = () => {} }: { readonly clock: Clock; readonly deleting?: (call: ApiCall) => void },
): Cluster {
  const cluster = new EmbeddedCluster({ objects, clock, entropy: countingEntropy() });
  return {
    call: (call) => {
      if (call.method === "DELETE") deleting(call);
      return call.path.endsWith("/subjectaccessreviews")
        ? Promise.resolve({ ok: true, status: 201, body: { status: { allowed: true } } })
        : cluster.call(call);
    },
    resource: (...type) => cluster.resource(...type),
  };
}

export async function namesIn(cluster: Cluster): Promise<string[]> {
  const answer = await cluster.call({ method: "GET", path: configMapsPath });
  assert.ok(answer.ok);
  return asList(field(answer.body, "items")).map(nameOf);
}

/** Waits until work without timers has ended. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve));
}

export const almostDue: Clock = { now: () => created + 59_999 };

export const allServed: Discovery = {
  resources: () => Promise.resolve({ ok: true, resources: [configMaps] }),
};

/** A DeletingPolicy that deletes all ConfigMaps. */
export function deleting(): PolicyObject {
  const kind = policyObjectKinds.find((each) => each.kind === "DeletingPolicy")!;
  const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
  return {
    kind,
    object: {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: "DeletingPolicy",
      metadata: { name: "p", uid: "u" },
      spec: { schedule: "* * * * *", matchConstraints: { resourceRules } },
    },
  };
}
