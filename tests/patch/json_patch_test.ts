import assert from "node:assert/strict";
import fc from "fast-check";
import tests from "json-patch-test-suite/tests.json" with { type: "json" };
import specTests from "json-patch-test-suite/spec_tests.json" with { type: "json" };
import { applyPatch } from "rfc6902";
import { isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { Draft, parseJsonPatch, type PatchOperation, planJsonPatch } from "../../lib/patch/mod.ts";
import { deepFreeze } from "./frozen.ts";

const document = deepFreeze({
  metadata: { name: "x", labels: { "a/b": "1", "t~u": "2" } },
  spec: { list: [1, 2, 3], items: [{ n: "a" }, { n: "b" }], empty: {}, none: null, text: "str" },
});

/** Applies operations to a document that throws when it is modified. */
function apply(operations: readonly PatchOperation[], to: Json = document): Json | string {
  const result = planJsonPatch(operations).apply(to);
  return isFault(result) ? `error: ${result.message}` : result;
}

function get(result: Json | string, ...path: string[]): unknown {
  let value: unknown = result;
  for (const key of path) value = (value as Record<string, unknown>)[key];
  return value;
}

const changes: [name: string, operation: PatchOperation, path: string[], value: unknown][] = [
  ["add sets a key", { op: "add", path: "/spec/new", value: 1 }, ["spec", "new"], 1],
  ["add inserts into a list", { op: "add", path: "/spec/list/1", value: 9 }, ["spec", "list"], [1, 9, 2, 3]],
  ["add appends at -", { op: "add", path: "/spec/list/-", value: 9 }, ["spec", "list"], [1, 2, 3, 9]],
  ["add at -1 appends", { op: "add", path: "/spec/list/-1", value: 9 }, ["spec", "list"], [1, 2, 3, 9]],
  ["add at -2 goes before the last", { op: "add", path: "/spec/list/-2", value: 9 }, ["spec", "list"], [
    1,
    2,
    9,
    3,
  ]],
  ["add makes missing maps", { op: "add", path: "/a/b/c", value: 1 }, ["a"], { b: { c: 1 } }],
  ["add makes a list for -", { op: "add", path: "/a/-", value: 1 }, ["a"], [1]],
  ["add makes a map for a key -", { op: "add", path: "/spec/-/y", value: 1 }, ["spec", "-"], { y: 1 }],
  ["add makes a padded list for a number", { op: "add", path: "/a/2/n", value: 1 }, ["a"], [null, null, {
    n: 1,
  }]],
  ["add pads an existing list", { op: "add", path: "/spec/list/5/n", value: 1 }, ["spec", "list"], [
    1,
    2,
    3,
    null,
    null,
    { n: 1 },
  ]],
  ["add makes a parent of null", { op: "add", path: "/spec/none/q", value: 1 }, ["spec", "none"], { q: 1 }],
  [
    "add unescapes keys",
    { op: "add", path: "/metadata/labels/c~1d~0e", value: "3" },
    ["metadata", "labels"],
    {
      "a/b": "1",
      "t~u": "2",
      "c/d~e": "3",
    },
  ],
  ["add sets the empty key", { op: "add", path: "/", value: 1 }, [""], 1],
  ["text before the first slash is ignored", { op: "add", path: "spec/s", value: 1 }, ["s"], 1],
  ["indices may have leading zeros", { op: "replace", path: "/spec/list/01", value: 9 }, ["spec", "list"], [
    1,
    9,
    3,
  ]],
  ["replace counts from the end", { op: "replace", path: "/spec/list/-1", value: 9 }, ["spec", "list"], [
    1,
    2,
    9,
  ]],
  ["replace goes through negative indices", { op: "replace", path: "/spec/items/-1/n", value: 9 }, [
    "spec",
    "items",
  ], [{ n: "a" }, { n: 9 }]],
  ["remove removes", { op: "remove", path: "/spec/items/0" }, ["spec", "items"], [{ n: "b" }]],
  ["move moves", { op: "move", from: "/spec/text", path: "/moved" }, ["moved"], "str"],
  ["copy copies", { op: "copy", from: "/spec/items/0", path: "/spec/items/-" }, ["spec", "items"], [
    { n: "a" },
    { n: "b" },
    { n: "a" },
  ]],
];
for (const [name, operation, path, value] of changes) {
  Deno.test(`apply() ${name}`, () => assert.deepEqual(get(apply([operation]), ...path), value));
}

Deno.test("apply() writes __proto__ as a key of the copy, and changes no prototype", () => {
  const result = apply([{ op: "add", path: "/__proto__/x", value: 1 }], {});
  assert.deepEqual(Object.keys(result as object), ["__proto__"]);
  assert.equal(({} as Record<string, unknown>).x, undefined);
});

const unchanged: [name: string, operation: PatchOperation][] = [
  ["a missing key to remove", { op: "remove", path: "/spec/missing" }],
  ["a missing parent of the removed value", { op: "remove", path: "/spec/missing/deep" }],
  ["an index to remove that is too high", { op: "remove", path: "/spec/list/9" }],
  ["an index to remove that is too low", { op: "remove", path: "/spec/list/-9" }],
  ["removing the whole document", { op: "remove", path: "" }],
  ["an existing value", { op: "add", path: "/spec/text", value: "str" }],
  ["a test that holds", { op: "test", path: "/spec/list", value: [1, 2, 3] }],
  ["a test of a missing key for null", { op: "test", path: "/spec/missing", value: null }],
];
for (const [name, operation] of unchanged) {
  Deno.test(`apply() returns the document itself for ${name}`, () =>
    assert.equal(apply([operation]), document));
}

const refusals: [operation: PatchOperation, error: string][] = [
  [
    { op: "replace", path: "/spec/missing", value: 1 },
    "replace operation does not apply: doc is missing key: /spec/missing: missing value",
  ],
  [
    { op: "replace", path: "/spec/missing/x", value: 1 },
    "replace operation does not apply: doc is missing path: /spec/missing/x: missing value",
  ],
  [{ op: "replace", path: "", value: 1 }, "replace operation value must be object or array: %!w(<nil>)"],
  [
    { op: "add", path: "/spec/list/9", value: 1 },
    "error in add for path: '/spec/list/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { op: "add", path: "/spec/list/x", value: 1 },
    "error in add for path: '/spec/list/x': value was not a proper array index: 'x': " +
    'strconv.Atoi: parsing "x": invalid syntax',
  ],
  [{ op: "add", path: "/spec/text/x", value: 1 }, "invalid state detected"],
  [
    { op: "add", path: "/spec//x", value: 1 },
    'add operation does not apply: doc is missing path: "/spec//x": missing value',
  ],
  [
    { op: "add", path: "/a/1000000000", value: 1 },
    "Unable to access invalid index: 1000000000: invalid index referenced",
  ],
  [{ op: "test", path: "/spec/text", value: "other" }, "testing value /spec/text failed: test failed"],
  [
    { op: "test", path: "/spec/list/7", value: 1 },
    "error in test for path: '/spec/list/7': Unable to access invalid index: 7: invalid index referenced",
  ],
  [
    { op: "move", from: "/missing/x", path: "/y" },
    "move operation does not apply: doc is missing from path: /missing/x: missing value",
  ],
  [
    { op: "copy", from: "/spec/text", path: "/missing/x" },
    "copy operation does not apply: doc is missing destination path: /missing/x: missing value",
  ],
  [
    { op: "remove", path: "/spec/list/x" },
    "error in remove for path: '/spec/list/x': strconv.Atoi: parsing \"x\": invalid syntax",
  ],
];
for (const [operation, error] of refusals) {
  Deno.test(`apply() refuses ${JSON.stringify(operation)}`, () => {
    assert.equal(apply([operation]), `error: ${error}`);
  });
}

Deno.test("apply() refuses to make a document of extreme depth", () => {
  const path = "/a".repeat(100_000);
  assert.match(
    String(apply([{ op: "add", path, value: 1 }])),
    /^error: add operation does not apply: doc is missing/,
  );
});

Deno.test("apply() stops at the first failing operation", () => {
  const failing: PatchOperation[] = [{ op: "add", path: "/a", value: 1 }, {
    op: "test",
    path: "/a",
    value: 2,
  }];
  assert.match(String(apply(failing)), /^error: testing value \/a failed/);
});

/** Where the options differ from RFC 6902 on purpose, by the suite's comment or patch. */
const otherwise = new Map<string, Json>([
  ['[{"op":"add","path":"/bar/-1","value":"5"}]', { bar: [1, 2, "5"] }],
  ["test remove with bad number should fail", { foo: 1, baz: [{ qux: "hello" }] }],
  ["missing 'value' parameter to test", [null]],
  ["4.1. add with missing object", { q: { bar: 2 }, a: { b: 1 } }],
  ["A.12.  Adding to a Non-existent Target", { foo: "bar", baz: { bat: "qux" } }],
]);

interface SuiteCase {
  readonly comment?: string;
  readonly doc: Json;
  readonly patch: Json;
  readonly expected?: Json;
  readonly error?: string;
  readonly disabled?: boolean;
}

const suite = [...tests, ...specTests] as unknown as SuiteCase[];
Deno.test("the json-patch test suite passes, except where the options differ", () => {
  const differing: string[] = [];
  for (const { comment, doc, patch, expected, error, disabled } of suite) {
    if (disabled) continue;
    const parsed = parseJsonPatch(patch);
    const result = isFault(parsed) ? parsed : parsed.apply(deepFreeze(doc));
    const name = comment ?? JSON.stringify(patch);
    const exception = otherwise.get(name) ?? otherwise.get(JSON.stringify(patch));
    if (exception !== undefined) assert.deepEqual(result, exception, name);
    else if (isFault(result) !== (error !== undefined)) differing.push(name);
    else if (expected !== undefined) assert.deepEqual(result, expected, name);
  }
  assert.deepEqual(differing, []);
});

/**
 * Operations that RFC 6902 knows. The other implementation takes any token for a key of a list, so `-` stands only
 * where something is put, and no list gets to where keys are looked up. It also looks at the length of a list before it
 * takes out what is moved, so nothing moves within the list, and puts what is moved or copied beyond the end of a list,
 * so nothing moves to where there may be none. A key `__proto__` it loses.
 */
const pointer = fc.constantFrom("/a", "/b", "/list/0", "/list/1", "/b/c", "/b/d/e");
const target = fc.oneof(pointer, fc.constant("/list/-"));
const safeTarget = target.filter((path) => path !== "/list/1");
const value = fc.jsonValue({ maxDepth: 2 })
  .filter((value) => !Array.isArray(value) && !JSON.stringify(value).includes("__proto__"));
const operation: fc.Arbitrary<PatchOperation> = fc.oneof(
  fc.record({ op: fc.constant("add"), path: target, value }),
  fc.record({ op: fc.constantFrom("replace", "test"), path: pointer, value }),
  fc.record({ op: fc.constant("remove"), path: pointer }),
  fc.record({ op: fc.constantFrom("move", "copy"), path: safeTarget, from: pointer })
    .filter(({ op, path, from }) =>
      op === "copy" || !(path.startsWith("/list/") && from.startsWith("/list/"))
    ),
) as fc.Arbitrary<PatchOperation>;

/** The result of applying the operations with another implementation; `undefined` when it refuses one. */
function oracle(operations: readonly PatchOperation[], start: Json): Json | undefined {
  const result = structuredClone(start);
  try {
    const problems = applyPatch(result, structuredClone(operations) as Parameters<typeof applyPatch>[1]);
    return problems.every((problem) => problem === null) ? result : undefined;
  } catch {
    return undefined; // It throws when a parent is a scalar.
  }
}

Deno.test("every patch that RFC 6902 allows gives the same as another implementation", () => {
  const start = deepFreeze({ a: 1, b: { c: "y", d: { e: "x" } }, list: [{ n: 1 }, "two"] });
  let compared = 0;
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 4 }), (operations) => {
      const expected = oracle(operations, start);
      if (expected === undefined) return;
      compared++;
      assert.deepEqual(apply(operations, start), expected);
    }),
    { numRuns: 500 },
  );
  assert.ok(compared > 100, `only ${compared} were allowed`);
});

Deno.test("patches of one draft give the same result as single patches", () => {
  const start = deepFreeze({ a: { x: [1, { y: 2 }] }, b: { c: 1, d: { e: [] } }, list: [{ p: 1 }, [2], 3] });
  fc.assert(
    fc.property(fc.array(fc.array(operation, { maxLength: 3 }), { maxLength: 5 }), (patches) => {
      const draft = new Draft<Json>(start);
      let current: Json = start;
      for (const operations of patches.map(deepFreeze)) {
        const plan = planJsonPatch(operations);
        const expected = plan.apply(deepFreeze(structuredClone(current)));
        const fault = plan.change(draft);
        if (isFault(expected)) return assert.deepEqual(fault, expected);
        assert.deepEqual(draft.resource, expected);
        current = expected;
      }
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("a copy in a draft is a separate value, and a document never contains itself", () => {
  const draft = new Draft<Json>({ a: { n: [1] } });
  const change = (...operations: PatchOperation[]): void => {
    assert.equal(planJsonPatch(operations).change(draft), undefined);
  };
  change({ op: "add", path: "/a/n/-", value: 2 });
  change({ op: "copy", from: "/a", path: "/b" }, { op: "add", path: "/a/n/-", value: 3 });
  change({ op: "add", path: "/b/n/-", value: 4 });
  assert.deepEqual(draft.resource, { a: { n: [1, 2, 3] }, b: { n: [1, 2, 4] } });
  change({ op: "move", from: "/", path: "/a/whole" });
  assert.ok(JSON.stringify(draft.resource).length < 200);
});

Deno.test("copies that double a list again and again are refused", () => {
  const copies = Array.from(
    { length: 40 },
    (): PatchOperation => ({ op: "copy", from: "/list", path: "/list/-" }),
  );
  assert.match(String(apply(copies, { list: ["x".repeat(100)] })), /copies add more than 3145728 bytes/);
});

const long: readonly Json[] = Array.from({ length: 6_400 }, (_, index) => index);
const wide: JsonObject = Object.fromEntries(long.map((index) => [`n${index}`, {}]));
/** Operations, each of which takes as many steps as the document has members, or a sixty-fourth of them. */
const costly: readonly [does: string, operation: PatchOperation, least: number][] = [
  ["compares a list", { op: "test", path: "/long", value: [...long] }, 6_400],
  ["compares a map", { op: "test", path: "/wide", value: { ...wide } }, 6_400],
  ["puts an element before a list's others", { op: "add", path: "/long/0", value: 1 }, 100],
  ["removes the first element of a list", { op: "remove", path: "/long/0" }, 99],
  ["moves an element to the front", { op: "move", from: "/long/-1", path: "/long/0" }, 100],
  ["copies an element to the front", { op: "copy", from: "/long/0", path: "/long/0" }, 100],
];
for (const [does, operation, least] of costly) {
  Deno.test(`a JSON patch that ${does} many times uses up its steps`, () => {
    const patch = planJsonPatch(Array.from({ length: 20 }, () => operation));
    const document = { long: long.slice(), wide };
    const steps = { left: 20 * (least + 10) + 6_500 };
    assert.ok(!isFault(patch.apply(document, steps)));
    const stopped = patch.apply(document, { left: 19 * least });
    assert.match(isFault(stopped) ? stopped.message : "", /too many steps|test failed/);
  });
}

Deno.test("a JSON patch that replaces elements of a list copies it once, and takes the steps of one copy", () => {
  const operations = long.map((index): PatchOperation => ({
    op: "replace",
    path: `/long/${index}`,
    value: "x",
  }));
  const steps = { left: 6_400 + 100 + 6_500 };
  assert.ok(!isFault(planJsonPatch(operations).apply({ long: long.slice() }, steps)));
});

Deno.test("a JSON patch that changes a map that it was given again and again uses up its steps", () => {
  const operations = Array.from({ length: 20 }, (): PatchOperation[] => [
    { op: "replace", path: "/wide", value: wide },
    { op: "add", path: "/wide/more", value: 1 },
  ]);
  const patch = planJsonPatch(operations.flat());
  assert.ok(!isFault(patch.apply({ wide }, { left: 2_000_000 })));
  const stopped = patch.apply({ wide }, { left: 20 * 6_400 });
  assert.match(isFault(stopped) ? stopped.message : "", /too many steps/);
});
