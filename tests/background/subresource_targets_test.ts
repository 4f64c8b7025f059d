/** Targets that are subresources: what is read and written is the part of the object. */
import assert from "node:assert/strict";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import type { Answer, ApiCall } from "../../lib/ports.ts";
import { keptLog, policies, portsWith, request } from "./setting.ts";

const objects = `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: team}, spec: {replicas: 1}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: other, namespace: team}, spec: {replicas: 1}}
`;
const trigger: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", namespace: "team", uid: "u-c" },
  data: { replicas: "3" },
};
const scalePath = /^\/apis\/apps\/v1\/namespaces\/team\/deployments\/([a-z]+)\/scale$/;

/** The answers of an API server about Scales, which the embedded cluster does not serve. */
function answerScale({ method, path, body }: ApiCall, writes: ApiCall[]): Answer | undefined {
  const name = scalePath.exec(path)?.[1];
  if (name === undefined) return undefined;
  const metadata = { name, namespace: "team", uid: `u-${name}`, resourceVersion: "7" };
  const stored = { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas: 1 } };
  if (method !== "GET") writes.push({ method, path, ...(body !== undefined && { body }) });
  return { ok: true, status: 200, body: stored };
}

const targets: readonly (readonly [title: string, target: string, names: readonly string[]])[] = [
  ["with a name", "apiVersion: apps/v1, kind: Deployment/scale, namespace: team, name: web", ["web"]],
  ["without a name", "apiVersion: apps/v1, kind: Deployment/scale, namespace: team", ["other", "web"]],
  ["in any version", 'apiVersion: "*", kind: Deployment/scale, namespace: team, name: web', ["web"]],
];
for (const [title, target, names] of targets) {
  for (const kind of ["ClusterPolicy", "Policy"]) {
    Deno.test(`a ${kind} writes the subresource of a target ${title}`, async () => {
      const { cluster, ports } = portsWith(objects);
      const writes: ApiCall[] = [];
      cluster.interfere = (call) => answerScale(call, writes);
      const snapshot = policies(`
apiVersion: kyverno.io/v1
kind: ${kind}
metadata: {name: p, namespace: team}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    mutate:
      targets: [{${target}}]
      patchStrategicMerge: {spec: {replicas: "{{ to_number(request.object.data.replicas) }}"}}
`);
      const log = keptLog();
      const worker = new BackgroundWorker({ snapshot: () => snapshot, ports, log, attempts: 1 });
      worker.add(request(trigger));
      await worker.drain();
      await worker.close();
      assert.deepEqual(
        writes.map(({ method, path, body }) => [
          method,
          scalePath.exec(path)?.[1],
          dig(body, "kind"),
          dig(body, "spec", "replicas"),
          dig(body, "metadata", "resourceVersion"),
        ]),
        names.map((name) => ["PUT", name, "Scale", 3, "7"]),
      );
      assert.deepEqual(cluster.writes, []);
      assert.deepEqual(log.lines.filter((line) => line.startsWith("error")), []);
    });
  }
}
