/** The app with policies, in this process, and what it logs. */
import assert from "node:assert/strict";
import { systemEntropy } from "../../lib/adapters/mod.ts";
import { compile, type Snapshot } from "../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import type { Cluster, Ports } from "../../lib/ports.ts";
import { type AppOptions, AuditQueue, createApp, Metrics } from "../../lib/server/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: JsonObject;
}

export interface Serving {
  readonly app: ReturnType<typeof createApp>;
  readonly lines: readonly Line[];
  readonly metrics: Metrics;
  readonly audit: AuditQueue;
  /** Posts JSON, or a text as it is. */
  post(path: string, body: Json | string, headers?: Record<string, string>): Promise<Response>;
  /** Posts a review and gives its `response`. */
  review(path: string, body: Json): Promise<Answered>;
}

/** The `response` of a review. */
export interface Answered {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly message: string; readonly code: number };
  readonly warnings?: readonly string[];
  readonly patch?: string;
}

/** Policies as a snapshot; they must have no errors. */
export function snapshotOf(policies: string): Snapshot {
  const snapshot = compile(parseDocuments(policies, "policies.yaml").documents);
  assert.deepEqual(snapshot.diagnostics.filter(({ severity }) => severity === "error"), []);
  return snapshot;
}

/** Ports to nowhere, but for what is given. */
export function portsOf(given: Partial<Ports> = {}): Ports {
  const nothing = () => Promise.resolve({ ok: false, status: undefined, message: "not here" } as const);
  return {
    cluster: { call: nothing, resource: () => Promise.resolve(undefined) },
    http: { call: nothing },
    registry: { image: nothing },
    globals: { entry: nothing },
    clock: { now: () => 0 },
    entropy: systemEntropy(),
    ...given,
  };
}

/** A cluster that takes questions and never answers, whatever the signal says. */
export const silentCluster: Cluster = {
  call: () => new Promise(() => {}),
  resource: () => new Promise(() => {}),
};

export function serving(policies: string | Snapshot, options: Partial<AppOptions> = {}): Serving {
  const current = typeof policies === "string" ? snapshotOf(policies) : policies;
  const lines: Line[] = [];
  const log = {
    write: (level: string, message: string, fields: JsonObject = {}) =>
      void lines.push({ level, message, fields }),
  };
  const metrics = new Metrics();
  const ports = options.ports ?? portsOf();
  const snapshot = options.snapshot ?? (() => current);
  const audit = new AuditQueue({ snapshot, ports, log, metrics });
  const app = createApp({ log, metrics, audit, ...options, ports, snapshot });
  const post: Serving["post"] = async (path, body, headers = { "content-type": "application/json" }) =>
    await app.request(path, {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    app,
    lines,
    metrics,
    audit,
    post,
    review: async (path, body) => {
      const answer = await post(path, body);
      assert.equal(answer.status, 200, await answer.clone().text());
      const { apiVersion, kind, response } = await answer.json();
      assert.deepEqual([apiVersion, kind], ["admission.k8s.io/v1", "AdmissionReview"]);
      return response;
    },
  };
}

/** A ClusterPolicy about Pods with one rule that always fails. */
export function denies(
  name: string,
  spec = "validationFailureAction: Enforce",
  match = "kinds: [Pod]",
): string {
  return `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  ${spec}
  rules:
  - name: never
    match: {any: [{resources: {${match}}}]}
    validate: {message: never, deny: {}}
`;
}

/** A ClusterPolicy about Pods that asks the cluster for a ConfigMap. */
export function loadingPolicy(name: string, spec = "validationFailureAction: Enforce"): string {
  return `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  ${spec}
  rules:
  - name: asks
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [{name: settings, configMap: {name: settings, namespace: default}}]
    validate:
      message: not allowed
      deny: {conditions: {all: [{key: "{{ settings.data.allowed }}", operator: NotEquals, value: "yes"}]}}
`;
}
