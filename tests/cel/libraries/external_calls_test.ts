/** Functions that read values from outside: their calls, and what they make of the answers. */
import assert from "node:assert/strict";
import {
  accessReviewCall,
  type ExternalReply,
  type ExternalRequest,
  kyvernoLibraries,
  kyvernoLibrariesFor,
} from "../../../lib/cel/mod.ts";
import { isFault } from "../../../lib/json/mod.ts";
import { compileAddressRules } from "../../../lib/kube/mod.ts";
import { found, jsonOf, missing, RecordedCalls, typedOf } from "./evaluate.ts";

const libraries = kyvernoLibraries;

function get(path: string): ExternalRequest {
  return { kind: "api", method: "GET", path };
}

function calls(
  method: "GET" | "POST",
  url: string,
  rest: { readonly [name: string]: unknown } = {},
): ExternalRequest {
  return { kind: "http", method, url, headers: {}, ...rest } as ExternalRequest;
}

type Case = readonly [expression: string, request: ExternalRequest, reply: ExternalReply, expected: unknown];

const cases: readonly Case[] = [
  [
    "resource.Get('v1', 'configmaps', 'default', 'x').data",
    get("/api/v1/namespaces/default/configmaps/x"),
    found({ data: { a: "1" } }),
    { a: "1" },
  ],
  [
    "resource.get('apps/v1', 'deployments/scale', 'a b', 'x')",
    get("/apis/apps/v1/namespaces/a%20b/deployments/x/scale"),
    found({ n: 1 }),
    { n: 1 },
  ],
  [
    "resource.Get('v1', 'nodes', '', '../secrets')",
    get("/api/v1/nodes/..%2Fsecrets"),
    missing(404, "gone"),
    null,
  ],
  ["resource.Get('v1', 'nodes', '', '..')", get("/api/v1/nodes/%2E%2E"), missing(404, "gone"), null],
  [
    "resource.Get('v1', 'pods', 'a', 'b')",
    get("/api/v1/namespaces/a/pods/b"),
    missing(403, "no"),
    /^other: failed to get resource: permission denied: no/,
  ],
  [
    "resource.Get('v1', 'pods', 'a', 'b')",
    get("/api/v1/namespaces/a/pods/b"),
    missing(500, "broken"),
    /^other: failed to get resource: broken/,
  ],
  [
    "resource.List('v1', 'pods', 'a').items.size()",
    get("/api/v1/namespaces/a/pods"),
    found({ items: [1, 2] }),
    2,
  ],
  [
    "resource.list('v1', 'pods', '', {'b': '2', 'a': '1'}).items",
    get("/api/v1/pods?labelSelector=a%3D1%2Cb%3D2"),
    found({ items: [] }),
    [],
  ],
  [
    "resource.Post('authorization.k8s.io/v1', 'subjectaccessreviews', {'spec': {'n': 1}}).status.allowed",
    {
      kind: "api",
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      body: { spec: { n: 1 } },
    },
    found({ status: { allowed: true } }, 201),
    true,
  ],
  [
    "resource.Post('v1', 'pods', 'a', {'x': 1})",
    { kind: "api", method: "POST", path: "/api/v1/namespaces/a/pods", body: { x: 1 } },
    missing(409, "exists"),
    /^other: failed to create resource: exists/,
  ],
  [
    "string(resource.ToGVR('apps/v1', 'Deployment') == resource.toGVR('apps/v1', 'Deployment'))",
    { kind: "type", apiVersion: "apps/v1", name: "Deployment" },
    found({ group: "apps", version: "v1", resource: "deployments" }),
    "true",
  ],
  [
    "resource.ToGVR('x/v1', 'Nope')",
    { kind: "type", apiVersion: "x/v1", name: "Nope" },
    missing(404, "no matches"),
    /^other: failed to map kind to resource: no matches/,
  ],
  [
    "globalContext.Get('deployments', 'names')",
    { kind: "global", name: "deployments", projection: "names" },
    found(["a"]),
    ["a"],
  ],
  [
    "globalContext.Get('pod').kind + globalContext.Get('pod').Object.kind",
    { kind: "global", name: "pod", projection: "" },
    found({ apiVersion: "v1", kind: "Pod" }),
    "PodPod",
  ],
  [
    "globalContext.get('none')",
    { kind: "global", name: "none", projection: "" },
    missing(404, "no entry"),
    null,
  ],
  [
    "globalContext.Get('none')",
    { kind: "global", name: "none", projection: "" },
    missing(undefined, "not ready"),
    /^other: failed to get global reference: not ready/,
  ],
  [
    "image.GetMetadata('nginx').config.User",
    { kind: "image", reference: "nginx" },
    found({ config: { User: "0" } }),
    "0",
  ],
  [
    "image.getMetadata('nginx')",
    { kind: "image", reference: "nginx" },
    missing(401, "denied"),
    /^other: failed to get image data: denied/,
  ],
  ["http.Get('https://x/y').a", calls("GET", "https://x/y"), found({ a: "b" }), "b"],
  ["http.get('https://x/y').statusCode", calls("GET", "https://x/y"), found({ statusCode: 5 }, 201), 201],
  ["http.Get('https://x/y')", calls("GET", "https://x/y"), found([1]), { body: [1], statusCode: 200 }],
  ["http.Get('https://x/y')", calls("GET", "https://x/y"), missing(404, "HTTP 404"), {
    body: null,
    statusCode: 404,
  }],
  [
    "http.Get('https://x/y')",
    calls("GET", "https://x/y"),
    missing(undefined, "refused"),
    /^other: request failed: refused/,
  ],
  [
    "http.Get('https://x', {'A': 'b'}).n",
    calls("GET", "https://x", { headers: { A: "b" } }),
    found({ n: 1 }),
    1,
  ],
  [
    "http.Post('https://x', {'q': [1]}, {'A': 'b'}).n",
    calls("POST", "https://x", { body: { q: [1] }, headers: { A: "b" } }),
    found({ n: 1 }),
    1,
  ],
  ["http.post('https://x', 'text').n", calls("POST", "https://x", { body: "text" }), found({ n: 1 }), 1],
  [
    "http.Client('-----BEGIN CERTIFICATE-----').Get('https://x').n",
    calls("GET", "https://x", { caBundle: "-----BEGIN CERTIFICATE-----" }),
    found({ n: 1 }),
    1,
  ],
];

for (const [expression, request, reply, expected] of cases) {
  Deno.test(`${expression} is pending, and with the answer ${JSON.stringify(reply)} has its value`, () => {
    const waiting = new RecordedCalls();
    assert.match(String(jsonOf(expression, { libraries, external: waiting })), /^pending/);
    assert.deepEqual(waiting.calls[0], request);
    const actual = jsonOf(expression, { libraries, external: new RecordedCalls([[request, reply]]) });
    if (expected instanceof RegExp) assert.match(String(actual), expected);
    else assert.deepEqual(actual, expected);
  });
}

Deno.test("a resource of the API has its group, version and plural after a look-up", () => {
  const external = new RecordedCalls([
    [
      { kind: "type", apiVersion: "apps/v1", name: "Deployment" },
      found({ group: "apps", version: "v1", resource: "deployments" }),
    ],
    [get("/apis/apps/v1/namespaces/a/deployments/x"), found({ ok: true })],
    [get("/apis/apps/v1/namespaces/a/deployments?labelSelector=x%3Dy"), found({ items: [] })],
  ]);
  const gvr = "resource.ToGVR('apps/v1', 'Deployment')";
  assert.equal(jsonOf(`resource.Get(${gvr}, 'a', 'x').ok`, { libraries, external }), true);
  assert.deepEqual(jsonOf(`resource.List(${gvr}, 'a', {'x': 'y'}).items`, { libraries, external }), []);
});

Deno.test("a namespaced policy reads only its namespace, without naming it", () => {
  const namespaced = kyvernoLibrariesFor({ namespace: "mine", purpose: "generate" });
  const external = new RecordedCalls([
    [get("/api/v1/namespaces/mine/configmaps/x"), found({ a: 1 })],
    [get("/api/v1/namespaces/mine/pods"), found({ items: [] })],
  ]);
  assert.deepEqual(jsonOf("resource.Get('v1', 'configmaps', 'x')", { libraries: namespaced, external }), {
    a: 1,
  });
  assert.deepEqual(jsonOf("resource.List('v1', 'pods').items", { libraries: namespaced, external }), []);
  assert.match(
    String(jsonOf("resource.Get('v1', 'configmaps', 'other', 'x')", { libraries: namespaced, external })),
    /^compile/,
  );
  assert.equal(jsonOf("generator.Apply([{'kind': 'A'}])", { libraries: namespaced, external }), true);
  assert.deepEqual(external.generated, [["mine", [{ kind: "A" }]]]);
  assert.match(
    String(jsonOf("http.Get('https://x')", { libraries: namespaced, external })),
    /not allowed in namespaced policies/,
  );
  const allowed = kyvernoLibrariesFor({ namespace: "mine", namespacedHttp: "allowed" });
  assert.match(String(jsonOf("http.Get('https://x')", { libraries: allowed, external })), /^pending/);
});

Deno.test("generator.Apply passes resources to the caller in each evaluation", () => {
  const external = new RecordedCalls();
  const expression = "generator.Apply(object.namespace, [{'kind': 'ConfigMap', 'data': object.data}])";
  const object = { namespace: "team", data: { a: "b" } };
  const generating = kyvernoLibrariesFor({ purpose: "generate" });
  assert.equal(jsonOf(expression, { libraries: generating, external, object }), true);
  assert.deepEqual(external.generated, [["team", [{ kind: "ConfigMap", data: { a: "b" } }]]]);
});

Deno.test("http functions call no address that the rules refuse", () => {
  const addresses = compileAddressRules({});
  assert(!isFault(addresses));
  const guarded = kyvernoLibrariesFor({ addresses });
  const external = new RecordedCalls();
  for (
    const url of [
      "http://127.0.0.1:80/",
      "http://169.254.169.254/latest",
      "http://[::1]/",
      "http://2130706433/",
      "http://metadata.google.internal/",
    ]
  ) {
    assert.match(
      String(jsonOf(`http.Get('${url}')`, { libraries: guarded, external })),
      /^other: request failed: /,
      url,
    );
  }
  assert.match(String(jsonOf("http.Get('nonsense')", { libraries: guarded, external })), /invalid URL/);
  assert.deepEqual(external.calls, []);
  assert.match(
    String(jsonOf("http.Get('https://example.com/')", { libraries: guarded, external })),
    /^pending/,
  );
});

Deno.test("numbers in a service's answer are doubles, and its status code is an int", () => {
  const external = new RecordedCalls([[calls("GET", "https://x"), found({ n: 1 })]]);
  assert.deepEqual(typedOf("http.Get('https://x').n", { libraries, external }), { t: "double", v: 1 });
  assert.deepEqual(typedOf("http.Get('https://x').statusCode", { libraries, external }), {
    t: "int",
    v: "200",
  });
});

Deno.test("without external calls, functions that need them are errors", () => {
  assert.match(String(jsonOf("globalContext.Get('a')", { libraries })), /^no_such_overload/);
});

Deno.test("a check of access calls the API server", () => {
  assert.deepEqual(accessReviewCall({ kind: "access", spec: { user: "a" } }), {
    kind: "api",
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec: { user: "a" } },
  });
});

Deno.test("resource.Get without a name calls nothing: the path would be that of all objects", () => {
  const external = new RecordedCalls([]);
  const value = jsonOf("resource.Get('v1', 'secrets', 'a', '')", { libraries, external });
  assert.match(String(value), /^other: failed to get resource: name is required/);
});
