/** Objects with maps of hundred thousands of keys: a copy of one takes as much memory as ten of its texts. */
import assert from "node:assert/strict";
import { admissionReview } from "../server/review.ts";
import { postBytes, RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";
import { policyAbout } from "./filled_memory.ts";

/** MiB that no attack may pass. */
const bound = 200;

/** A review of a Pod with so many labels. */
function review(uid: string, count: number): string {
  const labels = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "x"]));
  const metadata = { name: "p", namespace: "default", labels };
  return JSON.stringify(
    admissionReview({ uid, object: { apiVersion: "v1", kind: "Pod", metadata, spec: {} } }),
  );
}

const policies = Array.from(
  { length: 30 },
  (_, index) =>
    policyAbout("Pod", `mutate: {patchStrategicMerge: {metadata: {labels: {added-${index}: "y"}}}}`, {
      name: `labels-${index}`,
    }),
).join("");

Deno.test("a Pod of 170,000 labels that 30 policies mutate is answered within the memory bound", async () => {
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  using connection = await RawConnection.open(server.port);
  await connection.write(postBytes("/mutate/fail?timeout=29s", review("wide", 170_000)));
  assert.equal((await connection.answer()).status, 200);
  assert.ok(server.running());
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
});
