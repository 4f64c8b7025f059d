import assert from "node:assert/strict";
import {
  compileEntry,
  Context,
  type ContextEntry,
  type EntryOptions,
  LoadTracker,
  parseContext,
  untilLoaded,
} from "../../lib/context/mod.ts";
import { compileExpression } from "../../lib/jmespath/mod.ts";
import { isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import type { Answer, ApiCall, Cluster, Ports } from "../../lib/ports.ts";

/** Reads and compiles one entry of a `context` list. */
function compileWritten(entry: JsonObject, options: EntryOptions): ContextEntry {
  return compileEntry(parseContext([entry])[0]!, options);
}

interface FakeApi {
  readonly ports: Ports;
  readonly calls: string[];
}

/** Ports whose API server answers paths from a table, and counts the calls. */
function fakeApi(answers: Record<string, Json>, wait = (): Promise<void> => Promise.resolve()): FakeApi {
  const calls: string[] = [];
  const call = async ({ method, path }: ApiCall): Promise<Answer> => {
    calls.push(`${method} ${path}`);
    await wait();
    return Object.hasOwn(answers, path)
      ? { ok: true, status: 200, body: answers[path]! }
      : { ok: false, status: 404, message: "not found" };
  };
  const refuse = (): Promise<Answer> =>
    Promise.resolve({ ok: false, status: undefined, message: "not here" });
  const ports: Ports = {
    cluster: { call, resource: () => Promise.resolve(undefined) },
    http: { call: refuse },
    registry: { image: refuse },
    globals: { entry: refuse },
    clock: { now: () => 0 },
    entropy: { next: () => 0 },
  };
  return { ports, calls };
}

function contextOf({ ports }: FakeApi, entries: JsonObject[], deadline?: () => AbortSignal): Context {
  const tracker = new LoadTracker({ ports, ...(deadline && { deadline }) });
  const environment = { now: () => 0, random: () => 0 };
  const root = Context.root({ tracker, environment }, {
    values: { request: { namespace: "default", object: { n: 2 } } },
  });
  const options = { policyNamespace: undefined, report: () => {}, variables: () => {}, need: () => {} };
  return root.child({ entries: entries.map((entry) => compileWritten(entry, options)) });
}

async function query(context: Context, text: string): Promise<Json | string> {
  const expression = compileExpression(text);
  if (isFault(expression)) return expression.message;
  const value = await untilLoaded(context.tracker, () => expression.evaluate(context, context.environment));
  return isFault(value) ? `fault: ${value.message}` : value;
}

const configMap = { name: "cm", configMap: { name: "settings", namespace: "default" } };
const path = "/api/v1/namespaces/default/configmaps/settings";

Deno.test("a context value is loaded when it is first read, and only once", async () => {
  const there = fakeApi({ [path]: { data: { a: "1" }, metadata: { name: "settings" } } });
  const context = contextOf(there, [configMap]);
  assert.equal(await query(context, "request.object.n"), 2);
  assert.deepEqual(there.calls, []);
  assert.equal(await query(context, "cm.data.a"), "1");
  assert.equal(await query(context, "cm.data.a"), "1");
  assert.deepEqual(there.calls, [`GET ${path}`]);
});

Deno.test("a value that the cluster has in memory is read without waiting", () => {
  const there = fakeApi({});
  const body = { data: { a: "1" }, metadata: { name: "settings" } };
  const cluster: Cluster = {
    ...there.ports.cluster,
    inMemory: (read) => read === path ? { ok: true, status: 200, body } : undefined,
  };
  const context = contextOf({ ...there, ports: { ...there.ports, cluster } }, [configMap]);
  const expression = compileExpression("cm.data.a");
  assert.ok(!isFault(expression));
  const evaluate = () => expression.evaluate(context, context.environment);
  assert.equal(untilLoaded(context.tracker, evaluate), "1");
  assert.deepEqual(there.calls, []);
});

Deno.test("two entries with the same call in one request share the answer", async () => {
  const there = fakeApi({ [path]: { data: { a: "1" } } });
  const context = contextOf(there, [configMap, { ...configMap, name: "other" }]);
  assert.deepEqual(await query(context, "[cm.data.a, other.data.a]"), ["1", "1"]);
  assert.equal(there.calls.length, 1);
});

Deno.test("the error of a failed load is reported, not a missing key, and no operator hides it", async () => {
  const context = contextOf(fakeApi({}), [configMap]);
  const text = await query(context, "cm.data.a || 'none'");
  assert.match(
    String(text),
    /^fault: failed to retrieve config map for context entry cm: failed to get configmap default\/settings : not found$/,
  );
});

Deno.test("an entry whose name is only a part of a query's text is not loaded", async () => {
  const there = fakeApi({});
  const context = contextOf(there, [configMap]);
  assert.equal(await query(context, "request.object.\"x/cm\" || 'cm'"), "cm");
  assert.deepEqual(there.calls, []);
});

Deno.test("an entry that no expression reads never fails", async () => {
  const context = contextOf(fakeApi({}), [configMap, { name: "v", variable: { value: "x" } }]);
  assert.equal(await query(context, "v"), "x");
});

Deno.test("an entry sees earlier ones and not later ones", async () => {
  const entries = [
    { name: "a", variable: { jmesPath: "b" } },
    { name: "b", variable: { value: 1 } },
    { name: "c", variable: { jmesPath: "b" } },
  ];
  assert.match(String(await query(contextOf(fakeApi({}), entries), "a")), /Unknown key "b"/);
  assert.equal(await query(contextOf(fakeApi({}), entries), "c"), 1);
});

Deno.test("of entries with one name the first that fails is why the name has no value", async () => {
  const entries = [
    { name: "v", variable: { jmesPath: "request.object.absent" } },
    { name: "v", variable: { value: 1 } },
  ];
  assert.match(String(await query(contextOf(fakeApi({}), entries), "v")), /"absent"/);
  assert.equal(await query(contextOf(fakeApi({}), entries.slice(1)), "v"), 1);
});

Deno.test("apiCall: a missing path has the message of a raw call", async () => {
  const entry = { name: "v", apiCall: { urlPath: "/api/v1/pods" } };
  assert.equal(
    await query(contextOf(fakeApi({}), [entry]), "v"),
    "fault: failed to fetch data for APICall: failed to GET resource with raw url: /api/v1/pods: the server could not find the requested resource",
  );
});

const variables: [about: string, variable: JsonObject, expected: unknown][] = [
  ["a value", { value: { a: 1 } }, { a: 1 }],
  ["a path into the context", { jmesPath: "request.object.n" }, 2],
  ["a path into a value", { value: { a: [1, 2] }, jmesPath: "a[1]" }, 2],
  ["a default for a path that leads nowhere", { jmesPath: "request.object.m", default: "d" }, "d"],
  ["a default for null without a value", { jmesPath: "request.object.n.x", default: "d" }, "d"],
  [
    "no default for null of a value",
    { value: { a: null }, jmesPath: "a", default: "d" },
    "fault: failed to add context entry for variable v since it evaluated to nil",
  ],
  [
    "a failing path does not quote what it was applied to",
    { value: "c2VjcmV0", jmesPath: "a[" },
    "fault: failed to apply jmespath a[ to variable <nil>: SyntaxError: Expected tStar, received: tEOF",
  ],
  [
    "a query that does not compile",
    { jmesPath: "{{ to_string('a[') }}" },
    "fault: failed to apply jmespath a[ to variable <nil>: incorrect query a[: SyntaxError: Expected tStar, received: tEOF",
  ],
  [
    "a query without a result",
    { jmesPath: "none.a" },
    'fault: failed to apply jmespath none.a to variable <nil>: JMESPath query failed: Unknown key "none" in path',
  ],
  ["a query that is rendered to nothing is no query", { value: 1, jmesPath: "{{ '' }}" }, 1],
  ["false is a value", { value: false, default: true }, false],
];
for (const [about, variable, expected] of variables) {
  Deno.test(`variable: ${about}`, async () => {
    assert.deepEqual(await query(contextOf(fakeApi({}), [{ name: "v", variable }]), "v"), expected);
  });
}

Deno.test("variable: the error of an entry that it reads is quoted as it is", async () => {
  const context = contextOf(fakeApi({}), [
    { name: "w", variable: { value: null, jmesPath: "none" } },
    { name: "v", variable: { jmesPath: "w.a" } },
  ]);
  assert.equal(
    await query(context, "v"),
    "fault: failed to apply jmespath w.a to variable <nil>: failed to apply jmespath none to variable <nil>: " +
      'JMESPath query failed: Unknown key "none" in path',
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

Deno.test("a load that exceeds the request's time is ended, and its name is in the message", async () => {
  const never = fakeApi({ [path]: {} }, () => new Promise(() => {}));
  const context = contextOf(never, [configMap], () => AbortSignal.timeout(20));
  assert.match(
    String(await query(context, "cm")),
    /failed to load ConfigMap default\/settings: the request's deadline passed/,
  );
});

Deno.test("a kind of entry that cannot be loaded counts as not declared", async () => {
  const { ports } = fakeApi({});
  const tracker = new LoadTracker({ ports, absent: ["configMap"] });
  const root = Context.root({ tracker, environment: { now: () => 0, random: () => 0 } }, { values: {} });
  const context = root.child({
    entries: [
      compileWritten(configMap, {
        policyNamespace: undefined,
        report: () => {},
        variables: () => {},
        need: () => {},
      }),
    ],
  });
  assert.equal(await query(context, "cm.data.a || 'none'"), "none");
});

Deno.test("entries that together exceed 2 MiB fail, with their size in the message", async () => {
  const half = { data: { text: "x".repeat(1024 * 1024 - 100) } };
  const one = "/api/v1/namespaces/a/configmaps/one";
  const entries = [
    { name: "first", apiCall: { urlPath: one } },
    { name: "second", variable: { jmesPath: "first.data.text" } },
    { name: "third", variable: { jmesPath: "second" } },
  ];
  const context = contextOf(fakeApi({ [one]: half }), entries);
  assert.equal(await query(context, "length(second)"), 1024 * 1024 - 100);
  assert.match(
    String(await query(context, "length(third)")),
    /context size limit exceeded: 31\d{5} bytes exceeds limit of 2097152 bytes/,
  );
  // Values that were loaded before stay in the context.
  assert.equal(await query(context, "length(first.data.text)"), 1024 * 1024 - 100);
});

Deno.test("a loop's entries count together with those around them, each iteration separately", async () => {
  const text = "x".repeat(1024 * 1024);
  const outer = contextOf(fakeApi({}), [{ name: "outer", variable: { value: text } }]);
  const options = { policyNamespace: undefined, report: () => {}, variables: () => {}, need: () => {} };
  const inner = [compileWritten({ name: "inner", variable: { value: text.slice(0, 1000_000) } }, options)];
  for (let iteration = 0; iteration < 5; iteration++) {
    const child = outer.child({ entries: inner });
    assert.equal(await query(child, "length(join('', [outer, inner]))"), 1024 * 1024 + 1000_000);
  }
});

const notText: [entry: JsonObject, fault: RegExp][] = [
  [{ configMap: { name: "{{ request.object }}" } }, /for context entry e: expected text, not an object/],
  [{ configMap: { name: "a", namespace: "{{ request.object.list }}" } }, /expected text, not a list/],
  [{ globalReference: { name: "{{ request.object }}" } }, /expected text, not an object/],
  [{ imageRegistry: { reference: "{{ request.none }}" } }, /request.none/],
  [{ apiCall: { urlPath: "{{ request.object.map }}" } }, /raw url: map\[toString:a\]/],
];
for (const [entry, fault] of notText) {
  Deno.test(`a value that is no text is a fault in place of a name: ${JSON.stringify(entry)}`, async () => {
    const tracker = new LoadTracker({ ports: fakeApi({}).ports });
    const environment = { now: () => 0, random: () => 0 };
    const object = { toString: "a", list: [], map: { toString: "a" } };
    const root = Context.root({ tracker, environment }, { values: { request: { object } } });
    const options = { policyNamespace: undefined, report: () => {}, variables: () => {}, need: () => {} };
    const context = root.child({ entries: [compileWritten({ name: "e", ...entry }, options)] });
    assert.match(String(await query(context, "e")), fault);
  });
}

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
