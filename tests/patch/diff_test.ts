import assert from "node:assert/strict";
import fc from "fast-check";
import { isFault, type Json } from "../../lib/json/mod.ts";
import { diff, type PatchOperation, planJsonPatch } from "../../lib/patch/mod.ts";
import { deepFreeze } from "./frozen.ts";

const cases: [name: string, original: Json, changed: Json, operations: PatchOperation[]][] = [
  ["equal documents need no operation", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ["keys in another order are equal", { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ["a changed scalar is replaced", { a: 1 }, { a: 2 }, [{ op: "replace", path: "/a", value: 2 }]],
  ["another type is replaced", { a: { b: 1 } }, { a: [1] }, [{ op: "replace", path: "/a", value: [1] }]],
  ["null is a value", { a: 1, b: null }, { a: null, b: null }, [{ op: "replace", path: "/a", value: null }]],
  ["the whole document may change", [1], { a: 1 }, [{ op: "replace", path: "", value: { a: 1 } }]],
  ["keys come in the order of their bytes", { b: 1, d: 1 }, { a: 1, c: 1, d: 2 }, [
    { op: "add", path: "/a", value: 1 },
    { op: "remove", path: "/b" },
    { op: "add", path: "/c", value: 1 },
    { op: "replace", path: "/d", value: 2 },
  ]],
  ["keys are escaped", { "a/b": 1 }, { "a/b": 2, "t~u": 1 }, [
    { op: "replace", path: "/a~1b", value: 2 },
    { op: "add", path: "/t~0u", value: 1 },
  ]],
  ["removing the first of three is one removal", [1, 2, 3], [2, 3], [{ op: "remove", path: "/0" }]],
  ["a new first element is one addition", [{ n: 1 }, { n: 2 }], [{ x: 0 }, { n: 1 }, { n: 2 }], [
    { op: "add", path: "/0", value: { x: 0 } },
  ]],
  ["removals go from the end", [1, 2, 3, 4, 5], [1, 3, 5], [
    { op: "remove", path: "/3" },
    { op: "remove", path: "/1" },
  ]],
  ["elements of the same name keep their index", [{ name: "a", v: 1 }, { name: "b", v: 1 }], [
    { name: "new" },
    { name: "a", v: 2 },
    { name: "b", v: 1 },
  ], [{ op: "add", path: "/0", value: { name: "new" } }, { op: "replace", path: "/1/v", value: 2 }]],
  ["an element with another name is replaced", [{ name: "a", v: 1 }], [{ name: "b", v: 1 }], [
    { op: "remove", path: "/0" },
    { op: "add", path: "/0", value: { name: "b", v: 1 } },
  ]],
  ["scalars in a list are replaced at their index", ["a", "b"], ["a", "c"], [
    { op: "replace", path: "/1", value: "c" },
  ]],
  ["nested changes stay small", { spec: { list: [{ a: [1, 2] }] } }, { spec: { list: [{ a: [1, 2, 3] }] } }, [
    { op: "add", path: "/spec/list/0/a/2", value: 3 },
  ]],
];
for (const [name, original, changed, operations] of cases) {
  Deno.test(`diff(): ${name}`, () => {
    assert.deepEqual(diff(original, changed), operations);
    assert.deepEqual(planJsonPatch(operations).apply(original), changed);
  });
}

Deno.test("diff() does not compare the parts of an identical object", () => {
  const shared = new Proxy({}, {
    ownKeys: () => assert.fail("looked into"),
  });
  const value = shared as Json;
  assert.deepEqual(diff({ a: value, b: 1, c: [1, value] }, { a: value, b: 2, c: [value] }), [
    { op: "replace", path: "/b", value: 2 },
    { op: "remove", path: "/c/0" },
  ]);
});

Deno.test("diff() of long lists without common elements takes little time", () => {
  const original = Array.from({ length: 5000 }, (_, index) => ({ name: `a${index}` }));
  const changed = Array.from({ length: 5000 }, (_, index) => ({ name: `b${index}` }));
  const result = planJsonPatch(diff(original, changed)).apply(original);
  assert.deepEqual(result, changed);
});

function texts(count: number, text: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => text(index));
}

function fields(count: number, value: (index: number) => Json): Json {
  return Object.fromEntries(texts(count, (index) => `k${index}`).map((key, index) => [key, value(index)]));
}

Deno.test("diff() replaces a value that would need thousands of operations, and no other", () => {
  const cases:
    readonly (readonly [what: string, before: Json, after: Json, operations: number, path: string])[] = [
      ["fields that are few enough", fields(2_000, () => 0), fields(2_000, () => 1), 2_000, "/a/k0"],
      ["fields that are too many", fields(2_001, () => 0), fields(2_001, () => 1), 1, "/a"],
      [
        "fields of which few changed",
        fields(5_000, () => [0]),
        fields(5_000, (at) => [at % 500 ? 0 : 1]),
        10,
        "/a/k0/0",
      ],
      ["fields that went", fields(2_001, () => 0), {}, 1, "/a"],
      ["elements that are too many", texts(3_000, (at) => `a${at}`), texts(3_000, (at) => `b${at}`), 1, "/a"],
      ["elements that came", [], texts(2_001, String), 1, "/a"],
      [
        "a list in a list",
        [[], texts(3_000, String), ["x"]],
        [[], texts(3_000, (at) => `b${at}`), ["y"]],
        2,
        "/a/1",
      ],
    ];
  for (const [what, before, after, operations, path] of cases) {
    const found = diff({ a: before }, { a: after });
    assert.deepEqual([found.length, found[0]?.path], [operations, path], what);
    assert.deepEqual(planJsonPatch(found).apply({ a: before }), { a: after }, what);
  }
  assert.equal(
    diff(fields(3_000, () => 0), fields(3_000, () => 1)).length,
    3_000,
    "the root is not replaced",
  );
});

const documents = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 0, 1, "", "a"),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom("name", "a", "b", "a/b", "~", "", "__proto__"), tie("value"), {
      maxKeys: 4,
    }),
  ),
}));

Deno.test("applying diff() gives exactly the changed document and does not modify the original", () => {
  fc.assert(
    fc.property(documents.value, documents.value, (before, after) => {
      const original = deepFreeze({ root: before }), changed = deepFreeze({ root: after });
      const result = planJsonPatch(diff(original, changed)).apply(original);
      assert.ok(!isFault(result));
      assert.equal(JSON.stringify(sorted(result)), JSON.stringify(sorted(changed)));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("diff() of lists needs no more operations than elements that differ", () => {
  const list = fc.array(fc.constantFrom(1, 2, 3, 4), { maxLength: 8 });
  fc.assert(fc.property(list, list, (original, changed) => {
    const operations = diff(original, changed);
    assert.ok(operations.length <= Math.max(original.length, changed.length));
  }));
});

/** With keys in one order, own `__proto__` keys included. */
function sorted(value: Json): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, item]) => [key, sorted(item)]);
}

Deno.test("pointers are correct beyond the cached ones, and for long names", () => {
  const long = "n".repeat(300);
  const names = [long, ...Array.from({ length: 6000 }, (_, index) => `name-${index}`)];
  const changed = Object.fromEntries(names.map((name) => [name, { "a/b": [1] }]));
  const original = Object.fromEntries(names.map((name) => [name, { "a/b": [] }]));
  for (let time = 0; time < 2; time++) {
    const paths = diff(original, changed).map(({ path }) => path);
    assert.deepEqual(paths, names.toSorted().map((name) => `/${name}/a~1b/0`));
  }
});

Deno.test("elements that differ at their ends alone are not compared each with each other", () => {
  let reads = 0;
  const list = (value: number): Json[] =>
    Array.from({ length: 300 }, (_, index) => {
      const element = { same: {}, changed: value, index };
      Object.defineProperty(element.same, "read", { enumerable: true, get: () => ++reads > 0 });
      return Object.assign(
        element,
        Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`field${at}`, 0])),
      );
    });
  const operations = diff(list(0), list(1));
  assert.equal(operations.length, 300);
  assert.deepEqual(operations[7], { op: "replace", path: "/7/changed", value: 1 });
  // Each of them with each other would be 90,000 comparisons.
  assert.ok(reads < 300 * 10, `${reads} reads`);
});

Deno.test("large lists are aligned as small ones are", () => {
  const small = fc.array(fc.constantFrom(...[1, 2, 3].map((id) => ({ id, more: { a: [id], b: "x" } }))), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(small, small, (before, after) => {
      const filler = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`field${at}`, 0]));
      const large = (list: readonly { readonly id: number }[]) => list.map((each) => ({ ...each, filler }));
      const paths = (operations: readonly PatchOperation[]) => operations.map(({ op, path }) => [op, path]);
      assert.deepEqual(paths(diff(large(before), structuredClone(large(after)))), paths(diff(before, after)));
    }),
    { numRuns: 50 },
  );
});

Deno.test("the alignment of many lists has one bound for all together", () => {
  let reads = 0;
  const element = (value: number): Json => Object.defineProperty({ value }, "name", { get: () => ++reads });
  const lists = (value: number): Json =>
    fields(60, () => fields(10, () => [...Array.from({ length: 390 }, () => element(value))]));
  const before = { a: lists(0) }, after = { a: lists(1) };
  const found = diff(before, after);
  // Each pair of elements in each list would be 90 million comparisons, with two reads each.
  assert.ok(reads < 20_000_000, `${reads} reads`);
  assert.ok(found.length > 0);
});

Deno.test("lists in lists are not compared as a whole at each level", () => {
  let reads = 0;
  const nested = (last: number): Json => {
    const read = { get: (list: Json[], name: string) => (reads++, Reflect.get(list, name)) };
    let value: Json = new Proxy([...Array.from({ length: 100_000 }, () => 0), last], read);
    for (let level = 0; level < 400; level++) value = [value];
    return value;
  };
  const found = diff({ a: nested(1) }, { a: nested(2) });
  // The innermost lists, once for each level, would be 40 million comparisons.
  assert.ok(reads < 15_000_000, `${reads} reads`);
  assert.equal(found.length, 1);
});
