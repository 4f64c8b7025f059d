/** Objects and reviews with hostile contents: what is forbidden is denied, and logs and metrics stay whole. */
import assert from "node:assert/strict";
import { type Json, setField } from "../../lib/json/mod.ts";
import { admissionReview, pod } from "../server/review.ts";
import { eventually, type ServerProcess, startServer } from "../support/server_process.ts";

const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: classic}
spec:
  validationFailureAction: Enforce
  rules:
  - name: no-host-network
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: "no {{ request.object.metadata.name }}", pattern: {spec: {=(hostNetwork): false}}}
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: cel}
spec:
  validationActions: [Audit]
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]
  validations: [{expression: "false", messageExpression: "'no ' + object.metadata.name + request.userInfo.username"}]
`;

/** A name that would end a line of a log or a label of a metric, and begin another. */
const breaking = 'a\nb\r{"level":"error"}\u0000\u2028\u0085\u001b[31m"} 1\n';

/** A map with so many keys, by the number of the key. */
function keyed(count: number, key: (index: number) => string): string {
  return `{${Array.from({ length: count }, (_, index) => `"${key(index)}":"x"`).join(",")}}`;
}

/** JSON of a field `extra` of the Pod. */
const contents: Readonly<Record<string, string>> = {
  "a key of 1 MB": `{"${"k".repeat(1_000_000)}":1}`,
  "100,000 keys": keyed(100_000, (index) => `k${index}`),
  "50,000 keys that are numbers far apart": keyed(
    50_000,
    (index) => String((index * 85_899) % 4_294_967_290),
  ),
  "__proto__ in __proto__": `${'{"__proto__":'.repeat(300)}1${"}".repeat(300)}`,
  "a number of 1 MB": `0.${"1".repeat(1_000_000)}`,
  "a number below all doubles": "1e-400",
  "NUL": `"${"\\u0000".repeat(100_000)}"`,
  "names that objects inherit": '{"constructor":{"prototype":{"spec":1}},"toString":1,"length":-1,"then":{}}',
};

/** The same that the API server would read otherwise, which never sends them. */
const unreadable: Readonly<Record<string, string>> = {
  "a whole number of 1 MB": "1".repeat(1_000_000),
  "a number beyond all doubles": "[1e400,-1e400]",
  "halves of surrogate pairs": `"${"\\ud800".repeat(100_000)}"`,
};

async function post({ address }: ServerProcess, text: string): Promise<{ status: number; text: string }> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${address}/validate/fail`, { method: "POST", headers, body: text });
  return { status: answer.status, text: await answer.text() };
}

const forbidden = { ...pod(), spec: { hostNetwork: true, containers: [] } };

Deno.test("a forbidden Pod is denied, whatever else it contains", async () => {
  await using server = await startServer({ policies, args: ["--no-tls"] });
  for (const [what, extra] of Object.entries(contents)) {
    const review = JSON.stringify(admissionReview({ object: { ...forbidden, extra: "EXTRA" } }));
    const { status, text } = await post(server, review.replace('"EXTRA"', () => extra));
    assert.equal(status, 200, what);
    const { response } = JSON.parse(text);
    assert.deepEqual([response.uid, response.allowed], ["review-1", false], what);
  }
  for (const [what, extra] of Object.entries(unreadable)) {
    const review = JSON.stringify(admissionReview({ object: { ...forbidden, extra: "EXTRA" } }));
    assert.equal((await post(server, review.replace('"EXTRA"', () => extra))).status, 417, what);
  }
  assert.ok(server.running());
});

Deno.test("names with line breaks and quotes break no line of the log or the metrics", async () => {
  await using server = await startServer({ policies, args: ["--no-tls"] });
  const paths = [["uid"], ["name"], ["namespace"], ["subResource"], ["userInfo", "username"], [
    "kind",
    "kind",
  ]];
  paths.push(["object", "metadata", "name"], ["object", "kind"], ["resource", "resource"]);
  for (const path of paths) {
    const review = structuredClone(admissionReview({ object: forbidden }));
    let target = review["request"] as { [name: string]: Json };
    for (const name of path.slice(0, -1)) target = target[name] as { [name: string]: Json };
    setField(target, path.at(-1)!, breaking.slice(0, 60));
    assert.equal((await post(server, JSON.stringify(review))).status, 200, path.join("."));
  }
  await eventually("audits are logged", () => server.log().split('"message":"audit"').length > 5);
  const lines = server.log().split("\n").filter((line) => line.includes("[31m"));
  assert.ok(lines.length > 5, server.log());
  for (const line of lines) assert.equal(typeof JSON.parse(line).message, "string");
  const metrics = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
  for (const line of metrics.trimEnd().split("\n")) {
    assert.match(line, /^(?:#.*|\w+(?:\{(?:\w+="(?:[^"\\]|\\["\\n])*",?)*\})? \S+)$/);
  }
});
