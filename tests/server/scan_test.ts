/** `POST /scan`: JSON policies as a service. */
import assert from "node:assert/strict";
import { type AppOptions, createApp, Metrics } from "../../lib/server/mod.ts";
import { policies, ports } from "../engine/ports.ts";

const snapshot = policies(`
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: {name: test}
spec:
  rules:
  - name: bounded
    identifier: name
    assert: {all: [{check: {(n < \`5\`): true}, message: "{{ name }} is too large"}]}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: of-another-kind}
spec: {rules: [{name: none, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {deny: {}}}]}
`);

async function post(
  body: string,
  options: Partial<AppOptions> = { scanPreprocessors: true },
): Promise<[number, unknown]> {
  const log = { write: () => {} };
  const app = createApp({
    snapshot: () => snapshot,
    ports: ports(),
    log,
    metrics: new Metrics(),
    ...options,
  });
  const response = await app.request("/scan", {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  return [response.status, await response.json()];
}

const small = { policy: "test", rule: "bounded", identifier: "a", result: "pass", message: "" };
const large = {
  policy: "test",
  rule: "bounded",
  identifier: "b",
  result: "fail",
  message: "-> b is too large\n -> (n < `5`): Invalid value: false: Expected value: true",
  violations: [{
    check: "spec.rules[0].assert.all[0]",
    message: "b is too large",
    path: "(n < `5`)",
    value: false,
    detail: "Expected value: true",
  }],
};

const answers: [what: string, body: unknown, results: readonly unknown[]][] = [
  ["a payload that is an object", { name: "a", n: 1 }, [small]],
  ["each element of a list", [{ name: "a", n: 1 }, { name: "b", n: 9 }], [small, large]],
  ["the payload of an envelope", { payload: { name: "b", n: 9 } }, [large]],
  [
    "the results of an envelope's preprocessors",
    { payload: { items: [{ name: "a", n: 1 }] }, preprocessors: ["items", "[0]"] },
    [small],
  ],
];
for (const [what, body, results] of answers) {
  Deno.test(`/scan evaluates ${what}`, async () => {
    assert.deepEqual(await post(JSON.stringify(body)), [200, { results }]);
  });
}

const numbers = Array.from({ length: 2_000 }, (_, index) => index);

const refusals: [what: string, body: string, status: number, message: RegExp][] = [
  ["a body that is not JSON", "{", 400, /the body is not JSON/],
  ["null", "null", 400, /payload is `null`/],
  ["endless nesting", "[".repeat(100_000), 400, /nests deeper/],
  [
    "too many preprocessors",
    JSON.stringify({ payload: 1, preprocessors: Array(11).fill("@") }),
    400,
    /at most 10 preprocessors/,
  ],
  [
    "preprocessors that are too long",
    JSON.stringify({ payload: 1, preprocessors: ["@".padEnd(5000)] }),
    400,
    /of 4096 characters/,
  ],
  [
    "preprocessors that would visit a list once for each pair of its elements",
    JSON.stringify({ payload: numbers, preprocessors: ["map(&map(&map(&@, $), $), $)"] }),
    400,
    /takes more than 2000000 steps/,
  ],
  [
    "preprocessors that put the whole payload into each of its elements",
    JSON.stringify({ payload: numbers, preprocessors: ["map(&$, $)"] }),
    400,
    /takes more than 2000000 steps/,
  ],
  [
    "a payload with too many values",
    JSON.stringify(Array.from({ length: 200_000 }, () => 1)),
    400,
    /send it in parts/,
  ],
  [
    "preprocessors that fail",
    '{"payload": 1, "preprocessors": ["a b"]}',
    400,
    /failed to execute preprocessor/,
  ],
];
for (const [what, body, status, message] of refusals) {
  Deno.test(`/scan refuses ${what}`, async () => {
    const [code, answer] = await post(body);
    assert.equal(code, status);
    assert.match((answer as { message: string }).message, message);
  });
}

Deno.test("/scan ignores expressions of callers by default", async () => {
  const body = JSON.stringify({ payload: { items: [] }, preprocessors: ["items"] });
  assert.deepEqual(await post(body, {}), [
    400,
    { message: "preprocessors are not enabled: start the server with --scan-preprocessors" },
  ]);
});

Deno.test("/scan is not found without JSON policies", async () => {
  const none = policies("");
  assert.deepEqual(await post("{}", { snapshot: () => none }), [
    404,
    { message: "nothing is served at POST /scan" },
  ]);
});

Deno.test("/scan answers 400 when a policy's expression multiplies the payload", async () => {
  const greedy = policies(`
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: {name: greedy}
spec:
  rules:
  - {name: pairs, assert: {all: [{check: {"(length(map(&length(map(&@, $.list)), list)))": 0}}]}}
`);
  const options = { snapshot: () => greedy };
  assert.deepEqual(await post(JSON.stringify({ list: Array.from({ length: 5_000 }, () => [1]) }), options), [
    400,
    { message: "policy greedy takes too many steps for one value" },
  ]);
});

Deno.test("/scan lets other requests run between the values of a payload", async () => {
  let time = 0, pauses = 0;
  const pause = (): Promise<void> => Promise.resolve(void pauses++);
  const slow = { ...ports(), clock: { now: () => time += 10 }, scheduler: { sliceMilliseconds: 25, pause } };
  const [status] = await post(JSON.stringify(Array.from({ length: 100 }, () => ({ n: 1 }))), { ports: slow });
  assert.equal(status, 200);
  assert.ok(pauses > 10, String(pauses));
});

Deno.test("/scan answers 503 before policies are loaded", async () => {
  const log = { write: () => {} };
  const app = createApp({ snapshot: () => undefined, ports: ports(), log, metrics: new Metrics() });
  assert.equal((await app.request("/scan", { method: "POST", body: "{}" })).status, 503);
});
