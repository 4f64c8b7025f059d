/** `POST /scan` with expressions that multiply their input: the process answers, and stays small. */
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
