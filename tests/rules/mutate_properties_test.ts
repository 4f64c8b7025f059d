/** Properties of every mutation, for any object and any patch. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Decision, evaluate, type Snapshot } from "../../lib/engine/mod.ts";
import { equal, isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { planJsonPatch } from "../../lib/patch/mod.ts";
import { policies, portsWith, request } from "../background/setting.ts";

const { ports } = portsWith("");

function decide(snapshot: Snapshot, object: JsonObject): Decision {
  const decision = evaluate(snapshot, request(object), { phase: "mutate", ports });
  assert.ok(!(decision instanceof Promise));
  return decision;
}

function policy(mutate: Json, failurePolicy = "Ignore"): Snapshot {
  return policies(JSON.stringify({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "p" },
    spec: {
      failurePolicy,
      rules: [{ name: "r", match: { any: [{ resources: { kinds: ["*"] } }] }, mutate }],
    },
  }));
}

function frozen<T extends Json>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) frozen(part as Json);
    Object.freeze(value);
  }
  return value;
}

const name = fc.constantFrom("a", "b", "c", "x/y", "m~n", "name");
const scalar = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.boolean(), fc.constantFrom("", "v", "w"));
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
}));
const container = fc.record({
  name: fc.constantFrom("web", "db", "side"),
  image: fc.constantFrom("nginx", "nginx:1", "redis:latest"),
  tty: fc.boolean(),
}, { requiredKeys: ["name", "image"] });
const pod = fc.record({
  labels: fc.dictionary(name, fc.constantFrom("v", "w"), { maxKeys: 3 }),
  containers: fc.uniqueArray(container, { maxLength: 3, selector: (each) => each.name }),
  extra: value,
}).map(({ labels, containers, extra }): JsonObject =>
  frozen({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", labels },
    spec: { containers, extra } as JsonObject,
  })
);
const pointer = fc.array(
  fc.constantFrom("metadata", "labels", "spec", "containers", "extra", "a", "b", "0", "1", "-"),
  {
    minLength: 1,
    maxLength: 4,
  },
).map((tokens) => `/${tokens.join("/")}`).filter((path) => !/^\/metadata\/(?!labels)/.test(path));
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom("add", "replace", "test"), path: pointer, value }),
  fc.record({ op: fc.constant("remove"), path: pointer }),
  fc.record({ op: fc.constantFrom("move", "copy"), from: pointer, path: pointer }),
);
const mergePatch = fc.record({
  metadata: fc.record({ labels: fc.dictionary(name, fc.constantFrom("v", "z", null), { maxKeys: 3 }) }),
  spec: fc.record({ containers: fc.array(container, { maxLength: 2 }), extra: value }, { requiredKeys: [] }),
}, { requiredKeys: [] });

const mutation: fc.Arbitrary<Json> = fc.oneof(
  mergePatch.map((patch) => ({ patchStrategicMerge: patch as Json })),
  fc.array(operation, { minLength: 1, maxLength: 3 }).map((operations) => ({
    patchesJson6902: JSON.stringify(operations),
  })),
);

Deno.test("the patch of a decision turns the original into the mutated object", () => {
  let changed = 0;
  fc.assert(
    fc.property(pod, mutation, (object, mutate) => {
      const { patch, object: mutated } = decide(policy(mutate), object);
      const applied = planJsonPatch([...patch]).apply(object);
      assert.ok(!isFault(applied), isFault(applied) ? applied.message : "");
      if (patch.length > 0) changed++;
      assert.ok(equal(applied, mutated!), `${JSON.stringify(applied)} is not ${JSON.stringify(mutated)}`);
    }),
    { numRuns: 300 },
  );
  assert.ok(changed > 50, "enough of the mutations change something");
});

Deno.test("no mutation modifies its input, and a failed one leaves no change", () => {
  fc.assert(
    fc.property(pod, fc.array(operation, { minLength: 1, maxLength: 3 }), (object, operations) => {
      // The last operation always fails, after the others had their way.
      const failing = [...operations, { op: "test", path: "/kind", value: "Nothing" }];
      const before = JSON.stringify(object);
      const decision = decide(policy({ patchesJson6902: JSON.stringify(failing) }), object);
      assert.equal(JSON.stringify(object), before);
      assert.deepEqual(decision.patch, []);
      assert.equal(decision.object, object);
      assert.deepEqual(decision.results[0]?.rules.map(({ result }) => result), ["error"]);
    }),
    { numRuns: 200 },
  );
});

/** Policies that only say how things shall be, so that saying it twice says no more. */
const fixed: Readonly<Record<string, Json>> = {
  "a label": { patchStrategicMerge: { metadata: { labels: { a: "z" } } } },
  "a default label": { patchStrategicMerge: { metadata: { labels: { "+(a)": "z" } } } },
  "a field of every container": {
    patchStrategicMerge: { spec: { containers: [{ "(name)": "*", tty: true }] } },
  },
  "a field of some containers": {
    patchStrategicMerge: { spec: { containers: [{ "(image)": "*:latest", tty: false }] } },
  },
  "a container": { patchStrategicMerge: { spec: { containers: [{ name: "proxy", image: "envoy" }] } } },
  "a removed field": { patchStrategicMerge: { spec: { extra: null } } },
  "a replaced field": { patchesJson6902: '[{"op": "add", "path": "/spec/extra", "value": {"a": 1}}]' },
  "a removed path": { patchesJson6902: '[{"op": "remove", "path": "/spec/extra"}]' },
  "every element's image": {
    foreach: [{
      list: "request.object.spec.containers",
      patchStrategicMerge: { spec: { containers: [{ name: "{{ element.name }}", image: "one" }] } },
    }],
  },
};

for (const [title, mutate] of Object.entries(fixed)) {
  Deno.test(`setting ${title} twice changes nothing more`, () => {
    const snapshot = policy(mutate);
    fc.assert(
      fc.property(pod, (object) => {
        const once = decide(snapshot, object).object!;
        const twice = decide(snapshot, frozen(once));
        assert.deepEqual(twice.patch, []);
        assert.deepEqual(twice.results[0]?.rules.map(({ result }) => result), ["skip"]);
      }),
      { numRuns: 60 },
    );
  });
}
