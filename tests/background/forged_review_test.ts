/**
 * Whoever reaches the port can send reviews of requests that never were, and another webhook can refuse a request that
 * Postern admitted: neither may change anything in the cluster.
 */
import assert from "node:assert/strict";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import type { PolicyRequest } from "../../lib/engine/mod.ts";
import { asObject, type JsonObject } from "../../lib/json/mod.ts";
import { keptLog, policies, portsWith, request } from "./setting.ts";

const rules = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: effects}
spec:
  rules:
  - name: credential
    match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: "?*"}}}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: Secret
      name: regcred
      namespace: "{{ request.object.metadata.name }}"
      clone: {namespace: default, name: regcred}
  - name: patch
    match: {any: [{resources: {kinds: [ConfigMap], names: [trigger]}}]}
    mutate:
      targets:
      - {apiVersion: apps/v1, kind: Deployment, namespace: victim, name: web}
      patchStrategicMerge: {spec: {replicas: 0}}
  - name: shell
    match: {any: [{resources: {kinds: [Pod/exec]}}]}
    mutate:
      targets:
      - {apiVersion: v1, kind: Pod, namespace: "{{ request.namespace }}", name: "{{ request.name }}"}
      patchStrategicMerge: {metadata: {labels: {opened: "yes"}}}
`;
const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: default, uid: u-default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: victim, uid: u-victim}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: blue, uid: u-blue, resourceVersion: "7", labels: {team: blue}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: regcred, namespace: default, uid: u-source}, data: {a: eA==}}
---
{apiVersion: v1, kind: Secret, metadata: {name: other, namespace: victim, uid: u-other}, data: {a: eA==}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: trigger, namespace: victim, uid: u-trigger}, data: {a: "1"}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: victim, uid: u-web}, spec: {replicas: 3}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: victim, uid: u-pod}}
`;

const namespacePath = (name: string): string => `/api/v1/namespaces/${name}`;
const clonePath = "/api/v1/namespaces/blue/secrets/regcred";
const sourcePath = "/api/v1/namespaces/default/secrets/regcred";

/** A cluster in which the namespace blue has its clone. */
async function setUp() {
  const { cluster, ports } = portsWith(objects);
  const snapshot = policies(rules);
  const log = keptLog();
  const worker = new BackgroundWorker({
    snapshot: () => snapshot,
    ports,
    log,
    triggers: "as-stored",
    actors: new Set(["postern"]),
    attempts: 2,
    wait: () => Promise.resolve(),
  });
  const read = async (path: string): Promise<JsonObject> => {
    const object = await cluster.read(path);
    assert.ok(object, path);
    return object;
  };
  const replace = (path: string, body: JsonObject) => cluster.inner.call({ method: "PUT", path, body });
  worker.add(request(await read(namespacePath("blue"))));
  await worker.drain();
  await read(clonePath);
  cluster.writes.length = 0;
  return { cluster, worker, log, read, replace };
}

type Cluster = Awaited<ReturnType<typeof setUp>>;

function changed(object: JsonObject, metadata: JsonObject, rest: JsonObject = {}): JsonObject {
  return { ...object, ...rest, metadata: { ...asObject(object["metadata"]), ...metadata } };
}

const ghost: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "ghost", uid: "u-ghost", labels: { team: "x" } },
};

const forged: Readonly<Record<string, (cluster: Cluster) => Promise<PolicyRequest>>> = {
  "a creation of an object that does not exist": () => Promise.resolve(request(ghost)),
  "a creation without a name in the request": () => Promise.resolve(request(ghost, { name: "" })),
  "a creation without any name": () =>
    Promise.resolve(request({ ...ghost, metadata: { labels: { team: "x" } } })),
  "a creation of an existing object with another uid": async ({ read }) =>
    request(changed(await read(namespacePath("victim")), { uid: "u-other", labels: { team: "x" } })),
  "a creation, without uid, of an existing object with other fields": async ({ read }) => {
    const { uid: _, ...metadata } = asObject((await read(namespacePath("victim")))["metadata"])!;
    const object = { apiVersion: "v1", kind: "Namespace", metadata };
    return request(changed(object, { labels: { team: "x" } }));
  },
  "a creation of one kind with the object of another": async ({ read }) => {
    const map = await read("/api/v1/namespaces/victim/configmaps/trigger");
    return request(changed(map, { labels: { team: "x" } }), { kind: "Namespace", name: "" });
  },
  "a creation in one namespace with the object of another": async ({ read }) =>
    request(await read("/api/v1/namespaces/victim/configmaps/trigger"), { namespace: "default" }),
  "an update that changes nothing": async ({ read }) => {
    const object = await read("/api/v1/namespaces/victim/configmaps/trigger");
    return request(object, { operation: "UPDATE", oldObject: object });
  },
  "an update that changes nothing, of an existing object with other fields": async ({ read }) => {
    const object = changed(await read("/api/v1/namespaces/victim/configmaps/trigger"), {}, {
      data: { a: "2" },
    });
    return request(object, { operation: "UPDATE", oldObject: object });
  },
  "an update that changes nothing, of an existing object with another uid": async ({ read }) => {
    const object = changed(await read("/api/v1/namespaces/victim/configmaps/trigger"), { uid: "u-other" });
    return request(object, { operation: "UPDATE", oldObject: object });
  },
  "an update whose object differs from the stored one": async ({ read }) => {
    const oldObject = await read(namespacePath("victim"));
    return request(changed(oldObject, { labels: { team: "x" } }), { operation: "UPDATE", oldObject });
  },
  "an update that another webhook denied": async ({ read }) => {
    const oldObject = await read("/api/v1/namespaces/victim/configmaps/trigger");
    return request(changed(oldObject, {}, { data: { a: "2" } }), { operation: "UPDATE", oldObject });
  },
  "an update that another webhook denied, before another change": async (
    { read, replace },
  ) => {
    const oldObject = await read("/api/v1/namespaces/victim/configmaps/trigger");
    await replace(
      "/api/v1/namespaces/victim/configmaps/trigger",
      changed(oldObject, { annotations: { seen: "1" }, resourceVersion: "" }),
    );
    return request(changed(oldObject, {}, { data: { a: "2" } }), { operation: "UPDATE", oldObject });
  },
  "an update that another webhook denied, after which the rule would not match": async (
    { read },
  ) => {
    const oldObject = await read(namespacePath("blue"));
    return request(changed(oldObject, { labels: {} }), { operation: "UPDATE", oldObject });
  },
  "an update of one object with the old state of another": async ({ read }) => {
    const object = await read(namespacePath("victim"));
    return request(object, { operation: "UPDATE", oldObject: await read(namespacePath("blue")) });
  },
  "a deletion of an object that still exists": async ({ read }) =>
    request(await read(namespacePath("blue")), { operation: "DELETE" }),
  "a deletion of an object that never existed, with the uid of an existing one": async ({ read }) =>
    request(changed(await read(namespacePath("blue")), { name: "ghost" }), { operation: "DELETE" }),
  "a deletion of a source that still exists": async ({ read }) =>
    request(await read(sourcePath), { operation: "DELETE" }),
  "a deletion of a source that never existed, with the uid of an existing one": async ({ read }) =>
    request(changed(await read(sourcePath), { name: "ghost" }), { operation: "DELETE" }),
  "an update of a foreign object with labels of a generated one": async ({ read, replace }) => {
    const path = "/api/v1/namespaces/victim/secrets/other";
    const object = await read(path);
    await replace(path, changed(object, { annotations: { seen: "1" }, resourceVersion: "" }));
    const labels = {
      ...asObject(asObject((await read(clonePath))["metadata"])!["labels"]),
      "generate.kyverno.io/trigger-uid": "u-gone",
    };
    return request(await read(path), { operation: "UPDATE", oldObject: changed(object, { labels }) });
  },
  "a command in a pod that does not exist": () =>
    Promise.resolve({
      ...request({ apiVersion: "v1", kind: "PodExecOptions" }),
      operation: "CONNECT",
      kind: "Pod",
      subresource: "exec",
      namespace: "victim",
      name: "ghost",
    }),
};

for (const [title, forge] of Object.entries(forged)) {
  Deno.test(`${title} has no effect`, async () => {
    const cluster = await setUp();
    const review = await forge(cluster);
    cluster.cluster.writes.length = 0;
    cluster.worker.add(review);
    await cluster.worker.drain();
    assert.deepEqual(cluster.cluster.writes, []);
  });
}

const real: Readonly<Record<string, (cluster: Cluster) => Promise<[PolicyRequest, string]>>> = {
  "a creation without a name in the request": async ({ read }) => [
    request(await read("/api/v1/namespaces/victim/configmaps/trigger"), { name: "" }),
    "PUT /apis/apps/v1/namespaces/victim/deployments/web",
  ],
  "an update that is stored": async ({ read, replace }) => {
    const path = "/api/v1/namespaces/victim/configmaps/trigger";
    const oldObject = await read(path);
    const object = changed(oldObject, {}, { data: { a: "2" } });
    await replace(path, changed(object, { resourceVersion: "" }));
    return [
      request(object, { operation: "UPDATE", oldObject }),
      "PUT /apis/apps/v1/namespaces/victim/deployments/web",
    ];
  },
  "an update after which another field changed": async ({ read, replace }) => {
    const path = "/api/v1/namespaces/victim/configmaps/trigger";
    const oldObject = await read(path);
    const object = changed(oldObject, {}, { data: { a: "2" } });
    await replace(path, changed(object, { resourceVersion: "", annotations: { later: "1" } }));
    return [
      request(object, { operation: "UPDATE", oldObject }),
      "PUT /apis/apps/v1/namespaces/victim/deployments/web",
    ];
  },
  "an update after which the rule no longer matches": async ({ read, replace }) => {
    const oldObject = await read(namespacePath("blue"));
    const object = changed(oldObject, { labels: { "kubernetes.io/metadata.name": "blue" } });
    await replace(namespacePath("blue"), changed(object, { resourceVersion: "" }));
    return [request(object, { operation: "UPDATE", oldObject }), `DELETE ${clonePath}`];
  },
  "the deletion of a source": async ({ read, cluster }) => {
    const oldObject = await read(sourcePath);
    await cluster.inner.call({ method: "DELETE", path: sourcePath });
    return [request(oldObject, { operation: "DELETE" }), `DELETE ${clonePath}`];
  },
  "a command in a pod": () =>
    Promise.resolve([
      {
        ...request({ apiVersion: "v1", kind: "PodExecOptions" }),
        operation: "CONNECT",
        kind: "Pod",
        subresource: "exec",
        namespace: "victim",
        name: "web",
        variable: { operation: "CONNECT", namespace: "victim", name: "web" },
      },
      "PUT /api/v1/namespaces/victim/pods/web",
    ]),
};

for (const [title, make] of Object.entries(real)) {
  Deno.test(`${title} has its effect`, async () => {
    const cluster = await setUp();
    const [review, write] = await make(cluster);
    cluster.cluster.writes.length = 0;
    cluster.worker.add(review);
    await cluster.worker.drain();
    assert.deepEqual(cluster.cluster.writes, [write]);
  });
}
