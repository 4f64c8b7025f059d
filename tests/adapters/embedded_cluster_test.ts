/** The embedded cluster: the contract of every cluster, and what only files in memory have. */
import assert from "node:assert/strict";
import { EmbeddedCluster, systemObjects } from "../../lib/embedded/mod.ts";
import { asList, dig, Fault, field, type Json } from "../../lib/json/mod.ts";
import { clusterContract } from "../contract/cluster.ts";
import { countingEntropy, fixedClock } from "./fakes.ts";

function cluster(...objects: Json[]): EmbeddedCluster {
  return new EmbeddedCluster({ objects, clock: fixedClock(), entropy: countingEntropy() });
}

clusterContract(
  "embedded cluster",
  () => Promise.resolve({ cluster: cluster(...systemObjects()), close: () => {} }),
);

async function get(of: EmbeddedCluster, path: string): Promise<Json> {
  const answer = await of.call({ method: "GET", path });
  assert.ok(answer.ok, answer.ok ? "" : answer.message);
  return answer.body;
}

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } };

Deno.test("objects without a namespace are in default, as with kubectl", async () => {
  const object = await get(cluster(configMap), "/api/v1/namespaces/default/configmaps/settings");
  assert.deepEqual(field(object, "data"), { a: "1" });
});

Deno.test("lists are read as their items, and of two objects with one name the later one stays", async () => {
  const { apiVersion: _v, kind: _k, ...bare } = configMap;
  const later = { ...configMap, data: { a: "2" } };
  const held = cluster({ apiVersion: "v1", kind: "ConfigMapList", items: [bare] }, {
    apiVersion: "v1",
    kind: "List",
    items: [later],
  });
  const list = await get(held, "/api/v1/configmaps");
  assert.deepEqual(asList(field(list, "items")).map((item) => field(item, "data")), [{ a: "2" }]);
});

Deno.test("the plural and scope of a kind without a definition follow from its objects", async () => {
  const held = cluster(
    { apiVersion: "example.com/v1", kind: "Policy", metadata: { name: "a", namespace: "team" } },
    { apiVersion: "example.com/v1", kind: "ClusterPolicy", metadata: { name: "b" } },
  );
  const policyA = await get(held, "/apis/example.com/v1/namespaces/team/policies/a");
  assert.equal(field(policyA, "kind"), "Policy");
  const list = await get(held, "/apis/example.com/v1/clusterpolicies");
  assert.equal(field(asList(field(list, "items"))[0] ?? null, "kind"), "ClusterPolicy");
  assert.equal((await held.resource("example.com/v1", "ClusterPolicy"))?.namespaced, false);
});

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "mice.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Mouse", plural: "mice" },
    versions: [{ name: "v1", served: true }, { name: "v2", served: true }, { name: "v0", served: false }],
  },
};

Deno.test("definitions set plural, scope and versions, and each version serves the objects", async () => {
  const held = cluster(
    { apiVersion: "example.com/v1", kind: "Mouse", metadata: { name: "m", namespace: "a" } },
    definition,
  );
  const mouse = await get(held, "/apis/example.com/v2/namespaces/a/mice/m");
  assert.equal(field(mouse, "apiVersion"), "example.com/v2");
  assert.equal((await held.call({ method: "GET", path: "/apis/example.com/v0/mice" })).status, 404);
  assert.equal((await held.resource("example.com/v1", "Mouse"))?.plural, "mice");
});

Deno.test("a created definition serves its kind, a deleted one does not", async () => {
  const held = cluster(...systemObjects());
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  assert.ok((await held.call({ method: "POST", path, body: definition })).ok);
  const mice = "/apis/example.com/v1/namespaces/default/mice";
  const body = { apiVersion: "example.com/v1", kind: "Mouse", metadata: { name: "m" }, spec: { a: 1 } };
  assert.ok((await held.call({ method: "POST", path: mice, body })).ok);
  const put = await held.call({ method: "PUT", path: `${mice}/m`, body });
  assert.equal(
    put.ok ? "" : put.message,
    'mice.example.com "m" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  );
  assert.ok((await held.call({ method: "DELETE", path: `${path}/mice.example.com` })).ok);
  assert.equal((await held.call({ method: "GET", path: mice })).status, 404);
});

Deno.test("deleting a namespace deletes its objects", async () => {
  const held = cluster({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } }, {
    ...configMap,
    metadata: { name: "x", namespace: "a" },
  });
  assert.ok((await held.call({ method: "DELETE", path: "/api/v1/namespaces/a" })).ok);
  assert.equal((await held.call({ method: "GET", path: "/api/v1/namespaces/a/configmaps/x" })).status, 404);
});

Deno.test("a write to an object leaves its status alone, and one to its status the rest", async () => {
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const held = cluster(...systemObjects());
  const body = { metadata: { name: "d" }, spec: { replicas: 1 }, status: { replicas: 9 } };
  const made = await held.call({ method: "POST", path, body });
  assert.ok(made.ok && field(made.body, "status") === undefined);
  const contentType = "application/merge-patch+json";
  const patch = { spec: { replicas: 2 }, status: { replicas: 1 } };
  await held.call({ method: "PATCH", path: `${path}/d/status`, body: patch, contentType });
  const one = await get(held, `${path}/d`);
  assert.deepEqual([field(one, "spec"), field(one, "status")], [{ replicas: 1 }, { replicas: 1 }]);
  assert.equal(dig(one, "metadata", "generation"), 1);
  await held.call({
    method: "PATCH",
    path: `${path}/d`,
    body: { spec: { replicas: 3 }, status: null },
    contentType,
  });
  const two = await get(held, `${path}/d`);
  assert.deepEqual([field(two, "spec"), field(two, "status")], [{ replicas: 3 }, { replicas: 1 }]);
  assert.equal(dig(two, "metadata", "generation"), 2);
});

Deno.test("the cluster applies the patch types that it was given, and reports their faults", async () => {
  const held = new EmbeddedCluster({
    objects: [configMap],
    clock: fixedClock(),
    entropy: countingEntropy(),
    patches: {
      "application/json-patch+json": (object, patch) =>
        asList(patch).length === 0 ? new Fault("empty") : { ...object as object, data: { a: "patched" } },
    },
  });
  const call = { method: "PATCH", path: "/api/v1/namespaces/default/configmaps/settings" } as const;
  const contentType = "application/json-patch+json";
  const done = await held.call({ ...call, body: [1], contentType });
  assert.deepEqual(done.ok && field(done.body, "data"), { a: "patched" });
  const bad = await held.call({ ...call, body: [], contentType });
  assert.deepEqual([bad.status, bad.ok ? "" : bad.message], [422, "empty"]);
});

Deno.test("access rules: wildcards, names, paths, aggregation and groups", async () => {
  const rbac = "rbac.authorization.k8s.io/v1";
  const role = (name: string, rest: Json) => ({
    apiVersion: rbac,
    kind: "ClusterRole",
    metadata: { name, labels: { [name]: "yes" } },
    ...rest as object,
  });
  const bind = (name: string, subject: Json) => ({
    apiVersion: rbac,
    kind: "ClusterRoleBinding",
    metadata: { name },
    subjects: [subject],
    roleRef: { kind: "ClusterRole", name },
  });
  const held = cluster(
    role("star", { rules: [{ apiGroups: ["*"], resources: ["*/scale"], verbs: ["*"] }] }),
    role("named", {
      rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["one"], verbs: ["get"] }],
    }),
    role("paths", { rules: [{ nonResourceURLs: ["/logs/*", "/healthz"], verbs: ["get"] }] }),
    role("sum", {
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { named: "yes" } }, { matchLabels: { sum: "yes" } }],
      },
    }),
    bind("star", { kind: "User", name: "star" }),
    bind("named", { kind: "Group", name: "named" }),
    bind("paths", { kind: "User", name: "paths" }),
    bind("sum", { kind: "ServiceAccount", name: "sum", namespace: "a" }),
  );
  const may = async (user: string, attributes: { [name: string]: string }) => {
    const { path, ...rest } = attributes;
    const spec = {
      user,
      groups: [user],
      ...(path === undefined
        ? { resourceAttributes: rest }
        : { nonResourceAttributes: { path, verb: "get" } }),
    };
    const answer = await held.call({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      body: { spec },
    });
    return answer.ok && dig(answer.body, "status", "allowed");
  };
  const table: [user: string, attributes: { [name: string]: string }, allowed: boolean][] = [
    ["star", { verb: "update", group: "apps", resource: "deployments", subresource: "scale" }, true],
    ["star", { verb: "update", group: "apps", resource: "deployments" }, false],
    ["named", { verb: "get", resource: "secrets", name: "one" }, true],
    ["named", { verb: "get", resource: "secrets", name: "two" }, false],
    ["named", { verb: "get", resource: "secrets" }, false],
    ["paths", { path: "/logs/kube" }, true],
    ["paths", { path: "/healthz" }, true],
    ["paths", { path: "/healthz/ping" }, false],
    ["system:serviceaccount:a:sum", { verb: "get", resource: "secrets", name: "one" }, true],
    ["system:serviceaccount:b:sum", { verb: "get", resource: "secrets", name: "one" }, false],
  ];
  for (const [user, attributes, allowed] of table) {
    assert.equal(await may(user, attributes), allowed, `${user} ${JSON.stringify(attributes)}`);
  }
});

Deno.test("hostile names are plain fields", async () => {
  const hostile = JSON.parse(
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p","__proto__":"x"},"data":{"__proto__":"y"}}',
  );
  const held = cluster(...systemObjects(), hostile);
  const path = "/api/v1/namespaces/default/configmaps/p";
  const patch = JSON.parse('{"data":{"__proto__":"z","constructor":"c"}}');
  await held.call({ method: "PATCH", path, body: patch, contentType: "application/merge-patch+json" });
  const data = field(await get(held, path), "data");
  assert.deepEqual(Object.entries(data as object).sort(), [["__proto__", "z"], ["constructor", "c"]]);
  for (const name of ["__proto__", "constructor", "toString"]) {
    assert.equal(
      (await held.call({ method: "GET", path: `/api/v1/namespaces/default/${name}` })).status,
      404,
    );
    assert.equal((await held.call({ method: "GET", path: `/apis/${name}/v1/x` })).status, 404);
  }
});
