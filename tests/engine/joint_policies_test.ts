import assert from "node:assert/strict";
import fc from "fast-check";
import { type Decision, evaluate, type RuleWatch, type Snapshot } from "../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

const match = { any: [{ resources: { kinds: ["Pod"] } }] };

const scalars = fc.constantFrom<Json[]>("false", "!x", "x | y", "?*", "*", ">1", 0, 1, true, false, null, "");
const anchors = fc.constantFrom("", "", "", "=", "X", "()", "<", "^", "+");

function anchored(anchor: string, key: string): string {
  if (anchor === "") return key;
  return anchor === "()" ? `(${key})` : `${anchor}(${key})`;
}

/** Few keys and values, so that patterns meet each other and the objects in the same places. */
const keys = fc.constantFrom("a", "b", "toString");

function maps(node: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  const entries = fc.array(fc.tuple(anchors, keys, node), { maxLength: 2 });
  return entries.map((all) =>
    Object.fromEntries(all.map(([anchor, key, node]) => [anchored(anchor, key), node]))
  );
}

function nodes(depth: number): fc.Arbitrary<Json> {
  if (depth === 0) return scalars;
  const inner = nodes(depth - 1);
  return fc.oneof(scalars, maps(inner), fc.array(inner, { minLength: 1, maxLength: 2 }));
}

function values(depth: number): fc.Arbitrary<Json> {
  const scalar = fc.constantFrom<Json[]>("false", "x", "y", "", false, true, 0, 1, 2, null);
  if (depth === 0) return scalar;
  const inner = values(depth - 1);
  return fc.oneof(scalar, fc.dictionary(keys, inner, { maxKeys: 2 }), fc.array(inner, { maxLength: 2 }));
}

const specs = fc.record({
  a: values(2),
  containers: fc.array(fc.dictionary(keys, values(1), { maxKeys: 2 }), { maxLength: 2 }),
});

const patterns = fc.record({
  spec: fc.oneof(nodes(3), fc.record({ containers: maps(nodes(1)).map((map) => [map]) })),
});

const rules = fc.record({
  validate: fc.oneof(
    patterns.map((pattern): JsonObject => ({ message: "no", pattern })),
    fc.array(patterns, { minLength: 1, maxLength: 2 }).map((anyPattern): JsonObject => ({ anyPattern })),
    fc.constantFrom<JsonObject[]>(
      { message: "no", deny: {} },
      { pattern: { spec: { a: "{{ request.operation }}" } } },
      { pattern: { metadata: { "=(labels)": { "=(app*)": "w*" } } } },
      { pattern: { metadata: { "=(labels)": { "=(app*)": "v*" } } } },
      { pattern: { spec: { "=(toString)": "x" } } },
    ),
  ),
}, {});

const policyLists = fc.array(
  fc.record({
    applyRules: fc.constantFrom("All", "One"),
    validationFailureAction: fc.constantFrom("Enforce", "Enforce", "Audit"),
    rules: fc.array(rules, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 40 },
);

const unseeing: RuleWatch = { begin: () => {}, postpone: () => {}, finish: () => {} };

/** The decision about a Pod, of all policies together or of each by itself, which is how those who watch see them. */
function decide(snapshot: Snapshot, object: JsonObject, watch?: RuleWatch): Decision {
  const decision = evaluate(snapshot, request(object), { phase: "validate", ports: ports(), watch });
  assert.ok(!(decision instanceof Promise));
  return decision;
}

function snapshotOf(specs: readonly (JsonObject & { readonly rules: readonly JsonObject[] })[]): Snapshot {
  const documents = specs.map(({ rules, ...spec }, index) => ({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: `policy-${index}` },
    spec: { ...spec, rules: rules.map((rule, at) => ({ ...rule, match, name: `rule-${at}` })) },
  }));
  return policies(documents.map((document) => JSON.stringify(document)).join("\n---\n"));
}

Deno.test("policies that are compared together decide as each by itself", () => {
  fc.assert(fc.property(policyLists, fc.array(specs, { minLength: 1, maxLength: 4 }), (written, objects) => {
    const snapshot = snapshotOf(written);
    for (const spec of objects) {
      const object = pod(spec, { labels: { app: "web" } });
      assert.deepEqual(decide(snapshot, object), decide(snapshot, object, unseeing));
    }
  }));
});

Deno.test("policies that are compared together refuse a violation after any number of elements", () => {
  const pattern = (name: string) => ({ spec: { containers: [{ [`=(${name})`]: "false" }] } });
  const snapshot = snapshotOf(["a", "b"].map((name) => ({
    validationFailureAction: "Enforce",
    rules: [{ validate: { message: "no", pattern: pattern(name) } }],
  })));
  for (const count of [10, 1_000, 100_000]) {
    const containers = Array.from({ length: count }, () => ({ a: false, b: false }));
    assert.equal(decide(snapshot, pod({ containers })).allowed, true);
    const decision = decide(snapshot, pod({ containers: [...containers, { a: false, b: true }] }));
    assert.deepEqual(decision.denying.map(({ policy }) => policy.name), ["policy-1"]);
  }
});
