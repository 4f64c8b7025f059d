/** Short texts of policies whose compiled form is large: with as many as there is memory for, a replica starts. */
import assert from "node:assert/strict";
import { startReplica } from "../support/replica.ts";
import { policyAbout } from "./filled_memory.ts";

/** MiB at which the container ends. */
const bound = 256;

const ranges = "1-2|".repeat(200);

/** More than there is memory for. Their compiled form would take 250 MB. */
const dense = Array.from(
  { length: 1_500 },
  (_, index) =>
    policyAbout("ConfigMap", `validate: {message: refused, pattern: {data: {a: "${ranges}${index}"}}}`, {
      name: `dense-${index}`,
    }),
).join("");

Deno.test("policies of many alternatives that would fill the heap are left out, and a replica starts", async () => {
  await using server = await startReplica({ policies: dense, args: ["--no-tls"] });
  assert.match(server.log(), /too-many-policies/);
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
});
