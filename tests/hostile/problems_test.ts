/** Policies whose every value is a problem for their author: what is kept of the problems must not fill the heap. */
import assert from "node:assert/strict";
import { startReplica } from "../support/replica.ts";
import { policyAbout } from "./filled_memory.ts";

/** MiB at which the container ends; 171 were measured. */
const bound = 256;

const unknown = Array.from({ length: 100 }, (_, index) => `unknown${index}: 1`).join(", ");

/** As many policies as there is memory for. Each has a hundred unknown fields. */
const mistaken = Array.from(
  { length: 1_500 },
  (_, index) => policyAbout("ConfigMap", `validate: {message: refused, ${unknown}}`, { name: `p-${index}` }),
).join("");

Deno.test("policies at their bound with a problem in each value start, and each says some of its problems", async () => {
  await using server = await startReplica({ policies: mistaken, args: ["--no-tls"] });
  assert.match(server.log(), /unknown-field/);
  assert.match(server.log(), /9\d more problems of this document are not shown/);
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
});
