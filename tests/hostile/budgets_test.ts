/**
 * All budgets of memory full at the same time: each bounds its share, and together they must leave the process alive.
 */
import assert from "node:assert/strict";
import { fakeServer, silence } from "../adapters/fake_server.ts";
import { startReplica } from "../support/replica.ts";
import { pause } from "../support/server_process.ts";
import { emptyMaps, policyAbout, reviewOf, statusOf } from "./filled_memory.ts";
import { answerOf, ListingCluster, listOf, longest } from "./listing_cluster.ts";

/** MiB that all of them may take: 173 to 203 were measured, more on a busy machine. The container ends at 256. */
const bound = 220;
const allMaps = "/api/v1/configmaps", source = "/api/v1/namespaces/default/secrets/source";

const never =
  `validate: {message: refused, deny: {conditions: {all: [{key: "{{ value }}", operator: Equals, value: no}]}}}`;

/** The policies that fill the budgets: each waits for something, or takes long. */
function waiting(service: string): string {
  const call = `context: [{name: value, apiCall: {method: GET, service: {url: "${service}"}}}]\n    ${never}`;
  const list =
    `context: [{name: value, apiCall: {urlPath: "${allMaps}", jmesPath: "length(items)"}}]\n    ${never}`;
  const clone = "generate: {apiVersion: v1, kind: Secret, name: copy, namespace: default, " +
    "clone: {namespace: default, name: source}}";
  const loop = `mutate:
      foreach:
      - list: request.object.spec.tolerations
        patchesJson6902: |-
          - {op: add, path: "/spec/tolerations/{{elementIndex}}/key", value: x}`;
  return policyAbout("Pod", list) + policyAbout("Service", call) +
    policyAbout("Deployment", call, { action: "Audit" }) + policyAbout("ConfigMap", clone) +
    policyAbout("Job", loop);
}

const text = (characters: number): string => `{"a":"${"x".repeat(characters)}"}`;

interface Load {
  readonly what: string;
  readonly kind: string;
  readonly count: number;
  readonly spec: string;
  readonly path?: string;
}

/** In this order: those come last that hold the event loop. */
const loads: readonly Load[] = [
  { what: "effects", kind: "ConfigMap", count: 20, spec: text(1_900_000) },
  { what: "audits", kind: "Deployment", count: 60, spec: emptyMaps(200_000) },
  { what: "short reviews that wait for a service", kind: "Service", count: 400, spec: emptyMaps(30_000) },
  { what: "answers of the cluster", kind: "Pod", count: 24, spec: text(1_000) },
  { what: "large reviews that wait for the cluster", kind: "Pod", count: 24, spec: text(3_000_000) },
  { what: "dense reviews that wait for the cluster", kind: "Pod", count: 8, spec: emptyMaps(1_400_000) },
  { what: "long patches", kind: "Job", count: 2, spec: emptyMaps(1_400_000), path: "/mutate/fail" },
  { what: "large reviews", kind: "Role", count: 48, spec: text(3_000_000) },
];

/** The API server's path for a webhook that may take 15 seconds. */
const timely = (path: string): string => `${path}?timeout=15s`;

Deno.test("all budgets of memory full at once leave the process alive, within the memory bound", async () => {
  const service = fakeServer(() => silence());
  await using cluster = await ListingCluster.start({
    [allMaps]: () => answerOf(listOf(longest)),
    [source]: () => silence(),
  });
  try {
    const args = ["--no-tls", "--kubeconfig", cluster.kubeconfig, "--allow-service-address", "127.0.0.0/8"];
    await using server = await startReplica({ policies: waiting(service.address), args });
    const answers: Promise<number>[] = [];
    for (const { what, kind, count, spec, path = "/validate/fail" } of loads) {
      for (let index = 0; index < count; index++) {
        answers.push(statusOf(server, timely(path), reviewOf(kind, `${kind.toLowerCase()}-${index}`, spec)));
      }
      await pause(300);
      assert.ok(server.running(), `${what}: ${server.log().slice(-2_000)}`);
    }
    // On a busy machine this process is late with a body for whose room others wait: 408.
    const statuses = await Promise.all(answers);
    assert.deepEqual(statuses.filter((status) => ![200, 408, 503].includes(status)), []);
    assert.ok(server.running(), server.log().slice(-2_000));
    assert.equal(await statusOf(server, timely("/validate/fail"), reviewOf("Role", "last", text(10))), 200);
    const { most } = await server.memory();
    assert.ok(most < bound, `${most} MiB`);
  } finally {
    await service.close();
  }
});
