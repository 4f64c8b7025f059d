/** The weight of policies: short texts whose compiled form is large weigh as much as the values that they stand for. */
import assert from "node:assert/strict";
import { CompiledWeights } from "../../lib/policy/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";

function weightWith(validate: JsonObject, metadata: JsonObject = {}): number {
  return new CompiledWeights(1_000_000).of({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "p", ...metadata },
    spec: { rules: [{ name: "r", match: { any: [{ resources: { kinds: ["Service"] } }] }, validate }] },
  });
}

const condition = (key: string): JsonObject => ({
  deny: { conditions: { all: [{ key, operator: "Equals", value: "x" }] } },
});

/** Each takes 90 to 400 kB when it is compiled: a unit of weight stands for half a kilobyte. */
const dense: readonly (readonly [what: string, validate: JsonObject])[] = [
  ["200 alternatives of a pattern", { pattern: { a: "a|".repeat(200) } }],
  ["200 conditions of a pattern", { pattern: { a: "!a&".repeat(200) } }],
  ["200 ranges", { pattern: { a: "1-2|".repeat(200) } }],
  ["200 variables", condition("{{request.name}}".repeat(200))],
  ["400 steps of an expression", condition(`{{ request.object.a${"[0]".repeat(400)} }}`)],
  ["800 elements of a list", condition(`{{ request.object.a.[${"@,".repeat(800)}@] }}`)],
  ["a regular expression of 3,000 instructions", condition("{{ regex_match('(a{999}){1}b{2000}', 'a') }}")],
  ["30 classes of characters", condition(`{{ regex_match('${"\\pL".repeat(30)}', 'a') }}`)],
];

for (const [what, validate] of dense) {
  Deno.test(`${what} weigh as much as 150 values`, () => assert.ok(weightWith(validate) > 150));
}

/** The kilobytes that some took for each rule about Pods when they were compiled. */
const measured: readonly (readonly [what: string, validate: JsonObject, kilobytes: number])[] = [
  ["200 ranges", { pattern: { a: "1-2|".repeat(200) } }, 203],
  ["100 loops over small patterns", {
    foreach: Array.from({ length: 100 }, (_, index) => ({
      list: "request.object.spec.ports",
      pattern: { name: `v${index}` },
    })),
  }, 301],
  ["100 conditions with a variable", {
    deny: {
      conditions: {
        any: Array.from({ length: 100 }, (_, index) => ({
          key: `{{ request.object.metadata.annotations.a${index} }}`,
          operator: "Equals",
          value: `${index}`,
        })),
      },
    },
  }, 740],
];
for (const [what, validate, kilobytes] of measured) {
  Deno.test(`${what} take less than 700 bytes for a unit of weight`, () => {
    assert.ok(kilobytes * 1_000 < 700 * weightWith(validate), `weight ${weightWith(validate)}`);
  });
}

const prose = "Images need a tag that is not latest, because latest changes without notice. ".repeat(10);

Deno.test("prose, and annotations that nobody compiles, weigh little", () => {
  const empty = weightWith({ message: "" });
  assert.ok(weightWith({ message: prose }) - empty < 20);
  const annotations = { last: JSON.stringify(dense) };
  const plain = { last: "x".repeat(annotations.last.length) };
  assert.equal(
    weightWith({ message: "" }, { annotations }),
    weightWith({ message: "" }, { annotations: plain }),
  );
});
