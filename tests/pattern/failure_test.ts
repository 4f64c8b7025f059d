/** The fields of a failure, for explanations. */
import assert from "node:assert/strict";
import { failureOf } from "./compile.ts";

Deno.test("a failure names the pattern, the value, the steps and the container", () => {
  const failure = failureOf(
    { spec: { containers: [{ "=(securityContext)": { "=(privileged)": "false" } }] } },
    { spec: { containers: [{ name: "a" }, { name: "web", securityContext: { privileged: true } }] } },
  );
  assert.equal(failure.status, "fail");
  assert.equal(failure.path, "/spec/containers/1/securityContext/privileged/");
  assert.deepEqual(failure.steps, ["spec", "containers", 1, "securityContext", "privileged"]);
  assert.equal(failure.expected, "false");
  assert.equal(failure.actual, true);
  assert.equal(failure.element, "web");
  assert.equal(failure.fault, undefined);
});

Deno.test("a skip names the condition that did not hold, however deep", () => {
  const failure = failureOf(
    { spec: { containers: [{ "(image)": "a/*", name: "?*" }] } },
    { spec: { containers: [{ name: "web", image: "b/web" }, { name: "api", image: "c/api" }] } },
  );
  assert.equal(failure.status, "skip");
  assert.equal(failure.path, "");
  assert.deepEqual(failure.steps, ["spec", "containers", 0, "image"]);
  assert.equal(failure.expected, "a/*");
  assert.equal(failure.actual, "b/web");
  assert.equal(failure.element, "web");
});

Deno.test("a failure names the innermost named element, if there is one", () => {
  const pattern = { l: [{ ports: [{ port: 1 }] }] };
  assert.equal(failureOf(pattern, { l: [{ name: "a", ports: [{ name: "b", port: 2 }] }] }).element, "b");
  assert.equal(failureOf(pattern, { l: [{ name: "a", ports: [{ port: 2 }] }] }).element, "a");
  assert.equal(failureOf(pattern, { name: "x", l: [{ ports: [{ port: 2 }] }] }).element, undefined);
});

Deno.test("an error has steps even without a path", () => {
  const failure = failureOf({ "^(l)": [{ a: 1 }], b: { c: 1 } }, { b: { c: 2 } });
  assert.equal(failure.status, "error");
  assert.equal(failure.path, "");
  assert.deepEqual(failure.steps, ["b", "c"]);
});

Deno.test("the path of a missing key ends at that key", () => {
  const failure = failureOf({ a: { b: "*" } }, { a: {} });
  assert.deepEqual(failure.steps, ["a", "b"]);
  assert.equal(failure.expected, "*");
  assert.equal(failure.actual, undefined);
  assert.equal(failure.message, "/a//b not found");
});

const messages:
  readonly (readonly [pattern: Parameters<typeof failureOf>[0], actual: unknown, text: string])[] = [
    ["x", { b: [1, null, "z"], a: 1000000 }, "resource value 'map[a:1000000 b:[1 <nil> z]]'"],
    ["x", 1.5, "resource value '1.5'"],
    ["x", 1e21, "resource value '1e+21'"],
    ["x", undefined, "resource value '<nil>'"],
    [{ a: 1 }, 1, "Expected map[string]interface {}, found int64"],
    [{ a: 1 }, 1.5, "Expected map[string]interface {}, found float64"],
    [{ a: 1 }, true, "Expected map[string]interface {}, found bool"],
    [{ a: 1 }, "s", "Expected map[string]interface {}, found string"],
    [{ a: 1 }, [], "Expected map[string]interface {}, found []interface {}"],
    [{ a: 1 }, null, "Expected map[string]interface {}, found <nil>"],
  ];
for (const [pattern, actual, text] of messages) {
  Deno.test(`a message prints ${JSON.stringify(actual)} as Go does`, () => {
    const resource = actual === undefined ? {} : { f: JSON.parse(JSON.stringify(actual)) };
    assert.ok(failureOf({ f: pattern }, resource).message.includes(text));
  });
}
