/** When webhooks go with the installation, and when they stay. */
import assert from "node:assert/strict";
import { Uninstallation } from "../../lib/live/mod.ts";
import type { Answer } from "../../lib/ports.ts";

const running: Answer = { ok: true, status: 200, body: { metadata: {}, spec: { replicas: 2 } } };
const absent: Answer = { ok: false, status: 404, message: "not found" };

const going: Answer = { ok: true, status: 200, body: { metadata: { deletionTimestamp: "now" } } };

type Row = readonly [what: string, begin: Answer, end: Answer, isUnderWay: boolean, namespace?: Answer];
const table: readonly Row[] = [
  ["the namespace is being deleted", running, running, true, going],
  ["the Deployment is deleted", running, absent, true],
  [
    "the Deployment is being deleted",
    running,
    { ok: true, status: 200, body: { metadata: { deletionTimestamp: "now" }, spec: { replicas: 2 } } },
    true,
  ],
  [
    "the Deployment is scaled to zero",
    running,
    { ok: true, status: 200, body: { metadata: {}, spec: { replicas: 0 } } },
    true,
  ],
  ["a pod is replaced", running, running, false],
  ["the process was started by hand", absent, absent, false],
  ["the API server does not answer", running, { ok: false, status: undefined, message: "away" }, false],
  ["the right to read was revoked", running, { ok: false, status: 403, message: "forbidden" }, false],
];

for (const [what, begin, end, expected, namespace = running] of table) {
  Deno.test(`the webhooks ${expected ? "are deleted" : "stay"} when ${what}`, async () => {
    const answers = [begin, namespace, end];
    const paths: string[] = [];
    const uninstallation = new Uninstallation({
      call: ({ path }) => {
        paths.push(path);
        return Promise.resolve(answers.shift()!);
      },
      resource: () => Promise.resolve(undefined),
    }, { namespace: "gate", service: "postern" });
    await uninstallation.begin();
    assert.equal(await uninstallation.isUnderWay(), expected);
    assert.equal(paths[0], "/apis/apps/v1/namespaces/gate/deployments/postern");
  });
}

Deno.test("an API server that is busy at the start does not hide the Deployment", async () => {
  const busy: Answer = { ok: false, status: 503, message: "busy" };
  const answers = [busy, running, running, absent];
  const uninstallation = new Uninstallation({
    call: () => Promise.resolve(answers.shift()!),
    resource: () => Promise.resolve(undefined),
  }, { namespace: "gate", service: "postern" });
  await uninstallation.begin();
  assert.equal(await uninstallation.isUnderWay(), true);
});
