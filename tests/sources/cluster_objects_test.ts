/** Objects of a cluster are read kind by kind: what cannot be read is a problem, and does not end the rest. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import type { Cluster } from "../../lib/ports.ts";
import { clusterObjects } from "../../lib/sources/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules: [{name: r, match: {any: [{resources: {kinds: [ConfigMap, Deployment]}}]}, validate: {deny: {}}}]
`;

function resources(kind: string, name: string): Json {
  return { resources: [{ name, kind, namespaced: true, verbs: ["list"] }] };
}

function group(name: string): Json {
  return { name, preferredVersion: { groupVersion: `${name}/v1`, version: "v1" } };
}

const answers: Readonly<Record<string, Json>> = {
  "/apis": { groups: [group("metrics.k8s.io"), group("apps")] },
  "/api/v1": resources("ConfigMap", "configmaps"),
  "/apis/apps/v1": resources("Deployment", "deployments"),
  "/api/v1/configmaps": { items: [{ metadata: { name: "a" } }] },
  "/apis/apps/v1/deployments": { items: [{ metadata: { name: "b" } }] },
};

function clusterWithout(...paths: readonly string[]): Cluster {
  return {
    call: ({ path }) => {
      const found = answers[path.split("?")[0]!];
      return Promise.resolve(
        found === undefined || paths.includes(path.split("?")[0]!)
          ? { ok: false, status: 503, message: "the server is currently unable to handle the request" }
          : { ok: true, status: 200, body: found },
      );
    },
    resource: () => Promise.resolve(undefined),
  };
}

const unable = "the server is currently unable to handle the request";

const rows: readonly (readonly [what: string, lacking: readonly string[], found: readonly string[]])[] = [
  ["a group that does not answer", [], [`metrics.k8s.io/v1: ${unable}`, "a", "b"]],
  [
    "a kind that cannot be listed",
    ["/api/v1/configmaps"],
    [`metrics.k8s.io/v1: ${unable}`, `v1 ConfigMap cannot be listed: ${unable}`, "b"],
  ],
  ["a list of groups that cannot be read", ["/apis"], [`the cluster does not say what it serves: ${unable}`]],
];

for (const [what, lacking, expected] of rows) {
  Deno.test(`objects of a cluster: ${what} is a problem, and what answers is read`, async () => {
    const { documents } = parseDocuments(policy, "p.yaml");
    const options = { snapshots: [compile(documents)], clusterWide: true, batchSize: 10, concurrent: 2 };
    const found: string[] = [];
    for await (const each of clusterObjects({ ...options, cluster: clusterWithout(...lacking) })) {
      found.push(each.kind === "object" ? nameOf(each.object) : each.problem.message);
    }
    assert.deepEqual(found, expected);
  });
}
