/** The values of context entries: when they load, what they see, what bounds them. */
import assert from "node:assert/strict";
import { Context, LoadTracker, untilLoaded } from "../../lib/context/mod.ts";
import { compileExpression } from "../../lib/jmespath/mod.ts";
import { isFault, type JsonObject } from "../../lib/json/mod.ts";
import type { Cluster } from "../../lib/ports.ts";
import { compileWritten, configMap, contextOf, fakeApi, path, query } from "./fake_api.ts";

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
  [
    "a number that JSON cannot write",
    { jmesPath: "avg(`[]`)", default: 1 },
    "fault: failed to add context entry for variable v: json: unsupported value: NaN",
  ],
  [
    "an infinite number of a value",
    { value: "{{ multiply(`1e308`, `10`) }}" },
    "fault: failed to add context entry for variable v: json: unsupported value: +Inf",
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
  // Its path would be that of all ConfigMaps, and the list would be loaded for each request.
  [
    { configMap: { name: "{{ request.object.absent || '' }}" } },
    /for context entry e: failed to get configmap default\/ : resource name may not be empty/,
  ],
  [
    { configMap: { name: "{{ request.object }}" } },
    /context entry e: failed to substitute variables in context e configMap\.name \{\{ request\.object \}\}: expected string, got map\[string\]interface \{\}$/,
  ],
  [{ configMap: { name: "{{ request.object.n }}" } }, /: expected string, got float64$/],
  [
    { configMap: { name: "a", namespace: "{{ request.object.list }}" } },
    /in context e configMap\.namespace \{\{ request\.object\.list \}\}: expected string, got \[\]interface \{\}$/,
  ],
  [
    { configMap: { name: "{{ request.object.absent }}", namespace: "a" } },
    /e: failed to substitute variables in context e configMap\.name \{\{ request\.object\.absent \}\}: failed to resolve request\.object\.absent at path : /,
  ],
  [{ globalReference: { name: "{{ request.object }}" } }, /expected text, not an object/],
  [{ imageRegistry: { reference: "{{ request.none }}" } }, /request.none/],
  [{ apiCall: { urlPath: "{{ request.object.map }}" } }, /raw url: map\[toString:a\]/],
];
for (const [entry, fault] of notText) {
  Deno.test(`a value that is no text is a fault in place of a name: ${JSON.stringify(entry)}`, async () => {
    const tracker = new LoadTracker({ ports: fakeApi({}).ports });
    const environment = { now: () => 0, random: () => 0 };
    const object = { toString: "a", n: 3, list: [], map: { toString: "a" } };
    const root = Context.root({ tracker, environment }, { values: { request: { object } } });
    const options = { policyNamespace: undefined, report: () => {}, variables: () => {}, need: () => {} };
    const context = root.child({ entries: [compileWritten({ name: "e", ...entry }, options)] });
    assert.match(String(await query(context, "e")), fault);
  });
}

Deno.test("a Policy reads no ConfigMap of another namespace, and the message names the entry", async () => {
  const options = { policyNamespace: "shop", report: () => {}, variables: () => {}, need: () => {} };
  const context = contextOf(fakeApi({}), []).child({ entries: [compileWritten(configMap, options)] });
  assert.equal(
    await query(context, "cm.data.a"),
    'fault: failed to retrieve config map for context entry cm: context entry cm: configMap namespace "default" ' +
      'is different from policy namespace "shop"',
  );
});
