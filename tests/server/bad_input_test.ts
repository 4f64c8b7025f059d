/** Bodies that are no reviews: each gets an answer that says what is wrong, and its uid where there is one. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { admissionReview, pod } from "./review.ts";
import { denies, portsOf, serving } from "./serving.ts";
import { processorTime } from "../support/processor_time.ts";

const json = { "content-type": "application/json" };
const { app, post } = serving(denies("never"));

function changed(
  change: (review: { [field: string]: Json }, request: { [field: string]: Json }) => void,
): JsonObject {
  const review = structuredClone(admissionReview()) as { [field: string]: Json };
  change(review, review["request"] as { [field: string]: Json });
  return review;
}

/** A review whose object has metadata with a text that JSON cannot have. */
function written(labels: JsonObject, placeholder: string, text: string): string {
  return JSON.stringify(admissionReview({ object: pod(labels) })).replace(placeholder, () => text);
}

interface Case {
  readonly what: string;
  readonly body: Json | string;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly says: RegExp;
  /** Whether the answer carries the review's uid. */
  readonly uid?: "review-1";
}

const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

const cases: readonly Case[] = [
  { what: "no content type", body: admissionReview(), headers: {}, status: 415, says: /Content-Type/ },
  {
    what: "a form",
    body: admissionReview(),
    headers: { "content-type": "text/plain" },
    status: 415,
    says: /Content-Type/,
  },
  {
    what: "YAML",
    body: "a: b",
    headers: { "content-type": "application/yaml" },
    status: 415,
    says: /application\/json/,
  },
  { what: "nothing", body: "", status: 400, says: /empty body/ },
  { what: "white space", body: " \n\t ", status: 400, says: /empty body/ },
  { what: "broken JSON", body: '{"request":', status: 417, says: /not JSON/ },
  {
    what: "half a review",
    body: JSON.stringify(admissionReview()).slice(0, 200),
    status: 417,
    says: /not JSON/,
  },
  { what: "a text", body: '"review"', status: 400, says: /must be an AdmissionReview/ },
  { what: "a list", body: "[]", status: 400, says: /must be an AdmissionReview/ },
  { what: "null", body: "null", status: 400, says: /must be an AdmissionReview/ },
  {
    what: "another kind",
    body: changed((review) => review["kind"] = "Pod"),
    status: 400,
    says: /AdmissionReview, not/,
    uid: "review-1",
  },
  {
    what: "no request",
    body: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" },
    status: 400,
    says: /request is nil/,
  },
  {
    what: "a request that is no object",
    body: changed((review) => review["request"] = 7),
    status: 400,
    says: /request is nil/,
  },
  {
    what: "the version before",
    body: changed((review) => review["apiVersion"] = "admission.k8s.io/v1beta1"),
    status: 400,
    says: /apiVersion must be admission\.k8s\.io\/v1/,
    uid: "review-1",
  },
  {
    what: "no uid",
    body: changed((_, request) => delete request["uid"]),
    status: 400,
    says: /uid is missing/,
  },
  {
    what: "an unknown operation",
    body: changed((_, request) => request["operation"] = "PATCH"),
    status: 400,
    says: /operation/,
    uid: "review-1",
  },
  {
    what: "no kind",
    body: changed((_, request) => delete request["kind"]),
    status: 400,
    says: /kind is missing/,
    uid: "review-1",
  },
  {
    what: "groups that are no texts",
    body: changed((_, request) => request["userInfo"] = { groups: [1] }),
    status: 400,
    says: /userInfo/,
    uid: "review-1",
  },
  {
    what: "a number beyond all doubles",
    body: written({ n: "here" }, '"here"', "1e400"),
    status: 417,
    says: /a number that is beyond all doubles/,
  },
  {
    what: "a number of many digits beyond all doubles",
    body: written({ n: "here" }, '"here"', `-${"9".repeat(400)}`),
    status: 417,
    says: /a number that is beyond all doubles/,
  },
  {
    what: "half of a surrogate pair",
    body: written({ n: "here" }, "here", String.raw`a\ud800b`),
    status: 417,
    says: /not well-formed Unicode/,
  },
  {
    what: "a name with half of a surrogate pair",
    body: written({ here: 1 }, "here", String.raw`\uDC00`),
    status: 417,
    says: /not well-formed Unicode/,
  },
  {
    what: "a byte order mark",
    body: `\ufeff${JSON.stringify(admissionReview())}`,
    status: 417,
    says: /not JSON/,
  },
  {
    what: "another charset",
    body: admissionReview(),
    headers: { "content-type": "application/json; charset=latin1" },
    status: 415,
    says: /Content-Type/,
  },
  { what: "a depth bomb of objects", body: deep(100_000), status: 400, says: /nests deeper/ },
  { what: "a depth bomb of lists", body: "[".repeat(1_000_000), status: 400, says: /nests deeper/ },
  { what: "more than 5 MB", body: `"${"x".repeat(5 * 1024 * 1024)}"`, status: 413, says: /larger than/ },
];

for (const { what, body, headers = json, status, says, uid } of cases) {
  Deno.test(`the server rejects a review that is ${what} with ${status} and the reason`, async () => {
    const answer = await post("/validate/fail", body, headers);
    assert.equal(answer.status, status);
    const text = await answer.text();
    assert.match(text, says);
    if (uid === undefined) return;
    const { response } = JSON.parse(text);
    assert.deepEqual([response.uid, response.allowed], [uid, false]);
  });
}

Deno.test("the server counts a body without Content-Length while it reads it", async () => {
  const { app } = serving(denies("never"));
  const chunk = new TextEncoder().encode("x".repeat(1024 * 1024));
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ > 20) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const request = new Request("http://localhost/validate/fail", { method: "POST", headers: json, body });
  assert.equal((await app.fetch(request)).status, 413);
  assert.ok(sent < 12, "the rest is not read");
});

Deno.test("brackets in strings do not count as nesting", async () => {
  const object = pod({ annotations: { text: "[".repeat(5000) + "{".repeat(5000) } });
  assert.equal((await post("/validate/fail", admissionReview({ object }))).status, 200);
});

Deno.test("keys such as __proto__ and constructor are ordinary keys", async () => {
  const { review } = serving(denies("never", "validationFailureAction: Enforce", "kinds: [ConfigMap]"));
  const text = JSON.stringify(admissionReview({ object: pod({ labels: { key: "value" } }) })).replace(
    '"key":"value"',
    '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x"',
  );
  assert.equal((await review("/validate/fail", JSON.parse(text))).allowed, true);
  assert.equal((await post("/validate/fail", text)).status, 200);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

/** JSON of any shape, with names that reviews have. */
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      "",
      "Pod",
      "CREATE",
      "review-1",
      -0,
      1e308,
      "\u0000",
      "{{ request }}",
    ),
    fc.string(),
    fc.double(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.constantFrom(
          "uid",
          "kind",
          "object",
          "metadata",
          "spec",
          "containers",
          "labels",
          "__proto__",
          "group",
        ),
        fc.string(),
      ),
      tie("value"),
      { maxKeys: 5 },
    ),
  ),
})).value;

const policies = [
  denies("deny", "validationFailureAction: Enforce", 'kinds: ["*"]'),
  `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: patterns}
spec:
  validationFailureAction: Enforce
  rules:
  - name: pattern
    match: {any: [{resources: {kinds: ["*"]}}]}
    validate: {message: "{{ request.object.metadata.name }}", pattern: {spec: {containers: [{image: "!*:latest"}]}}}
  - name: loop
    match: {any: [{resources: {kinds: ["*"]}}]}
    validate:
      foreach:
      - list: "request.object.spec.containers || request.object.metadata || \`[]\`"
        deny: {conditions: {any: [{key: "{{ element.name || '' }}", operator: In, value: ["a", "{{ request.name }}"]}]}}
  - name: change
    match: {any: [{resources: {kinds: ["*"]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {a: "{{ request.namespace }}"}}, spec: {(containers): [{(name): "*", image: x}]}}}
`,
].join("");

Deno.test("the server answers any review in time, with its uid", async () => {
  const { post } = serving(policies, { ports: portsOf() });
  const parts = fc.record({
    object: anyJson,
    oldObject: anyJson,
    namespace: anyJson,
    name: anyJson,
    userInfo: anyJson,
    kind: fc.oneof(anyJson, fc.constant({ group: "", version: "v1", kind: "Pod" })),
    resource: anyJson,
    subResource: anyJson,
    operation: fc.constantFrom("CREATE", "UPDATE", "DELETE", "CONNECT", "OTHER"),
  }, { requiredKeys: [] });
  const paths = fc.constantFrom("/validate", "/validate/fail", "/validate/ignore", "/mutate", "/mutate/fail");
  await fc.assert(
    fc.asyncProperty(parts, paths, async (given, path) => {
      const base = admissionReview();
      const body = { ...base, request: { ...base["request"] as JsonObject, ...given as JsonObject } };
      const started = processorTime();
      const answer = await post(`${path}?timeout=1s`, JSON.stringify(body));
      assert.ok(processorTime() - started < 2000, "in time");
      const { response } = await answer.json();
      assert.equal(response.uid, "review-1");
      assert.equal(typeof response.allowed, "boolean");
      assert.ok(answer.status === 200 || response.allowed === false);
    }),
    { numRuns: 400 },
  );
});

Deno.test("the handler answers any body", async () => {
  const { post } = serving(policies);
  const bodies = fc.oneof(
    fc.string(),
    anyJson.map((value) => JSON.stringify(value) ?? ""),
    fc.string({ unit: "binary" }),
  );
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const answer = await post("/validate/fail", body);
      assert.ok([200, 400, 417].includes(answer.status), String(answer.status));
      await answer.json();
    }),
    { numRuns: 400 },
  );
});

Deno.test("bytes that are no UTF-8 are refused, in short and in long bodies", async () => {
  const review = JSON.stringify(admissionReview({ object: pod({ labels: { a: "here" } }) }));
  for (const padding of [0, 100_000]) {
    const bytes = new TextEncoder().encode(review + " ".repeat(padding));
    bytes[review.indexOf("here")] = 0xff;
    const answer = await app.request("/validate", { method: "POST", headers: json, body: bytes });
    assert.equal(answer.status, 417);
    assert.match(await answer.text(), /not in UTF-8/);
  }
});

Deno.test("numbers and texts that only look like those of other values are read", async () => {
  const texts = ["1e300", "1e-400", "0.000", String.raw`"\\ud800"`, String.raw`"\ud83d\ude00"`, '":1e400"'];
  for (const text of texts) {
    const answer = await post("/validate", written({ n: "here" }, '"here"', text));
    assert.equal(answer.status, 200, text);
  }
  for (
    const type of ["application/json; charset=utf-8", "Application/JSON;charset=UTF-8", "application/json;"]
  ) {
    const answer = await post("/validate", admissionReview(), { "content-type": type });
    assert.equal(answer.status, 200, type);
  }
});

Deno.test("the character that stands for wrong bytes is one as any other when it is sent", async () => {
  for (const padding of ["", " ".repeat(100_000)]) {
    const answer = await post("/validate", written({ n: "here" }, "here", "\ufffd") + padding);
    assert.equal(answer.status, 200);
  }
});
