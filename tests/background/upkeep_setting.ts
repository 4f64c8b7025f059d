/** A leader that compares a cluster with its rules, and what it writes. */
import assert from "node:assert/strict";
import { BackgroundWorker, Upkeep, type UpkeepOptions } from "../../lib/background/mod.ts";
import type { PolicyRequest, Snapshot } from "../../lib/engine/mod.ts";
import { asObject, type JsonObject } from "../../lib/json/mod.ts";
import {
  copy,
  keptLog,
  policies,
  portsWith,
  request,
  settings,
  synchronized,
  type WatchedCluster,
} from "./setting.ts";

export const touching = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: touch}
spec:
  rules:
  - name: targets
    match: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {team: "yes"}}}}]}
    mutate:
      targets: [{apiVersion: v1, kind: Secret, namespace: default, name: regcred}]
      patchesJson6902: |-
        - {op: add, path: /data/seen, value: eA==}
`;

const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: old, uid: u-old, labels: {team: "yes"}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: regcred, namespace: default, uid: u-source}, data: {a: eA==}}
`;

export const blue: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "blue", labels: { team: "yes" } },
};

export const bluePath = "/api/v1/namespaces/blue";

export const oldSettings = "/api/v1/namespaces/old/configmaps/settings";

/** A replica that leads, with its worker. */
interface Replica extends Pick<Upkeep, "missedSince" | "replicaLost" | "policiesChanged" | "done" | "close"> {
  readonly worker: BackgroundWorker;
  /** Compares the cluster with the rules, and waits until the effects are carried out. */
  look(): Promise<void>;
  compare(): Promise<void>;
  /** Stores a namespace, and has the effects of its request carried out. */
  admit(object: JsonObject): Promise<ReturnType<BackgroundWorker["add"]>>;
}

/** A cluster with its replicas. */
interface UpkeepSetting extends ReturnType<typeof portsWith> {
  readonly log: ReturnType<typeof keptLog>;
  start(options?: Partial<UpkeepOptions> & { maxBytes?: number; hangs?: boolean }): Replica;
  /** A replica that made the objects of its requests, and is gone. */
  ran(): Promise<void>;
  /** Starts a new replica, and returns the writes of all replicas after its first look. */
  restarted(options?: Partial<UpkeepOptions>): Promise<readonly string[]>;
  remove(path: string): Promise<void>;
  /** Changes the policies. */
  change(to: string): void;
  /** The same, with the compiled form of what did not change. */
  changeTo(snapshot: Snapshot): void;
}

/** A cluster, and replicas that come and go; what a leader notes outlives them. */
export function setUp(text = synchronized, dialect: "classic" | "current" = "current"): UpkeepSetting {
  const { cluster, ports } = portsWith(objects);
  const log = keptLog();
  let current = policies(text, dialect), noted = "";
  const memory = { read: () => noted, write: (written: string) => void (noted = written) };
  const start: UpkeepSetting["start"] = (options = {}) => {
    const { maxBytes = 1_000_000, hangs = false, ...rest } = options;
    const worker = new BackgroundWorker({
      snapshot: () => current,
      ports,
      log,
      triggers: "as-stored",
      maxBytes,
      wait: () => hangs ? new Promise(() => {}) : Promise.resolve(),
      refused: (_, waited) => upkeep.missed(waited),
    });
    const upkeep: Upkeep = new Upkeep({ snapshot: () => current, ports, log, worker, memory, ...rest });
    return {
      worker,
      async look() {
        await this.compare();
        await worker.drain();
      },
      async compare() {
        upkeep.compare();
        await upkeep.done();
      },
      async admit(object: JsonObject) {
        const made = await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: object });
        assert.ok(made.ok);
        const taken = worker.add(request(made.body as JsonObject));
        await worker.drain();
        return taken;
      },
      missedSince: (since: number) => upkeep.missedSince(since),
      replicaLost: (since: number) => upkeep.replicaLost(since),
      policiesChanged: () => upkeep.policiesChanged(),
      done: () => upkeep.done(),
      close: () => upkeep.close(),
    };
  };
  const ran = async (): Promise<void> => {
    const replica = start();
    await replica.look();
    await replica.admit(blue);
    assert.ok(await cluster.read(settings) && await cluster.read(copy));
    await replica.close();
    cluster.writes.length = 0;
  };
  const restarted = async (options: Partial<UpkeepOptions> = {}): Promise<readonly string[]> => {
    const replica = start(options);
    await replica.look();
    await replica.close();
    return cluster.writes;
  };
  const remove = async (path: string): Promise<void> => {
    assert.ok((await cluster.inner.call({ method: "DELETE", path })).ok, path);
  };
  return {
    cluster,
    ports,
    log,
    start,
    ran,
    restarted,
    remove,
    change: (to: string) => void (current = policies(to)),
    changeTo: (snapshot) => void (current = snapshot),
  };
}

/** Each application adds to the Secret that has the trigger's name. */
export const appending = touching.replace("name: regcred}]", 'name: "{{ request.object.metadata.name }}"}]')
  .replace(
    "path: /data/seen, value: eA==",
    "path: /metadata/finalizers/-, value: example.com/seen",
  );

const secretOf = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default", finalizers: ["example.com/first"] },
  data: { a: "eA==" },
});

/** Creates a namespace, and a Secret of that name. Returns the namespace's review. */
export async function created({ inner }: WatchedCluster, name: string): Promise<PolicyRequest> {
  await inner.call({ method: "POST", path: "/api/v1/namespaces/default/secrets", body: secretOf(name) });
  const object = { ...blue, metadata: { ...asObject(blue["metadata"]), name } };
  const made = await inner.call({ method: "POST", path: "/api/v1/namespaces", body: object });
  assert.ok(made.ok);
  return request(made.body as JsonObject);
}
