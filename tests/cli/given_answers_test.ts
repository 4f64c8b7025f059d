/** The answers that a test gives in place of services and of the global context. */
import assert from "node:assert/strict";
import { header, test } from "./test_folders.ts";

const calling = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ask }
spec:
  rules:
    - name: ask
      match: { any: [{ resources: { kinds: [Pod] } }] }
      context:
        - { name: teams, apiCall: { urlPath: /teams, jmesPath: names } }
        - { name: limit, apiCall: CALL }
      validate:
        failureAction: Audit
        deny:
          conditions:
            any:
              - { key: "{{ request.object.metadata.labels.team || '' }}", operator: AnyNotIn, value: "{{ teams }}" }
              - { key: "{{ limit }}", operator: NotEquals, value: 3 }
`;
const entries = `${header}
- { policy: ask, rule: ask, kind: Pod, resources: [good], result: pass }
- { policy: ask, rule: ask, kind: Pod, resources: [bad], result: fail }
apiCallResponses:
- { urlPath: /teams, response: { body: { names: [shop] } } }
`;
const limit = `
values:
  policies: [{ name: ask, rules: [{ name: ask, values: { limit: 3 } }] }]
`;

const calls: readonly [what: string, call: string][] = [
  ["the cluster", "{ urlPath: /limits }"],
  ["a service", '{ service: { url: "http://127.0.0.1:9/limits" } }'],
  ["a service with another method", '{ method: POST, service: { url: "http://127.0.0.1:9/limits" } }'],
];
for (const [what, call] of calls) {
  Deno.test(`values stand in for a call of ${what} that has no answer`, async () => {
    const policy = calling.replace("CALL", call);
    const { out, err } = await test({ "policy.yaml": policy, "kyverno-test.yaml": entries + limit });
    assert.match(out, /2 tests passed and 0 tests failed/, out + err);
  });
}

Deno.test("a test calls no service in place of an answer that is missing", async () => {
  let called = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    called++;
    return Response.json(3);
  });
  const url = `http://127.0.0.1:${server.addr.port}/limits`;
  const policy = calling.replace("CALL", `{ method: POST, service: { url: "${url}" } }`);
  const get = `- { url: "${url}", method: GET, response: { body: { a: 3 } } }\n`;
  const { out, code } = await test({ "policy.yaml": policy, "kyverno-test.yaml": entries + get });
  await server.shutdown();
  assert.equal(called, 0);
  assert.match(out, /the test gives no answer for POST http:\/\/127\.0\.0\.1:\d+\/limits/);
  assert.equal(code, 1);
});

const body = "response: { body: {} }";
const refused: readonly [what: string, fields: string, problem: RegExp][] = [
  [
    "without an address",
    `apiCallResponses: [{ ${body} }]`,
    /unusable-answer: An answer needs url or urlPath/,
  ],
  [
    "with two addresses",
    `apiCallResponses: [{ url: "http://a.b/c", urlPath: /c, ${body} }]`,
    /An answer has url or urlPath, not both/,
  ],
  ["with a path in its url", `apiCallResponses: [{ url: /c, ${body} }]`, /url must begin with http:/],
  ["without a host", `apiCallResponses: [{ url: "http://", ${body} }]`, /url must begin with http:/],
  ["with a relative path", `apiCallResponses: [{ urlPath: c, ${body} }]`, /urlPath must begin with \//],
  [
    "with another method",
    `apiCallResponses: [{ urlPath: /c, method: PUT, ${body} }]`,
    /GET or POST, not PUT/,
  ],
  ["without a body", "apiCallResponses: [{ urlPath: /c, response: {} }]", /response\.body must be an object/],
  [
    "with a list as body",
    "apiCallResponses: [{ urlPath: /c, response: { body: [] } }]",
    /kyverno-test\.yaml:\d+:\d+: error unusable-answer: response\.body must be an object/,
  ],
  [
    "with a status that is none",
    "apiCallResponses: [{ urlPath: /c, response: { statusCode: 999, body: {} } }]",
    /statusCode must be between 100 and 599/,
  ],
  [
    "that comes twice",
    `apiCallResponses: [{ urlPath: /c, ${body} }, { urlPath: " /c", ${body} }]`,
    /unusable-answer: There are two answers for \/c/,
  ],
  [
    "with an unknown field",
    `apiCallResponses: [{ urlPath: /c, methd: GET, ${body} }]`,
    /Unknown field "methd" in apiCallResponses\[0\]/,
  ],
];
const refusedEntries: typeof refused = [
  [
    "without a name",
    "globalContextEntries: [{ data: {} }]",
    /unusable-answer: A global context entry needs a name/,
  ],
  [
    "that comes twice",
    "globalContextEntries: [{ name: a, data: {} }, { name: a, data: {} }]",
    /unusable-answer: There are two global context entries "a"/,
  ],
  [
    "without data",
    "globalContextEntries: [{ name: a }]",
    /unusable-answer: The global context entry "a" needs data, resources or resourceFiles/,
  ],
  [
    "with two kinds of data",
    "globalContextEntries: [{ name: a, data: {}, resources: [] }]",
    /The global context entry "a" has one of data, resources and resourceFiles/,
  ],
  ["with a list as data", "globalContextEntries: [{ name: a, data: [] }]", /data must be an object/],
  ["with a text as object", "globalContextEntries: [{ name: a, resources: [b] }]", /must be an object/],
  [
    "whose file is outside",
    "globalContextEntries: [{ name: a, resourceFiles: [../b.yaml] }]",
    /resourceFiles names files below the folder of the test, not \.\.\/b\.yaml/,
  ],
  [
    "with a projection without a path",
    "globalContextEntries: [{ name: a, data: {}, projections: [{ name: b }] }]",
    /unusable-answer: A projection needs a name and a path/,
  ],
  [
    "with an expression that cannot be read",
    'globalContextEntries: [{ name: a, data: {}, fieldPath: "b[[" }]',
    /unusable-answer: b\[\[: /,
  ],
];
for (
  const [subject, list] of [["an answer", refused], ["a global context entry", refusedEntries]] as const
) {
  for (const [what, fields, problem] of list) {
    Deno.test(`test refuses ${subject} ${what}`, async () => {
      const text =
        `${header}- { policy: require-team, rule: team, kind: Pod, resources: [good], result: pass }\n`;
      const { code, err } = await test({ "kyverno-test.yaml": `${text}${fields}\n` });
      assert.match(err, problem);
      assert.match(err, /TESTS\/kyverno-test\.yaml:\d+:\d+: error/);
      assert.equal(code, 1);
    });
  }
}

Deno.test("upper and lower case do not matter in the names of an answer's fields", async () => {
  const policy = calling.replace("CALL", "{ urlPath: /limits }");
  const spelt = `- { URLPath: /limits, Method: GET, Response: { Body: { a: 1 }, StatusCode: 500 } }\n`;
  const { out, err } = await test({ "policy.yaml": policy, "kyverno-test.yaml": entries + spelt });
  assert.match(out + err, /HTTP 500/);
});
