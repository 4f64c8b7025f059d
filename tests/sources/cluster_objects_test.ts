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
    const options = { snapshots: [compile(documents)], clusterWide: false, batchSize: 10, concurrent: 2 };
    const found: string[] = [];
    for await (const each of clusterObjects({ ...options, cluster: clusterWithout(...lacking) })) {
      found.push(each.kind === "object" ? nameOf(each.object) : each.problem.message);
    }
    assert.deepEqual(found, expected);
  });
}

const deleting = `
apiVersion: policies.kyverno.io/v1
kind: DeletingPolicy
metadata: {name: d}
spec:
  schedule: "* * * * *"
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]}
  conditions: [{name: all, expression: "true"}]
`;
const wide = `${policy.replace("ConfigMap", "Namespace")}`;
const everything: Readonly<Record<string, Json>> = {
  "/apis": { groups: [group("apps")] },
  "/api/v1": {
    resources: [
      { name: "configmaps", kind: "ConfigMap", namespaced: true, verbs: ["list"] },
      { name: "namespaces", kind: "Namespace", namespaced: false, verbs: ["list"] },
    ],
  },
  "/apis/apps/v1": resources("Deployment", "deployments"),
};

const lists: readonly (readonly [
  what: string,
  policy: string,
  options: { readonly clusterWide: boolean; readonly namespace?: string },
  listed: readonly string[],
])[] = [
  ["a DeletingPolicy", deleting, { clusterWide: false }, ["/api/v1/configmaps"]],
  ["all namespaces", wide, { clusterWide: false }, ["/api/v1/namespaces", "/apis/apps/v1/deployments"]],
  ["one namespace", wide, { clusterWide: false, namespace: "shop" }, [
    "/apis/apps/v1/namespaces/shop/deployments",
  ]],
  ["--cluster-wide-resources", wide, { clusterWide: true }, ["/api/v1/namespaces"]],
  ["--cluster-wide-resources and one namespace", wide, { clusterWide: true, namespace: "shop" }, [
    "/api/v1/namespaces",
    "/apis/apps/v1/namespaces/shop/deployments",
  ]],
];
for (const [what, text, options, expected] of lists) {
  Deno.test(`objects of a cluster: what is listed for ${what}`, async () => {
    const listed: string[] = [];
    const cluster: Cluster = {
      call: ({ path }) => {
        const [plain] = path.split("?");
        const body = everything[plain!];
        if (body === undefined) listed.push(plain!);
        return Promise.resolve({ ok: true, status: 200, body: body ?? { items: [] } });
      },
      resource: () => Promise.resolve(undefined),
    };
    const snapshots = [compile(parseDocuments(text, "p.yaml").documents)];
    for await (const _ of clusterObjects({ ...options, snapshots, batchSize: 10, concurrent: 2, cluster }));
    assert.deepEqual(listed, expected);
  });
}
