import assert from "node:assert/strict";
import { isFault, type Json } from "../../lib/json/mod.ts";
import { parseJsonPatch } from "../../lib/patch/mod.ts";

const readable: [name: string, source: Json, operations: Json][] = [
  ["YAML text", "- op: add\n  path: /a\n  value: yes\n", [{ op: "add", path: "/a", value: true }]],
  ["YAML aliases", "- {op: add, path: /a, value: &x {b: 1}}\n- {op: add, path: /c, value: *x}", [
    { op: "add", path: "/a", value: { b: 1 } },
    { op: "add", path: "/c", value: { b: 1 } },
  ]],
  ["indented text", " - op: remove\n   path: /spec", [{ op: "remove", path: "/spec" }]],
  ["JSON text", '[{"op":"move","from":"/a","path":"/b"}]', [{ op: "move", path: "/b", from: "/a" }]],
  ["a list", [{ op: "replace", path: "/a", value: null }], [{ op: "replace", path: "/a", value: null }]],
  ["no operations", "[]", []],
  ["null", "null", []],
  ["a test without a value", "- {op: test, path: /a}", [{ op: "test", path: "/a" }]],
  ["fields of no meaning", [{ op: "remove", path: "/a", value: 1, note: "x" }], [{
    op: "remove",
    path: "/a",
  }]],
];
for (const [name, source, operations] of readable) {
  Deno.test(`parseJsonPatch() reads ${name}`, () => {
    const patch = parseJsonPatch(source);
    assert.ok(!isFault(patch));
    assert.deepEqual(patch.operations, operations);
  });
}

const unreadable: [source: Json, error: string][] = [
  ["", "invalid state detected"],
  ['[{"op":"add"', "invalid state detected"],
  ["{}", "json: cannot unmarshal object into Go value of type jsonpatch.Patch"],
  ["5", "json: cannot unmarshal number into Go value of type jsonpatch.Patch"],
  ["- x", "json: cannot unmarshal string into Go value of type jsonpatch.Operation"],
  [
    "- {op: ADD, path: /a, value: 1}",
    'invalid operation {"op":"ADD","path":"/a","value":1}: unsupported operation',
  ],
  ["- path: /a", 'invalid operation {"path":"/a"}: unsupported operation'],
  [
    "- {op: add, path: /a}",
    `invalid operation {"op":"add","path":"/a"}: failed to decode 'value': operation, missing value field: missing value`,
  ],
  [
    "- {op: move, path: /a}",
    `invalid operation {"op":"move","path":"/a"}: failed to decode 'from': operation, missing from field: missing value`,
  ],
  [
    "- {op: remove}",
    `invalid operation {"op":"remove"}: failed to decode 'path': operation missing path field: missing value`,
  ],
  [
    "- {op: remove, path: 5}",
    `invalid operation {"op":"remove","path":5}: failed to decode 'path': ` +
    "json: cannot unmarshal number into Go value of type string",
  ],
];
for (const [source, error] of unreadable) {
  Deno.test(`parseJsonPatch() refuses ${JSON.stringify(source)}`, () => {
    const patch = parseJsonPatch(source);
    assert.ok(isFault(patch));
    assert.equal(patch.message, `failed to decode patches: ${error}`);
  });
}

Deno.test("parseJsonPatch() reports a text that is no YAML", () => {
  const patch = parseJsonPatch("a: [b");
  assert.ok(isFault(patch));
  assert.match(patch.message, /^failed to convert patchesJSON6902 to JSON: yaml: /);
});
