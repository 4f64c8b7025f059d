import assert from "node:assert/strict";
import { isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { applyStrictly, type PatchOperation, readApplyTypes, structuredMerge } from "../../lib/patch/mod.ts";
import { processorTime } from "../support/processor_time.ts";

const pod = readApplyTypes()("v1", "Pod");
const names = (...list: string[]): JsonObject => ({ spec: { containers: list.map((name) => ({ name })) } });

const orders: [original: string[], patch: string[], merged: string[]][] = [
  [["a"], ["b"], ["a", "b"]],
  [["a", "b"], ["b"], ["a", "b"]],
  [["a", "b"], ["c", "b"], ["a", "c", "b"]],
  [["a", "b"], ["b", "a"], ["b", "a"]],
  [[], ["a"], ["a"]],
];

for (const [original, patch, merged] of orders) {
  Deno.test(`elements [${original}] merged with [${patch}] are [${merged}]`, () => {
    assert.deepEqual(structuredMerge(names(...original), names(...patch), pod), names(...merged));
  });
}

const merges: [name: string, original: JsonObject, patch: JsonObject, merged: JsonObject][] = [
  ["maps merge", { metadata: { labels: { a: "1" } } }, { metadata: { labels: { b: "2" } } }, {
    metadata: { labels: { a: "1", b: "2" } },
  }],
  [
    "lists without keys are replaced",
    { spec: { containers: [{ name: "a", args: ["x"] }] } },
    { spec: { containers: [{ name: "a", args: ["y", "z"] }] } },
    { spec: { containers: [{ name: "a", args: ["y", "z"] }] } },
  ],
  ["sets unite", { metadata: { finalizers: ["a"] } }, { metadata: { finalizers: ["b", "a"] } }, {
    metadata: { finalizers: ["b", "a"] },
  }],
  [
    "a key with a default is the same when it is left out",
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP" }] }] } },
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, name: "web" }] }] } },
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP", name: "web" }] }] } },
  ],
  [
    "lists that strategic merge patches replace merge by their keys",
    { spec: { containers: [{ name: "a", resources: { claims: [{ name: "x" }] } }] } },
    { spec: { containers: [{ name: "a", resources: { claims: [{ name: "y" }] } }] } },
    { spec: { containers: [{ name: "a", resources: { claims: [{ name: "x" }, { name: "y" }] } }] } },
  ],
  [
    "atomic maps and structs are replaced",
    { spec: { nodeSelector: { a: "1" }, affinity: { nodeAffinity: { required: 1 } } } },
    { spec: { nodeSelector: { b: "2" } } },
    { spec: { nodeSelector: { b: "2" }, affinity: { nodeAffinity: { required: 1 } } } },
  ],
  [
    "atomic elements of lists with keys are replaced",
    { metadata: { ownerReferences: [{ uid: "1", name: "a", controller: true }, { uid: "2" }] } },
    { metadata: { ownerReferences: [{ uid: "1", name: "b" }] } },
    { metadata: { ownerReferences: [{ uid: "1", name: "b" }, { uid: "2" }] } },
  ],
];

for (const [name, original, patch, merged] of merges) {
  Deno.test(`structuredMerge(): ${name}`, () =>
    assert.deepEqual(structuredMerge(original, patch, pod), merged));
}

Deno.test("structuredMerge() returns the object itself when nothing changes, and never modifies it", () => {
  const original = Object.freeze(names("a", "b"));
  assert.equal(structuredMerge(original, names("b"), pod), original);
});

Deno.test("structuredMerge() refuses a patch that names an element twice", () => {
  const result = structuredMerge(names("a"), names("b", "b"), pod);
  assert.ok(isFault(result));
  assert.match(result.message, /\.spec\.containers: duplicate entries for key \[name="b"\]/);
});

Deno.test("structuredMerge() without a type replaces every list", () => {
  assert.deepEqual(structuredMerge(names("a"), names("b"), undefined), names("b"));
});

const patches: [operations: PatchOperation[], result: Json | RegExp][] = [
  [[{ op: "add", path: "/a", value: 1 }], { a: 1, list: [0] }],
  [[{ op: "add", path: "/list/-", value: 1 }], { list: [0, 1] }],
  [[{ op: "add", path: "/a/b", value: 1 }], /add operation does not apply: doc is missing path: "\/a\/b"/],
  [[{ op: "remove", path: "/list" }], {}],
  [[{ op: "remove", path: "/a" }], /Unable to remove nonexistent key: a/],
  [
    [{ op: "remove", path: "/list/5" }],
    /^error in remove for path: '\/list\/5': Unable to access invalid index: 5: invalid index referenced$/,
  ],
  [[{ op: "remove", path: "/list/-" }], /^error in remove for path: '\/list\/-': strconv.Atoi: parsing "-"/],
  [[{ op: "remove", path: "/list/0" }], { list: [] }],
  [[{ op: "replace", path: "/a", value: 1 }], { a: 1, list: [0] }],
  [[{ op: "replace", path: "/a/b", value: 1 }], /replace operation does not apply: doc is missing path/],
  [[{ op: "replace", path: "/list/1", value: 1 }], /replace operation does not apply: doc is missing key/],
  [[{ op: "copy", from: "/a", path: "/b" }], { b: null, list: [0] }],
  [[{ op: "copy", from: "/a", path: "/b/c" }], /missing/],
  [[{ op: "copy", from: "/list/1", path: "/b" }], /error in copy for from: '\/list\/1'/],
  [
    [{ op: "move", from: "/a", path: "/b" }],
    /^error in move for path: 'a': Unable to remove nonexistent key: a: missing value$/,
  ],
  [[{ op: "nope", path: "/a" } as unknown as PatchOperation], /^Unexpected kind: nope$/],
  [[{ op: "test", path: "/list", value: [1] }, { op: "remove", path: "/list" }], { list: [0] }],
  [[{ op: "test", path: "/list", value: [0] }, { op: "remove", path: "/list" }], {}],
  [[{ op: "test", path: "/a", value: 1 }, { op: "remove", path: "/list" }], { list: [0] }],
  [
    [{ op: "test", path: "/a/b", value: 1 }],
    /^test operation does not apply: is missing path: \/a\/b: missing value$/,
  ],
  [[{ op: "test", path: "/list/1", value: 1 }], /^error in test for path: '\/list\/1': /],
];

for (const [operations, expected] of patches) {
  Deno.test(`applyStrictly(${JSON.stringify(operations)})`, () => {
    const result = applyStrictly(operations, { list: [0] });
    if (expected instanceof RegExp) {
      assert.ok(isFault(result));
      assert.match(result.message, expected);
    } else assert.deepEqual(result, expected);
  });
}

Deno.test("a patch of many operations on one map is applied in linear time", () => {
  const names = Array.from({ length: 30_000 }, (_, index) => `k${index}`);
  const object = { metadata: { labels: Object.fromEntries(names.map((name) => [name, "x"])) } };
  const operations = names.flatMap((name): PatchOperation[] => [
    { op: "remove", path: `/metadata/labels/${name}` },
    { op: "add", path: `/metadata/labels/new-${name}`, value: "y" },
  ]);
  const begin = processorTime();
  const result = applyStrictly(operations, object) as typeof object;
  assert.ok(processorTime() - begin < 5_000, "in time");
  assert.deepEqual(Object.keys(result.metadata.labels), names.map((name) => `new-${name}`));
  assert.equal(Object.keys(object.metadata.labels).length, 30_000, "the given object stays as it is");
});

Deno.test("an element replaces several elements with its key, and those that the patch does not name stay", () => {
  const containers = (...list: JsonObject[]): JsonObject => ({ spec: { containers: list } });
  const [first, second, other] = [
    { name: "c", image: "1" },
    { name: "c", image: "2" },
    { name: "a", image: "3" },
  ] as const;
  const wanted = { name: "c", imagePullPolicy: "Always" };
  const merged = (patch: JsonObject, ...list: JsonObject[]) =>
    structuredMerge(containers(...list), containers(patch), pod);
  assert.deepEqual(merged(wanted, first, second, other), containers(wanted, other));
  assert.deepEqual(merged(wanted, other, first, second), containers(other, wanted));
  assert.deepEqual(merged(wanted, first, other, second), containers(wanted, other));
  assert.deepEqual(merged(wanted, first, second), containers(wanted));
  const named = { name: "a", imagePullPolicy: "Always" };
  assert.deepEqual(merged(named, first, second, other), containers(first, second, { ...other, ...named }));
});
