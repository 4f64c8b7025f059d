import assert from "node:assert/strict";
import fc from "fast-check";
import { type Json, type JsonObject, nestsDeeperThan } from "../../lib/json/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";

const request = {
  uid: "1",
  kind: { group: "apps", version: "v1", kind: "Deployment" },
  resource: { group: "apps", version: "v1", resource: "deployments" },
  operation: "CREATE",
  userInfo: { username: "alice", groups: ["a"], extra: { k: ["v"] } },
  object: { kind: "Deployment" },
};
const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };

Deno.test("parseReview() reads a request and fills absent fields", () => {
  const parsed = parseReview(review);
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.review.request, {
    uid: "1",
    kind: request.kind,
    resource: request.resource,
    subResource: "",
    name: "",
    namespace: "",
    operation: "CREATE",
    userInfo: { username: "alice", groups: ["a"] },
    object: { kind: "Deployment" },
    oldObject: null,
    dryRun: false,
    json: request,
  });
});

const refused: [body: Json, message: RegExp, uid: string][] = [
  [null, /must be an AdmissionReview/, ""],
  [[], /must be an AdmissionReview/, ""],
  [{ ...review, kind: "Pod" }, /kind must be AdmissionReview, not "Pod"/, "1"],
  [{ ...review, apiVersion: "admission.k8s.io/v1beta1" }, /apiVersion must be/, "1"],
  [{ apiVersion: review.apiVersion, kind: review.kind }, /request is nil/, ""],
  [{ ...review, request: [] }, /request is nil/, ""],
  [{ ...review, request: { ...request, uid: "" } }, /uid is missing/, ""],
  [{ ...review, request: { ...request, operation: "create" } }, /operation must be one of/, "1"],
  [{ ...review, request: { ...request, kind: null } }, /kind is missing/, "1"],
  [{ ...review, request: { ...request, object: "x" } }, /request.object must be an object/, "1"],
  [{ ...review, request: { ...request, oldObject: [] } }, /request.oldObject must be an object/, "1"],
  [
    { ...review, request: { ...request, userInfo: { groups: "a" } } },
    /request.userInfo.groups must be a list of texts/,
    "1",
  ],
  [
    { ...review, request: { ...request, userInfo: { extra: { k: "v" } } } },
    /request.userInfo.extra must be a map of lists of texts/,
    "1",
  ],
  [{ ...review, request: { ...request, userInfo: "root" } }, /request.userInfo must be an object/, "1"],
  [{ ...review, request: { ...request, namespace: 7 } }, /request.namespace must be a text/, "1"],
  [{ ...review, request: { ...request, dryRun: "true" } }, /request.dryRun must be a boolean/, "1"],
  [
    { ...review, request: { ...request, kind: { ...request.kind, group: [] } } },
    /kind.group must be a text/,
    "1",
  ],
  [{ ...review, request: { ...request, OBJECT: {} } }, /request.OBJECT must be written "object"/, "1"],
  [{ ...review, request: { ...request, "\u212aind": {} } }, /ind must be written "kind"/, "1"],
  [{ ...review, request: { ...request, "re\u017fource": {} } }, /ource must be written "resource"/, "1"],
  [{ ...review, Request: {} }, /Request must be written "request"/, "1"],
  [{ ...review, request: { ...request, resource: null } }, /resource is missing/, "1"],
  [
    { ...review, request: { ...request, object: null } },
    /request.object is missing: a request for CREATE/,
    "1",
  ],
  [
    { ...review, request: { ...request, operation: "UPDATE", object: null, oldObject: {} } },
    /request.object is missing: a request for UPDATE/,
    "1",
  ],
  [
    { ...review, request: { ...request, operation: "DELETE" } },
    /request.oldObject is missing: a request for DELETE/,
    "1",
  ],
  [
    { ...review, request: { ...request, kind: { ...request.kind, kind: "K".repeat(64) } } },
    /request.kind.kind is longer than 63 characters \(64\)/,
    "1",
  ],
  [
    { ...review, request: { ...request, namespace: "n".repeat(1_000_000) } },
    /request.namespace is longer than 63 characters \(1000000\)/,
    "1",
  ],
  [
    { ...review, request: { ...request, namespace: "team-\ud800" } },
    /request.namespace is not well-formed Unicode/,
    "1",
  ],
];
for (const [body, message, uid] of refused) {
  Deno.test(`parseReview() refuses: ${message.source}`, () => {
    const parsed = parseReview(body);
    assert.ok(!parsed.ok);
    assert.match(parsed.message, message);
    assert.equal(parsed.uid, uid);
  });
}

const read: [what: string, changed: JsonObject][] = [
  ["null in fields that need no value", { namespace: null, userInfo: null, dryRun: null, options: null }],
  ["fields that Kubernetes does not know", { newField: { Object: 1 }, options: { Kind: "CreateOptions" } }],
  ["a CONNECT without an object", { operation: "CONNECT", object: null }],
];
for (const [what, changed] of read) {
  Deno.test(`parseReview() reads ${what}`, () => {
    assert.ok(parseReview({ ...review, request: { ...request, ...changed } }).ok);
  });
}

Deno.test("parseReview() never throws", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(request)), (value, key) => {
    parseReview(value as Json);
    parseReview({ ...review, request: { ...request, [key]: value as Json } });
  }));
});

Deno.test("nestsDeeperThan() counts brackets outside of strings", () => {
  const cases: [limit: number, text: string, deeper: boolean][] = [
    [0, "1", false],
    [0, "[]", true],
    [1, '{"[[[{{{":"]"}', false],
    [1, '["\\"[["]', false],
    [1, '["\\\\",[]]', true],
    [2, "[[],[],[]]", false],
    [100, "[".repeat(101), true],
    [1, '["unclosed [[[', false],
  ];
  for (const [limit, text, deeper] of cases) assert.equal(nestsDeeperThan(limit, text), deeper, text);
});
