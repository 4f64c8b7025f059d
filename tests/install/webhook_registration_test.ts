/** Webhooks are registered by a replica that can answer, follow the policies, and are mended without taking turns. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { systemEntropy } from "../../lib/adapters/mod.ts";
import { compile, type Snapshot } from "../../lib/engine/mod.ts";
import { WebhookRegistration } from "../../lib/install/mod.ts";
import { asList, asString, dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import type { Answer, ApiCall, Cluster } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { manifestsOf } from "../deploy/manifests.ts";

const policy = (kind: string): string => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - {name: a, match: {any: [{resources: {kinds: [${kind}]}}]}, validate: {message: m, deny: {}}}
`;

const { objects } = await manifestsOf([policy("Service")]);
const group = "/apis/admissionregistration.k8s.io/v1";
const validatingPath = `${group}/validatingwebhookconfigurations/postern`;

function snapshotOf(kind: string): Snapshot {
  return compile(parseDocuments(policy(kind), "p.yaml").documents, { dialect: "classic" });
}

/** One endpoint of the Service. */
function endpoints(ready: boolean | undefined): JsonObject {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "postern-x",
      namespace: "postern",
      labels: { "kubernetes.io/service-name": "postern" },
    },
    endpoints: [{ addresses: ["10.0.0.1"], conditions: ready === undefined ? {} : { ready } }],
  };
}

/** A cluster in which the manifests were applied, with a replica's registration. */
function installed(given: { readonly configurations?: readonly JsonObject[] } = {}) {
  const there = given.configurations ??
    objects.filter(({ kind }) => String(kind).endsWith("WebhookConfiguration"));
  const inner = new EmbeddedCluster({
    objects: there,
    clock: { now: () => 0 },
    entropy: systemEntropy(),
  });
  let slices: JsonObject[] = [];
  const writes: string[] = [];
  const logged: JsonObject[] = [];
  const cluster: Cluster = {
    call(call: ApiCall): Promise<Answer> {
      if (call.path.startsWith("/apis/discovery.k8s.io/v1/namespaces/postern/endpointslices?")) {
        return Promise.resolve({ ok: true as const, status: 200, body: { items: slices } });
      }
      if (call.method !== "GET") writes.push(`${call.method} ${call.path}`);
      return inner.call(call);
    },
    resource: (apiVersion, kind) => inner.resource(apiVersion, kind),
  };
  const state = { snapshot: snapshotOf("Service"), caBundle: "b25l" };
  const registration = new WebhookRegistration({
    cluster,
    log: { write: (_, message, fields = {}) => void logged.push({ message, ...fields }) },
    name: "postern",
    service: { namespace: "postern", name: "postern" },
    snapshot: () => state.snapshot,
    caBundle: () => state.caBundle,
  });
  const webhooks = async (): Promise<readonly Json[]> => {
    const answer = await inner.call({ method: "GET", path: validatingPath });
    assert.ok(answer.ok);
    return asList(dig(answer.body, "webhooks"));
  };
  const put = async (body: JsonObject): Promise<void> => {
    const contentType = "application/merge-patch+json";
    const answer = await inner.call({ method: "PATCH", path: validatingPath, contentType, body });
    assert.ok(answer.ok);
  };
  return {
    state,
    writes,
    logged,
    registration,
    webhooks,
    put,
    endpoints: (...next: JsonObject[]) => void (slices = next),
    looks: async (count: number) => {
      for (let look = 0; look < count; look++) await registration.check();
    },
  };
}

function resourcesOf(webhooks: readonly Json[]): string[] {
  return webhooks.flatMap((webhook) => asList(dig(webhook, "rules")))
    .flatMap((rule) => asList(dig(rule, "resources")).map(String));
}

Deno.test("webhooks are not registered while no replica is ready", async () => {
  const { webhooks, writes, looks, endpoints: set } = installed();
  await looks(5);
  set(endpoints(false));
  await looks(5);
  assert.deepEqual(await webhooks(), []);
  assert.deepEqual(writes, []);
});

for (const ready of [true, undefined]) {
  Deno.test(`endpoints whose readiness is ${ready} lead to registered webhooks after nodes had time to see them`, async () => {
    const { webhooks, looks, endpoints: set, logged } = installed();
    set(endpoints(ready));
    await looks(2);
    assert.deepEqual(await webhooks(), []);
    // A replica that is gone for a moment begins anew.
    set(endpoints(false));
    await looks(1);
    set(endpoints(ready));
    await looks(2);
    assert.deepEqual(await webhooks(), []);
    await looks(1);
    const [webhook] = await webhooks();
    assert.equal(asString(dig(webhook, "name")), "validate.postern.svc-fail");
    assert.deepEqual(dig(webhook, "clientConfig"), {
      service: { namespace: "postern", name: "postern", port: 443, path: "/validate/fail" },
      caBundle: "b25l",
    });
    assert.deepEqual(logged.map(({ message, webhooks }) => [message, webhooks]), [
      ["webhooks registered", ["validate.postern.svc-fail"]],
    ]);
  });
}

Deno.test("registered webhooks follow the policies of a replica whose policies change", async () => {
  const { registration, state, webhooks, looks, endpoints: set } = installed();
  set(endpoints(true));
  state.snapshot = snapshotOf("Secret");
  await registration.policiesChanged();
  assert.deepEqual(await webhooks(), [], "not before a replica is ready");
  await looks(3);
  assert.deepEqual(resourcesOf(await webhooks()), ["secrets"]);
  state.snapshot = snapshotOf("ConfigMap");
  await registration.policiesChanged();
  assert.deepEqual(resourcesOf(await webhooks()), ["configmaps"]);
});

const datum: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "data.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Datum", plural: "data", singular: "datum", listKind: "DatumList" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const plurals: readonly [kind: string, definitions: readonly JsonObject[], resource: string][] = [
  ["example.com/v1/Datum", [datum], "data"],
  ["example.com/v1/Datum/status", [datum], "data/status"],
  ["example.com/v2/Datum", [datum], "datums"],
  ["example.com/v1/Datum", [], "datums"],
  ["Datum", [datum], "datums"],
];
for (const [kind, definitions, resource] of plurals) {
  Deno.test(`the webhook of ${kind} is about ${resource}, with ${definitions.length} definitions`, async () => {
    const configurations = objects.filter((each) => String(each["kind"]).endsWith("WebhookConfiguration"));
    const { state, webhooks, looks, endpoints: set } = installed({
      configurations: [...configurations, ...definitions],
    });
    set(endpoints(true));
    state.snapshot = snapshotOf(kind);
    await looks(3);
    assert.deepEqual(resourcesOf(await webhooks()), [resource]);
  });
}

Deno.test("a replica with former policies does not change the webhooks of newer ones", async () => {
  const { webhooks, writes, looks, put, endpoints: set } = installed();
  set(endpoints(true));
  await looks(3);
  const [webhook] = await webhooks();
  const newer = { ...webhook as JsonObject, rules: [] };
  await put({ webhooks: [newer] });
  const before = writes.length;
  await looks(3);
  assert.deepEqual(await webhooks(), [newer]);
  assert.equal(writes.length, before);
});

Deno.test("emptied configurations get their webhooks again, and a lost authority comes back", async () => {
  const { webhooks, looks, put, state, endpoints: set } = installed();
  set(endpoints(true));
  await looks(3);
  await put({ webhooks: [] });
  await looks(1);
  assert.equal((await webhooks()).length, 1);
  state.caBundle = "dHdv";
  await looks(1);
  assert.equal(dig((await webhooks())[0], "clientConfig", "caBundle"), "dHdv");
});

Deno.test("Postern leaves the authority to cert-manager where cert-manager injects it", async () => {
  const { objects } = await manifestsOf([policy("Service")], "--certificate", "cert-manager");
  const configurations = objects.filter(({ kind }) => String(kind).endsWith("WebhookConfiguration"));
  const { webhooks, looks, state, endpoints: set } = installed({ configurations });
  set(endpoints(true));
  await looks(3);
  state.caBundle = "dHdv";
  await looks(2);
  assert.equal(dig((await webhooks())[0], "clientConfig", "caBundle"), "b25l");
});

Deno.test("a deleted configuration is logged once and not created again, because somebody is uninstalling", async () => {
  const { logged, looks, writes, endpoints: set } = installed({ configurations: [] });
  set(endpoints(true));
  await looks(8);
  assert.deepEqual(writes, []);
  assert.equal(new Set(logged.map((line) => JSON.stringify(line))).size, logged.length);
  assert.equal(logged[0]?.["message"], "webhooks not registered");
});
