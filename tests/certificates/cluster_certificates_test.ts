/** Certificates that replicas share in a Secret, and webhooks with their authority. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { systemEntropy } from "../../lib/adapters/mod.ts";
import { asList, asString, dig, isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { clusterCertificates, type ServingCertificate } from "../../lib/certificates/mod.ts";
import { parseJsonPatch } from "../../lib/patch/mod.ts";
import type { ApiCall, Cluster } from "../../lib/ports.ts";
import { manifestsOf, withWebhooks } from "../deploy/manifests.ts";

const dayMs = 86_400_000;
const names = ["postern.postern.svc"];
const secret = { namespace: "postern", name: "postern-tls" };
const secretPath = "/api/v1/namespaces/postern/secrets/postern-tls";
const validatingPath = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/postern";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - {name: a, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: m, deny: {}}}
  - {name: b, match: {any: [{resources: {kinds: [Pod]}}]}, mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}}
`;

const patches = {
  "application/json-patch+json": (object: Json, patch: Json) => {
    const plan = parseJsonPatch(patch);
    return isFault(plan) ? plan : plan.apply(object);
  },
};

const objects = withWebhooks((await manifestsOf([policy])).objects);

/** A cluster in which the manifests were applied, with a clock that can be moved, and a note of every call. */
function installed(objectsThere: readonly JsonObject[] = objects) {
  const clock = { at: Date.parse("2026-11-21T00:00:00Z"), now: () => clock.at };
  const inner = new EmbeddedCluster({ objects: objectsThere, clock, entropy: systemEntropy(), patches });
  const calls: string[] = [];
  const cluster: Cluster = {
    call: (call: ApiCall) => {
      calls.push(`${call.method} ${call.path}`);
      return inner.call(call);
    },
    resource: (apiVersion, kind) => inner.resource(apiVersion, kind),
  };
  const replica = () => clusterCertificates({ cluster, clock, names, secret, webhooks: "postern" });
  return { clock, cluster, calls, replica };
}

async function read(cluster: Cluster, path: string): Promise<Json> {
  const answer = await cluster.call({ method: "GET", path });
  assert.ok(answer.ok, path);
  return answer.body;
}

async function certificateOf(
  certificates: ReturnType<typeof clusterCertificates>,
): Promise<ServingCertificate> {
  const { certificate, problem } = await certificates.current();
  assert.ok(problem === undefined, problem);
  assert.ok(certificate !== undefined);
  return certificate;
}

async function bundles(cluster: Cluster): Promise<(string | undefined)[]> {
  const paths = [validatingPath, validatingPath.replace("validating", "mutating")];
  const configurations = await Promise.all(paths.map((path) => read(cluster, path)));
  return configurations.flatMap((each) =>
    asList(dig(each, "webhooks")).map((webhook) => asString(dig(webhook, "clientConfig", "caBundle")))
  );
}

Deno.test("the first start makes a certificate, keeps it, and writes its authority into the webhooks", async () => {
  const { cluster, replica } = installed();
  const made = await certificateOf(replica());
  assert.ok(made.names.includes("postern.postern.svc"));
  assert.deepEqual(await bundles(cluster), [made.caBundle, made.caBundle]);
  const data = dig(await read(cluster, secretPath), "data");
  assert.equal(atob(asString(dig(data, "tls.crt")) ?? ""), made.cert);
});

Deno.test("replicas that start together serve the same certificate", async () => {
  const { cluster, replica } = installed();
  const made = await Promise.all([replica(), replica(), replica()].map(certificateOf));
  assert.equal(new Set(made.map(({ cert }) => cert)).size, 1);
  assert.deepEqual(await bundles(cluster), [made[0]?.caBundle, made[0]?.caBundle]);
});

Deno.test("checking a valid certificate writes nothing", async () => {
  const { calls, replica } = installed();
  const certificates = replica();
  await certificateOf(certificates);
  calls.length = 0;
  await certificateOf(certificates);
  assert.deepEqual(calls.filter((call) => !call.startsWith("GET ")), []);
});

Deno.test("the calls need only the rights of the manifests", async () => {
  const { calls, replica } = installed();
  await certificateOf(replica());
  const allowed = [
    `GET ${secretPath}`,
    `PUT ${secretPath}`,
    ...["validating", "mutating"].flatMap((kind) => {
      const path = validatingPath.replace("validating", kind);
      return [`GET ${path}`, `PATCH ${path}`];
    }),
  ];
  assert.deepEqual(calls.filter((call) => !allowed.includes(call)), []);
});

Deno.test("a webhook configuration that lost the authority gets it again", async () => {
  const { cluster, replica } = installed();
  const certificates = replica();
  const made = await certificateOf(certificates);
  const contentType = "application/json-patch+json";
  const body = [{ op: "remove", path: "/webhooks/0/clientConfig/caBundle" }];
  assert.ok((await cluster.call({ method: "PATCH", path: validatingPath, contentType, body })).ok);
  assert.deepEqual(await bundles(cluster), [undefined, made.caBundle]);
  await certificateOf(certificates);
  assert.deepEqual(await bundles(cluster), [made.caBundle, made.caBundle]);
});

Deno.test("one replica renews a certificate in the last third of its life, and both serve it", async () => {
  const { clock, replica } = installed();
  const one = replica(), other = replica();
  const first = await certificateOf(one);
  await certificateOf(other);
  clock.at += 300 * dayMs;
  const renewed = await certificateOf(one);
  assert.notEqual(renewed.cert, first.cert);
  assert.equal(renewed.caBundle, first.caBundle);
  assert.equal((await certificateOf(other)).cert, renewed.cert);
});

Deno.test("webhooks trust a new authority beside the former one before a replica serves its certificate", async () => {
  const { clock, cluster, replica } = installed();
  const certificates = replica();
  const first = await certificateOf(certificates);
  clock.at += 3000 * dayMs;
  const second = await certificateOf(certificates);
  const trusted = atob(second.caBundle ?? "");
  assert.ok(trusted.includes(atob(first.caBundle ?? "").trim()));
  assert.equal(trusted.match(/BEGIN CERTIFICATE/g)?.length, 2);
  assert.deepEqual(await bundles(cluster), [second.caBundle, second.caBundle]);
});

Deno.test("an emptied Secret is filled again with the trusted authority", async () => {
  const { cluster, replica } = installed();
  const certificates = replica();
  const first = await certificateOf(certificates);
  const kept = await read(cluster, secretPath) as JsonObject;
  await cluster.call({ method: "PUT", path: secretPath, body: { ...kept, data: {} } });
  assert.equal((await certificateOf(certificates)).caBundle, first.caBundle);
});

Deno.test("a missing Secret gives no certificate, and a reason that names it and says what to do", async () => {
  const { replica } = installed(objects.filter(({ kind }) => kind !== "Secret"));
  const { certificate, problem } = await replica().current();
  assert.equal(certificate, undefined);
  assert.match(problem ?? "", /^Secret postern\/postern-tls: .*; apply the manifests again/);
});

Deno.test("without webhook configurations there are a certificate and a problem", async () => {
  const { replica } = installed(objects.filter(({ kind }) => !String(kind).endsWith("WebhookConfiguration")));
  const { certificate, problem } = await replica().current();
  assert.ok(certificate !== undefined);
  assert.match(problem ?? "", /validatingwebhookconfigurations postern/);
});
