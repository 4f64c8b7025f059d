import assert from "node:assert/strict";
import { BackgroundWorker, carryOut, type Change, followChange, Upkeep } from "../../lib/background/mod.ts";
import { dig, isFault, type JsonObject } from "../../lib/json/mod.ts";
import { keptLog, policies, portsWith, request, settings, type WatchedCluster } from "./setting.ts";

const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: blue, uid: u-blue, labels: {team: "yes"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: green, uid: u-green, labels: {team: "yes"}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: regcred, namespace: default, uid: u-source, labels: {app: web}}, data: {a: eA==}}
`;

export const blue = "/api/v1/namespaces/blue", green = "/api/v1/namespaces/green";

/** A cluster and a worker with policies, and changes of the cluster. */
interface GeneratingSetting {
  readonly cluster: WatchedCluster;
  /** The versions that the API server remembers. */
  readonly versions: Map<string, JsonObject>;
  read(path: string): Promise<JsonObject>;
  remove(path: string): Promise<void>;
  replace(path: string, body: JsonObject): Promise<void>;
  review(...[object, change]: Parameters<typeof request>): Promise<void>;
  /** Deletes an object, and reviews the deletion. */
  removed(path: string): Promise<void>;
  /** Changes an object, and reviews the update. */
  updated(path: string, change: (object: JsonObject) => JsonObject): Promise<void>;
  /** Follows a change and carries out what it asks for; answers with the verbs. */
  follow(change: Change): Promise<string[]>;
  /** Compares the cluster with the policies, and then with others. */
  changeTo(...texts: string[]): Promise<void>;
}

/** Makes the setting of policies. The namespace blue has been reviewed, unless `reviewed` is false. */
export async function setUp(text: string, { more = "", reviewed = true } = {}): Promise<GeneratingSetting> {
  const { cluster, ports } = portsWith(`${objects}---\n${more}`);
  const snapshot = policies(text);
  const log = keptLog();
  const worker = new BackgroundWorker({ snapshot: () => snapshot, ports, log });
  const read = async (path: string): Promise<JsonObject> => (await cluster.read(path))!;
  const versions = new Map<string, JsonObject>();
  const remember = async (path: string): Promise<void> => {
    const object = await read(path);
    versions.set(String(dig(object, "metadata", "resourceVersion")), object);
  };
  cluster.interfere = ({ path }) => {
    const query = new URLSearchParams(path.split("?")[1]);
    if (query.get("resourceVersionMatch") !== "Exact") return undefined;
    const version = versions.get(query.get("resourceVersion") ?? "");
    if (version === undefined) return { ok: false, status: 410, message: "too old" };
    assert.equal(query.get("fieldSelector"), `metadata.name=${dig(version, "metadata", "name")}`);
    return { ok: true, status: 200, body: { kind: "List", items: [version] } };
  };
  const remove = async (path: string): Promise<void> => {
    await remember(path);
    await cluster.inner.call({ method: "DELETE", path });
  };
  const replace = async (path: string, body: JsonObject): Promise<void> => {
    await remember(path);
    const answer = await cluster.inner.call({ method: "PUT", path, body });
    assert.ok(answer.ok, JSON.stringify(answer));
  };
  const review = async (...[object, change]: Parameters<typeof request>): Promise<void> => {
    worker.add(request(object, change));
    await worker.drain();
  };
  const removed = async (path: string): Promise<void> => {
    const object = await read(path);
    await remove(path);
    await review(object, { operation: "DELETE" });
  };
  const updated = async (path: string, change: (object: JsonObject) => JsonObject): Promise<void> => {
    const oldObject = await read(path);
    await replace(path, change(oldObject));
    await review(await read(path), { operation: "UPDATE", oldObject });
  };
  const follow = async (change: Change): Promise<string[]> => {
    const effects = await followChange(change, { snapshot, ports });
    assert.ok(!isFault(effects), isFault(effects) ? effects.message : "");
    for (const effect of effects) assert.ok((await carryOut(effect, cluster)).done);
    return effects.map(({ verb }) => verb);
  };
  const changeTo = async (...texts: string[]): Promise<void> => {
    let current = snapshot;
    const upkeep = new Upkeep({ snapshot: () => current, ports, log, worker });
    for (const next of [snapshot, ...texts.map((each) => policies(each))]) {
      current = next;
      upkeep.compare();
      await upkeep.done();
      await worker.drain();
    }
    await upkeep.close();
  };
  if (reviewed) await review(await read(blue));
  return { cluster, versions, read, remove, replace, review, removed, updated, follow, changeTo };
}

/** The object with another color. */
export function colored(object: JsonObject, color: string): JsonObject {
  return { ...object, data: { color } };
}

/** The object with other labels. */
export function labelledAs(object: JsonObject, labels: JsonObject): JsonObject {
  return { ...object, metadata: { ...object["metadata"] as JsonObject, labels } };
}

/** A policy that makes a ConfigMap for each namespace. */
export const generating = `
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: settings}
spec:
  evaluation: {synchronize: {enabled: true}}
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [namespaces], operations: [CREATE, UPDATE]}
  generate:
  - expression: >-
      generator.Apply(object.metadata.name, [{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"),
      "metadata": dyn({"name": "settings"}), "data": dyn({"color": "blue"})}])
`;

/** The same in another namespace than the trigger, with which its contents are deleted. */
export const away = generating.replace("Apply(object.metadata.name,", 'Apply("default",');
export const awaySettings = settings.replace("blue", "default");

/** The labels of what the policy makes for the namespace blue. */
export const ofBlue = {
  "app.kubernetes.io/managed-by": "kyverno",
  "generate.kyverno.io/policy-name": "settings",
  "generate.kyverno.io/trigger-name": "blue",
  "generate.kyverno.io/trigger-namespace": "",
  "generate.kyverno.io/trigger-uid": "u-blue",
  "generate.kyverno.io/trigger-kind": "Namespace",
  "generate.kyverno.io/trigger-group": "",
  "generate.kyverno.io/trigger-version": "v1",
};

export const variants = {
  "with synchronize": away,
  "without synchronize": away.replace("enabled: true", "enabled: false"),
  "with server-side apply": away.replace("spec:", "spec:\n  useServerSideApply: true"),
};

/** A policy that copies a Secret into each namespace. */
export const copying = generating.replace(
  /- expression: >-[^]*$/,
  `- expression: generator.Apply(object.metadata.name, [resource.Get("v1", "secrets", "default", "regcred")])\n`,
);
