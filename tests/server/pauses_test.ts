/** Long reviews let others work while they are read, decided and answered. */
import assert from "node:assert/strict";
import { admissionReview } from "./review.ts";
import { portsOf, serving } from "./serving.ts";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  validationFailureAction: Enforce
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: no team, pattern: {metadata: {labels: {team: "?*"}}}}
`;

function labelled(count: number, more: Record<string, string> = {}): string {
  const labels = Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, "x"]));
  return JSON.stringify(admissionReview({
    object: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { ...labels, ...more } } },
  }));
}

async function pausesOf(body: string): Promise<{ readonly pauses: number; readonly allowed: boolean }> {
  let pauses = 0;
  const scheduler = { sliceMilliseconds: 0, pause: () => Promise.resolve(void pauses++) };
  const { post } = serving(policy, { ports: portsOf({ scheduler }) });
  const { response } = await (await post("/validate/fail", body)).json();
  return { pauses, allowed: response.allowed };
}

Deno.test("the server parses a long review in stages, and pauses before it decides and before it answers", async () => {
  const long = labelled(100_000), pieces = Math.floor(long.length / (128 * 1024));
  const denied = await pausesOf(long);
  assert.equal(denied.allowed, false);
  assert.ok(denied.pauses >= pieces + 2, `${denied.pauses} pauses, ${pieces} pieces`);
  assert.equal((await pausesOf(labelled(100_000, { team: "a" }))).allowed, true);
});

Deno.test("the server answers a short review without a pause", async () => {
  // One is before its rule: the slice is over as soon as it begins.
  assert.ok((await pausesOf(labelled(10))).pauses <= 1);
});

Deno.test("a long body that is no review gets the same error as a short one", async () => {
  const { post } = serving(policy, {
    ports: portsOf({ scheduler: { sliceMilliseconds: 0, pause: async () => {} } }),
  });
  const broken = await post("/validate/fail", labelled(100_000).slice(0, -1));
  assert.equal(broken.status, 417);
  assert.match((await broken.json()).message, /^the body is not JSON: /);
  assert.equal((await post("/validate/fail", JSON.stringify({ a: "x".repeat(600_000) }))).status, 400);
});
