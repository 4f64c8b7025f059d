/** Patches of targets whose answer is lost: the API server may have stored them, and the worker tries again. */
import assert from "node:assert/strict";
import { BackgroundWork } from "../../lib/background/mod.ts";
import { asList, asObject, dig, type JsonObject } from "../../lib/json/mod.ts";
import type { Answer, ApiCall } from "../../lib/ports.ts";
import { keptLog, policies, portsWith, request, type WatchedCluster } from "./setting.ts";

const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: app, namespace: default, uid: u-app}}
---
{apiVersion: v1, kind: Secret, metadata: {name: target, namespace: default, finalizers: [a.example/a]}, data: {a: eA==}}
`;
const target = "/api/v1/namespaces/default/secrets/target";

const appending = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: append}
spec:
  rules:
  - name: append
    match: {any: [{resources: {kinds: [ConfigMap], names: [app]}}]}
    mutate:
      targets: [{apiVersion: v1, kind: Secret, namespace: default, name: target}]
      patchesJson6902: |-
        - {op: add, path: /metadata/finalizers/-, value: a.example/b}
`;
const setting = appending.replace(
  "path: /metadata/finalizers/-, value: a.example/b",
  "path: /data/b, value: eQ==",
);
const inCel = `
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: append}
spec:
  evaluation: {mutateExisting: {enabled: true}}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}]
  targetMatchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [secrets], operations: ["*"]}]
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: '[JSONPatch{op: "add", path: "/metadata/finalizers/-", value: "a.example/b"}]'}
`;

/** Changes a field of the target, as another client does. */
async function edit({ inner }: WatchedCluster): Promise<void> {
  const found = await inner.call({ method: "GET", path: target });
  assert.ok(found.ok);
  const former = asObject(found.body)!;
  const body: JsonObject = { ...former, data: { ...asObject(former["data"]), edited: "eA==" } };
  assert.ok((await inner.call({ method: "PUT", path: `${target}?fieldManager=kubectl-edit`, body })).ok);
}

const rows: readonly {
  readonly what: string;
  readonly policy: string;
  readonly isStored: boolean;
  readonly isEdited?: boolean;
  readonly status?: number;
}[] = [
  { what: "that adds to a list and was stored", policy: appending, isStored: true },
  { what: "that adds to a list and was not stored", policy: appending, isStored: false },
  { what: "of a policy in CEL that was stored", policy: inCel, isStored: true },
  { what: "of a policy in CEL that was not stored", policy: inCel, isStored: false },
  { what: "that was stored before another client wrote", policy: appending, isStored: true, isEdited: true },
  {
    what: "that was not stored, while another client wrote",
    policy: appending,
    isStored: false,
    isEdited: true,
  },
  { what: "that was stored, with status 504", policy: appending, isStored: true, status: 504 },
  {
    what: "that sets a field and was stored before another client wrote",
    policy: setting,
    isStored: true,
    isEdited: true,
  },
];
for (const { what, policy, isStored, isEdited = false, status } of rows) {
  Deno.test(`a patch without an answer is applied once: one ${what}`, async () => {
    const { cluster, ports } = portsWith(objects);
    let lost = 1;
    const call = cluster.call.bind(cluster);
    cluster.call = async (made: ApiCall): Promise<Answer> => {
      if (made.method !== "PUT" || lost === 0) return await call(made);
      lost--;
      if (isStored) await call(made);
      if (isEdited) await edit(cluster);
      return { ok: false, status, message: "the connection was closed" };
    };
    const snapshot = policies(policy);
    const log = keptLog();
    const work = await BackgroundWork.prepare({
      snapshot: () => snapshot,
      ports,
      log,
      lease: { namespace: "default", name: "postern" },
    });
    const { worker } = work;
    const app = await cluster.read("/api/v1/namespaces/default/configmaps/app");
    worker.add(request(app!));
    await worker.drain();
    await work.close();
    const stored = await cluster.read(target);
    if (policy === setting) assert.equal(dig(stored, "data", "b"), "eQ==");
    else assert.deepEqual(asList(dig(stored, "metadata", "finalizers")), ["a.example/a", "a.example/b"]);
    assert.equal(dig(stored, "data", "edited"), isEdited ? "eA==" : undefined);
    assert.deepEqual(log.lines.filter((line) => line.startsWith("error")), []);
  });
}
