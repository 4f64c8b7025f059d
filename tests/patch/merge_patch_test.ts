import assert from "node:assert/strict";
import type { Json } from "../../lib/json/mod.ts";
import { mergePatch } from "../../lib/patch/mod.ts";
import { deepFreeze } from "./frozen.ts";

/** The examples of RFC 7386, appendix A. */
const cases: [target: Json, patch: Json, result: Json][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [["a", "b"], ["c", "d"], ["c", "d"]],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];
for (const [target, patch, result] of cases) {
  Deno.test(`mergePatch() of ${JSON.stringify(patch)} into ${JSON.stringify(target)}`, () => {
    assert.deepEqual(mergePatch(deepFreeze(target), deepFreeze(patch)), result);
  });
}

Deno.test("mergePatch() answers with the target itself when nothing changes", () => {
  const target = { a: { b: [1] }, c: null };
  assert.equal(mergePatch(target, { a: { x: null } }), target);
});

Deno.test("mergePatch() takes __proto__ for a key like others", () => {
  const result = mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'));
  assert.deepEqual(Object.keys(result as object), ["__proto__"]);
  assert.equal((result as Record<string, unknown>).polluted, undefined);
});
