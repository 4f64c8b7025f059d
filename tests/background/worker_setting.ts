/** A worker with rules that generate and change objects, in an embedded cluster. */
import type { JsonObject } from "../../lib/json/mod.ts";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import type { BackgroundOptions } from "../../lib/background/mod.ts";
import { keptLog, policies, portsWith } from "./setting.ts";

export const quota = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: quotas}
spec:
  rules:
  - name: quota
    match: {any: [{resources: {kinds: [Namespace]}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: ResourceQuota
      name: default-quota
      namespace: "{{ request.object.metadata.name }}"
      data: {spec: {hard: {pods: "10"}}}
`;

export const pullSecret = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: pull}
spec:
  rules:
  - name: clone
    match: {any: [{resources: {kinds: [Namespace]}}]}
    generate:
      synchronize: true
      apiVersion: v1
      kind: Secret
      name: regcred
      namespace: "{{ request.object.metadata.name }}"
      clone: {namespace: default, name: regcred}
`;

export const touch = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: touch}
spec:
  rules:
  - name: targets
    match: {any: [{resources: {kinds: [ConfigMap], names: [trigger]}}]}
    mutate:
      targets:
      - {apiVersion: v1, kind: Secret, namespace: default, name: "t*"}
      patchesJson6902: |-
        - {op: add, path: /data/seen, value: eA==}
`;

export const team: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "team", uid: "u-team" },
};

export const quotaPath = "/api/v1/namespaces/team/resourcequotas/default-quota";

export const teamNamespace = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: team, uid: u-team}}
`;

/** A worker in a cluster. */
interface WorkerSetting extends Pick<ReturnType<typeof portsWith>, "cluster"> {
  readonly log: ReturnType<typeof keptLog>;
  readonly worker: BackgroundWorker;
  /** The milliseconds of each wait between two tries. */
  readonly waits: number[];
}

export function setUp(
  policy: string,
  { objects = teamNamespace, ...options }: Partial<BackgroundOptions> & { objects?: string } = {},
): WorkerSetting {
  const { cluster, ports } = portsWith(objects);
  const log = keptLog();
  const snapshot = policies(policy);
  const waits: number[] = [];
  const wait = (milliseconds: number): Promise<void> => (waits.push(milliseconds), Promise.resolve());
  const worker = new BackgroundWorker({ snapshot: () => snapshot, ports, log, wait, ...options });
  return { cluster, log, worker, waits };
}

export const secrets = `
apiVersion: v1
kind: Secret
metadata: {name: t1, namespace: default}
data: {a: eA==}
---
apiVersion: v1
kind: Secret
metadata: {name: t2, namespace: default}
data: {a: eA==}
`;

export const trigger: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "trigger", namespace: "default" },
};
