/** Anyone who may write an object may give it the labels of a clone: it must not get what its source contains. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { copying, labelledAs, ofBlue, setUp } from "./generating_setting.ts";
import { copy, source } from "./setting.ts";

const forged = copy.replace("blue", "green");
const aboutUser = copying.replace(
  "  generate:",
  "  matchConditions: [{name: jane, expression: 'request.userInfo.username == \"jane\"'}]\n  generate:",
);
const ofSource = { ...ofBlue, "generate.kyverno.io/source-uid": "u-source" };

const forgeries: readonly (readonly [what: string, policy: string, labels: JsonObject])[] = [
  ["that names no trigger", copying, { ...ofSource, "generate.kyverno.io/trigger-uid": "" }],
  ["of a policy that reads the request of its trigger", aboutUser, {
    ...ofSource,
    "generate.kyverno.io/trigger-name": "green",
    "generate.kyverno.io/trigger-uid": "u-green",
  }],
  ["that names no trigger, of a policy that reads its request", aboutUser, {
    ...ofSource,
    "generate.kyverno.io/trigger-uid": "",
  }],
  ["of another trigger", copying, ofSource],
];

for (const [what, policy, labels] of forgeries) {
  Deno.test(`a forged clone ${what} gets nothing of the source`, async () => {
    const { cluster, read, replace, follow } = await setUp(policy);
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "regcred", namespace: "green" } };
    const body = labelledAs(secret, labels);
    await cluster.inner.call({ method: "POST", path: forged.replace("/regcred", ""), body });
    const marked = await read(source);
    await replace(source, { ...marked, data: { a: "Yg==" } });
    await follow({ object: marked, state: "present" });
    assert.deepEqual((await read(copy))["data"], { a: "Yg==" });
    assert.equal((await read(forged))["data"], undefined);
  });
}
