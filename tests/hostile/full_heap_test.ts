/**
 * Policies at their bound of memory beside reviews at theirs: together they must not fill V8's heap, which ends the
 * process.
 */
import assert from "node:assert/strict";
import { fakeServer, silence } from "../adapters/fake_server.ts";
import { startReplica } from "../support/replica.ts";
import { pause } from "../support/server_process.ts";
import { emptyMaps, policyAbout, reviewOf, statusOf } from "./filled_memory.ts";

/** MiB at which the container ends; 193 to 210 were measured on a busy machine. */
const bound = 256;

/** More policies than there is memory for: those that do not fit are left out, and Jobs are denied in their place. */
const many = Array.from({ length: 5_000 }, (_, index) =>
  policyAbout(
    "Job",
    `validate: {message: refused, pattern: {spec: {containers: [{name: "a${index}*", image: "!*:latest${index}"}]}}}`,
    { name: `full-${index}` },
  )).join("");

function waitingFor(service: string): string {
  return policyAbout(
    "Service",
    `context: [{name: value, apiCall: {method: GET, service: {url: "${service}"}}}]
    validate: {message: refused, deny: {conditions: {all: [{key: "{{ value }}", operator: Equals, value: no}]}}}`,
  );
}

/** Three megabytes, of which half are empty maps: in the heap they take some 35 MB. */
const hostile = `{"text":"${"x".repeat(1_500_000)}","list":[${"{},".repeat(460_000)}{}]}`;

const path = "/validate/fail?timeout=8s";

Deno.test("reviews of 3 MB beside policies and short reviews at their bounds do not end the process", async () => {
  const service = fakeServer(() => silence());
  try {
    const args = ["--no-tls", "--allow-service-address", "127.0.0.0/8"];
    await using server = await startReplica({ policies: waitingFor(service.address) + many, args });
    assert.match(server.log(), /too-many-policies/);
    const short = Array.from(
      { length: 400 },
      (_, index) => statusOf(server, path, reviewOf("Service", `service-${index}`, emptyMaps(30_000))),
    );
    await pause(500);
    const long = Array.from(
      { length: 16 },
      (_, index) => statusOf(server, path, reviewOf("Service", `long-${index}`, hostile)),
    );
    const statuses = await Promise.all([...short, ...long]);
    assert.deepEqual(statuses.filter((status) => status !== 200 && status !== 503), []);
    for (const spec of [emptyMaps(10), `{"text":"${"x".repeat(3_000_000)}"}`]) {
      assert.equal(await statusOf(server, path, reviewOf("Service", "last", spec)), 200);
    }
    assert.ok(server.running(), server.log().slice(-2_000));
    const { most } = await server.memory();
    assert.ok(most < bound, `${most} MiB`);
  } finally {
    await service.close();
  }
});
