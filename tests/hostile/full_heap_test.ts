/** Policies at their bound of memory beside reviews at theirs: together they must not fill V8's heap, which ends the process. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { fakeServer, silence } from "../adapters/fake_server.ts";
import { admissionReview } from "../server/review.ts";
import { postBytes, RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";
import { pause, type ServerProcess } from "../support/server_process.ts";

/** MiB at which the container ends; 193 to 210 were measured on a busy machine. */
const bound = 256;

function policy(name: string, kind: string, rules: string): string {
  return `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  validationFailureAction: Enforce
  background: false
  rules:
  - match: {any: [{resources: {kinds: [${kind}]}}]}
    ${rules}
`;
}

/** More policies than there is memory for: those that do not fit are left out, and Jobs are denied in their place. */
const many = Array.from({ length: 5_000 }, (_, index) =>
  policy(
    `full-${index}`,
    "Job",
    `name: r${index}
    validate: {message: no, pattern: {spec: {containers: [{name: "a${index}*", image: "!*:latest${index}"}]}}}`,
  )).join("");

function waitingFor(service: string): string {
  return policy(
    "waits",
    "Service",
    `name: waits
    context: [{name: value, apiCall: {method: GET, service: {url: "${service}"}}}]
    validate: {message: no, deny: {conditions: {all: [{key: "{{ value }}", operator: Equals, value: no}]}}}`,
  );
}

/** A review of a Service whose spec is this text. */
function review(uid: string, spec: string): string {
  const object: JsonObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: uid, namespace: "default", uid },
    spec: "HERE",
  };
  return JSON.stringify(admissionReview({ uid, kind: "Service", resource: "services", object }))
    .replace('"HERE"', spec);
}

const maps = (characters: number): string => `{"list":[${"{},".repeat(characters / 3)}{}]}`;

/** Three megabytes, of which half are empty maps: in the heap they take some 35 MB. */
const hostile = `{"text":"${"x".repeat(1_500_000)}","list":[${"{},".repeat(460_000)}{}]}`;

async function statusOf(server: ServerProcess, body: string): Promise<number> {
  using connection = await RawConnection.open(server.port);
  await connection.write(postBytes("/validate/fail?timeout=8s", body));
  return (await connection.answer()).status;
}

Deno.test("reviews of 3 MB beside policies and short reviews at their bounds do not end the process", async () => {
  const service = fakeServer(() => silence());
  try {
    const args = ["--no-tls", "--allow-service-address", "127.0.0.0/8"];
    await using server = await startReplica({ policies: waitingFor(service.address) + many, args });
    assert.match(server.log(), /too-many-policies/);
    const short = Array.from(
      { length: 400 },
      (_, index) => statusOf(server, review(`service-${index}`, maps(30_000))),
    );
    await pause(500);
    const long = Array.from({ length: 16 }, (_, index) => statusOf(server, review(`long-${index}`, hostile)));
    const statuses = await Promise.all([...short, ...long]);
    assert.deepEqual(statuses.filter((status) => status !== 200 && status !== 503), []);
    for (const spec of [maps(10), `{"text":"${"x".repeat(3_000_000)}"}`]) {
      assert.equal(await statusOf(server, review("last", spec)), 200);
    }
    assert.ok(server.running(), server.log().slice(-2_000));
    const { most } = await server.memory();
    assert.ok(most < bound, `${most} MiB`);
  } finally {
    await service.close();
  }
});
