/** The context entry apiCall: paths, defaults, rounds. */
import assert from "node:assert/strict";
import { Context, LoadTracker, untilLoaded } from "../../lib/context/mod.ts";
import { compileExpression } from "../../lib/jmespath/mod.ts";
import { isFault, type JsonObject } from "../../lib/json/mod.ts";
import { compileWritten, configMap, contextOf, fakeApi, path, query } from "./fake_api.ts";

Deno.test("apiCall: a missing path has the message of a raw call", async () => {
  const entry = { name: "v", apiCall: { urlPath: "/api/v1/pods" } };
  assert.equal(
    await query(contextOf(fakeApi({}), [entry]), "v"),
    "fault: failed to fetch data for APICall: failed to GET resource with raw url: /api/v1/pods: the server could not find the requested resource",
  );
});

Deno.test("apiCall: jmesPath applies to the answer, and not to the default", async () => {
  const list = { items: [{ metadata: { name: "a" } }] };
  const entry = (urlPath: string): JsonObject => ({
    name: "v",
    apiCall: { urlPath, jmesPath: "items[].metadata.name", default: ["none"] },
  });
  assert.deepEqual(await query(contextOf(fakeApi({ "/api/v1/pods": list }), [entry("/api/v1/pods")]), "v"), [
    "a",
  ]);
  assert.deepEqual(await query(contextOf(fakeApi({}), [entry("/api/v1/pods")]), "v"), ["none"]);
});

Deno.test("apiCall: variables in the path are resolved, values that need one another load in turn", async () => {
  const there = fakeApi({
    [path]: { data: { kind: "pods" } },
    "/api/v1/namespaces/default/pods": { items: [1, 2] },
  });
  const entry = {
    name: "v",
    apiCall: {
      urlPath: "/api/v1/namespaces/{{ request.namespace }}/{{ cm.data.kind }}",
      jmesPath: "length(items)",
    },
  };
  assert.equal(await query(contextOf(there, [configMap, entry]), "v"), 2);
});

Deno.test("apiCall: a default stands in for calls that fail, not for expressions that do", async () => {
  const urlPath = "/api/v1/nodes";
  const entries = [
    { name: "gone", apiCall: { urlPath: "/api/v1/none", default: "d" } },
    { name: "unresolved", apiCall: { urlPath: "/api/v1/{{ request.none }}", default: "d" } },
    { name: "unfit", apiCall: { urlPath, jmesPath: "length(items)", default: "d" } },
  ];
  const context = contextOf(fakeApi({ [urlPath]: { items: 1 } }), entries);
  assert.equal(await query(context, "gone"), "d");
  assert.match(
    String(await query(context, "unresolved")),
    /context entry unresolved .*failed to resolve request.none/,
  );
  assert.match(
    String(await query(context, "unfit")),
    /failed to apply JMESPath length\(items\) for context entry unfit/,
  );
});

const paths: [urlPath: string, fault: RegExp | undefined][] = [
  ["/api/v1/namespaces/team/configmaps", undefined],
  ["/apis/apps/v1/namespaces/team/deployments?limit=1", undefined],
  ["/api/v1/namespaces/team", undefined],
  [
    "/api/v1/namespaces/other/configmaps",
    /refers to namespace other, which is different from the policy namespace team/,
  ],
  ["/api/v1/namespaces/other/x/namespaces/team", /refers to namespace other/],
  ["/api/v1/configmaps", /does not contain a namespace segment/],
  ["/api/v1/configmaps?x=/namespaces/team", /does not contain a namespace segment/],
  ["/api/v1/namespaces/team/../other/secrets", /does not contain a namespace segment/],
  ["/namespaces/team", /does not contain a namespace segment/],
  ["/api/v1/nodes/worker/proxy/namespaces/team", /does not contain a namespace segment/],
  ["/api/v1/namespace%73/other/services/web/proxy/namespaces/team", /does not contain a namespace segment/],
  ["/apis/group/v1/things/any/part/namespaces/team", /does not contain a namespace segment/],
];
for (const [urlPath, fault] of paths) {
  Deno.test(`a Policy of team ${fault === undefined ? "may" : "must not"} call ${urlPath}`, async () => {
    const { ports, calls } = fakeApi({ [urlPath]: "answer" });
    const environment = { now: () => 0, random: () => 0 };
    const root = Context.root({ tracker: new LoadTracker({ ports }), environment }, {});
    const options = { policyNamespace: "team", report: () => {}, variables: () => {}, need: () => {} };
    const context = root.child({ entries: [compileWritten({ name: "e", apiCall: { urlPath } }, options)] });
    const answer = String(await query(context, "e"));
    if (fault === undefined) assert.equal(answer, "answer");
    else assert.match(answer, fault);
    assert.equal(calls.length, fault === undefined ? 1 : 0);
  });
}

Deno.test("calls that change with every evaluation end after a number of rounds", async () => {
  let count = 0;
  const { ports, calls } = fakeApi({});
  const tracker = new LoadTracker({ ports });
  const environment = {
    now: () => 0,
    random: () => (count = (Math.imul(count, 1664525) + 1013904223) >>> 0) / 2 ** 32,
  };
  const options = { policyNamespace: undefined, report: () => {}, variables: () => {}, need: () => {} };
  const entry = compileWritten(
    { name: "e", apiCall: { urlPath: "/api/v1/{{ random('[a-z]{9}') }}" } },
    options,
  );
  const expression = compileExpression("e");
  assert.ok(!isFault(expression));
  const value = await untilLoaded(tracker, () => {
    const context = Context.root({ tracker, environment }, { entries: [entry] });
    return expression.evaluate(context, environment);
  });
  assert.ok(isFault(value));
  assert.match(value.message, /values were loaded 200 times, one after the other/);
  assert.equal(calls.length, 200);
});

Deno.test("calls that differ only in credentials or payload are different, and explanations hide the difference", async () => {
  const tracker = new LoadTracker({ ports: fakeApi({}).ports });
  const load = (secret: string) => tracker.load("GET /x", () => Promise.resolve(secret), secret);
  assert.ok(isFault(load("a")) && isFault(load("b")));
  await tracker.awaitLoads();
  assert.deepEqual([load("a"), load("b"), tracker.loads], ["a", "b", 2]);
  assert.ok(isFault(tracker.load("GET /y", () => Promise.reject(new Error("no")), "hidden")));
  await tracker.awaitLoads();
  const failed = tracker.load("GET /y", () => Promise.resolve(1), "hidden");
  assert.equal(isFault(failed) && failed.message, "failed to load GET /y: no");
});
