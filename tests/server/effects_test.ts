/** The webhook's app starts the effects of rules on other objects after it has admitted the request. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { compile } from "../../lib/engine/mod.ts";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import type { Answer, Ports } from "../../lib/ports.ts";
import { createApp, Metrics } from "../../lib/server/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: namespaces}
spec:
  rules:
  - name: make-map
    match: {any: [{resources: {kinds: [Namespace]}}]}
    generate:
      apiVersion: v1
      kind: ConfigMap
      name: made
      namespace: default
      data: {data: {for: "{{ request.object.metadata.name }}"}}
  - name: no-bad-names
    match: {any: [{resources: {kinds: [Namespace], names: ["bad-*"]}}]}
    validate:
      failureAction: Enforce
      message: bad name
      deny: {}
`;

function setUp() {
  const clock = { now: () => 1_700_000_000_000 };
  const entropy = { next: () => 0.5 };
  const cluster = new EmbeddedCluster({
    objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }],
    clock,
    entropy,
  });
  const nothing = (): Promise<Answer> =>
    Promise.resolve({ ok: false, status: undefined, message: "nothing" });
  const ports: Ports = {
    cluster,
    http: { call: nothing },
    registry: { image: nothing },
    globals: { entry: nothing },
    clock,
    entropy,
  };
  const snapshot = compile(parseDocuments(policies, "policies.yaml").documents);
  const log = { write: () => {} };
  const effects = new BackgroundWorker({ snapshot: () => snapshot, ports, log });
  const app = createApp({ snapshot: () => snapshot, ports, log, metrics: new Metrics(), effects });
  const post = async (path: string, name: string, dryRun = "no"): Promise<boolean> => {
    const answer = await app.request(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        apiVersion: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        request: {
          uid: "u1",
          kind: { group: "", version: "v1", kind: "Namespace" },
          resource: { group: "", version: "v1", resource: "namespaces" },
          name,
          operation: "CREATE",
          userInfo: { username: "jane" },
          dryRun: dryRun === "yes",
          object: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
        },
      }),
    });
    await effects.drain();
    return (await answer.json()).response.allowed;
  };
  const made = async (): Promise<boolean> => {
    const path = "/api/v1/namespaces/default/configmaps/made";
    return (await cluster.call({ method: "GET", path })).ok;
  };
  return { post, made };
}

const cases: [path: string, name: string, dryRun: string, allowed: boolean, made: boolean][] = [
  ["/validate/fail", "team", "no", true, true],
  ["/validate", "team", "no", true, true],
  ["/validate/fail", "team", "yes", true, false],
  ["/validate/fail", "bad-team", "no", false, false],
  ["/mutate/fail", "team", "no", true, false],
];

for (const [path, name, dryRun, allowed, made] of cases) {
  Deno.test(`${path} of ${name}${dryRun === "yes" ? ", a dry run," : ""} ${made ? "has" : "has no"} effect`, async () => {
    const app = setUp();
    assert.equal(await app.post(path, name, dryRun), allowed);
    assert.equal(await app.made(), made);
  });
}
