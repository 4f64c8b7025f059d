/** Work after the answer: it takes neither the server's memory nor its processor time, and shows no secret. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { admissionReview } from "../server/review.ts";
import { denies } from "../server/serving.ts";
import { fakeServer, silence } from "../adapters/fake_server.ts";
import { startReplica } from "../support/replica.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { policyCalling } from "./filled_memory.ts";

const audit = "validationFailureAction: Audit";
/** Resident memory in MiB that no attack may pass; a replica that idles has 85. */
const bound = 200;

const generating = `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: generating}
spec:
  rules:
  - name: copy
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    generate:
      apiVersion: v1
      kind: Secret
      name: copy
      namespace: "{{ request.namespace }}"
      clone: {namespace: default, name: never-there}
`;

async function send(server: ServerProcess, review: JsonObject): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${server.address}/validate/fail`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(review),
  });
  return { status: answer.status, text: await answer.text() };
}

async function metricsOf(server: ServerProcess): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
}

function map(name: string, namespace: string, bytes = 0): JsonObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data: { a: "x".repeat(bytes) },
  };
}

Deno.test("the queues of effects and audits limit the bytes of large reviews", async () => {
  const policies = denies("audited", audit, "kinds: [ConfigMap]") + generating;
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  for (let count = 0; count < 60; count++) {
    const namespace = `team-${count % 20}`;
    const object = map(`map-${count}`, namespace, 2_000_000);
    const parts = { uid: `review-${count}`, kind: "ConfigMap", resource: "configmaps", namespace, object };
    assert.equal((await send(server, admissionReview(parts))).status, 200);
  }
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
  assert.match(server.log(), /effects refused: too many requests wait/);
});

Deno.test("kinds and namespaces that are no names are rejected, and leave no state", async () => {
  const policies = denies("any", audit, 'kinds: ["*"]');
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  for (let count = 0; count < 12; count++) {
    const long = String.fromCharCode(97 + count).repeat(2_000_000);
    for (const parts of [{ kind: long }, { namespace: long }, { resource: long }]) {
      const { status, text } = await send(server, admissionReview(parts));
      assert.equal(status, 400);
      assert.match(text, /is longer than 63 characters/);
    }
  }
  for (let count = 0; count < 300; count++) await send(server, admissionReview({ kind: `Made${count}` }));
  const series = (await metricsOf(server)).match(/^kyverno_admission_requests_total\{/gm) ?? [];
  assert.ok(series.length <= 2, `${series.length} series`);
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
});

Deno.test("audits that wait for a service which never answers delay no others", async () => {
  const service = fakeServer(() => silence());
  try {
    const policies = policyCalling(service.address, "Audit") + denies("audited", audit, "kinds: [Service]");
    const args = ["--no-tls", "--allow-service-address", "127.0.0.0/8"];
    await using server = await startServer({ policies, args });
    for (let count = 0; count < 50; count++) await send(server, admissionReview({ uid: `pod-${count}` }));
    await send(server, admissionReview({ uid: "service", kind: "Service", resource: "services" }));
    await server.until(/"message":"audit","uid":"service"/);
  } finally {
    await service.close();
  }
});

Deno.test("policies cannot call services on the server's machine, and users do not see service answers", async () => {
  const service = fakeServer(() => new Response("s3cret of the service", { status: 500 }));
  try {
    const policies = policyCalling(`${service.address}/path`, "Enforce");
    {
      await using server = await startServer({ policies, args: ["--no-tls"] });
      const { text } = await send(server, admissionReview());
      assert.match(text, /127\.0\.0\.1:\d+ is not allowed/);
      assert.equal(service.received.length, 0);
    }
    await using server = await startServer({
      policies,
      args: ["--no-tls", "--allow-service-address", "127.0.0.0/8"],
    });
    const { text } = await send(server, admissionReview());
    assert.match(text, /HTTP 500 Internal Server Error/);
    assert.equal(text.match(/127\.0\.0\.1:\d+\/path/g)?.length, 1, "the URL stands there once");
    assert.doesNotMatch(text + server.log(), /s3cret/);
  } finally {
    await service.close();
  }
});

Deno.test("policies of namespaces cannot call services, unless the operator allows it", async () => {
  const service = fakeServer(() => Response.json({}));
  try {
    const policies = policyCalling(`${service.address}/path`, "Enforce")
      .replaceAll("kind: ClusterPolicy", "kind: Policy")
      .replaceAll(/metadata: \{name: (\w+)\}/g, "metadata: {name: $1, namespace: default}");
    const args = ["--no-tls", "--allow-service-address", "127.0.0.0/8"];
    {
      await using server = await startServer({ policies, args });
      const { text } = await send(server, admissionReview());
      assert.match(text, /policies of namespaces may not call services/);
      assert.equal(service.received.length, 0);
    }
    await using server = await startServer({ policies, args: [...args, "--namespaced-service-calls"] });
    await send(server, admissionReview());
    assert.ok(service.received.length > 0);
  } finally {
    await service.close();
  }
});

Deno.test("the log has no value of a Secret, at any level", async () => {
  const policies = denies("audited", audit, "kinds: [Secret]")
    .replace("message: never", 'message: "{{ request.object.data.password }} is too short"') +
    `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: broken}
spec:
  validationFailureAction: Audit
  rules:
  - name: variable
    match: {any: [{resources: {kinds: [Secret]}}]}
    context: [{name: v, variable: {value: "{{ request.object.data.password }}", jmesPath: "to_number(@) && a["}}]
    validate: {message: "{{ v }}", deny: {conditions: {all: [{key: "{{ v }}", operator: Equals, value: 1}]}}}
`;
  await using server = await startServer({ policies, args: ["--no-tls", "--log-level", "debug"] });
  const object = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "web" },
    data: { password: "aHVudGVyMg==" },
  };
  await send(server, admissionReview({ kind: "Secret", resource: "secrets", object }));
  await server.until(/"message":"audit"[^\n]*"kind":"Secret"/);
  assert.doesNotMatch(server.log(), /aHVudGVyMg|hunter2/);
});
