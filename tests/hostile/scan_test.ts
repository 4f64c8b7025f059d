/** `POST /scan` with expressions that multiply their input, and dense JSON: the process answers, and stays small. */
import assert from "node:assert/strict";
import { startReplica } from "../support/replica.ts";

const policies = `
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: {name: any}
spec: {rules: [{name: named, assert: {all: [{check: {(length(@) >= \`0\`): true}}]}}]}
`;

const list = Array.from({ length: 4_000 }, (_, index) => index);
const bombs = [
  "map(&map(&map(&@,$),$),$)",
  "sort_by(@, &length(sort_by($, &@)))",
  "length(map(&map(&@,$),$))",
];

Deno.test("expressions of callers neither end the process nor block it", async () => {
  await using server = await startReplica({ policies, args: ["--no-tls", "--scan-preprocessors"] });
  for (const bomb of bombs) {
    const body = JSON.stringify({ payload: list, preprocessors: [bomb] });
    const response = await fetch(`${server.address}/scan`, { method: "POST", body });
    assert.equal(response.status, 400, bomb);
    assert.match((await response.json()).message, /more than 2000000 steps/);
  }
  assert.equal(await fetch(`${server.address}/health/liveness`).then((answer) => answer.text()), "ok");
  assert.ok(server.running());
  const { most } = await server.memory();
  assert.ok(most < 200, `${most} MiB`);
});

const checking = `
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: {name: checking}
spec: {rules: [{name: named, assert: {all: [{check: {"~.(items || \`[]\`)": {name: x}}}]}}]}
`;
const maps = (count: number): string => `[${"{},".repeat(count)}{}]`;
const payloads: readonly (readonly [what: string, count: number, body: string, status: number])[] = [
  ["six payloads of 2.4 MB with empty maps", 6, `{"other":${maps(800_000)}}`, 413],
  ["six payloads of 0.3 MB with empty maps", 6, `{"other":${maps(100_000)}}`, 200],
  ["a list of 60,000 values", 1, maps(60_000), 400],
  ["a value that violates a rule a hundred thousand times", 6, `{"items":${maps(100_000)}}`, 400],
];
for (const [what, count, body, status] of payloads) {
  Deno.test(`payloads that take much more memory than their text do not end the process: ${what}`, async () => {
    await using server = await startReplica({ policies: checking, args: ["--no-tls"] });
    const statuses = await Promise.all(Array.from({ length: count }, async () => {
      const response = await fetch(`${server.address}/scan`, { method: "POST", body });
      await response.body?.cancel();
      return response.status;
    }));
    assert.deepEqual([...new Set(statuses)], [status]);
    assert.ok(server.running());
    const { most } = await server.memory();
    assert.ok(most < 200, `${most} MiB`);
  });
}
