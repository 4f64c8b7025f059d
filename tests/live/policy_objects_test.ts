/** The documents of policy objects: the same as long as the object says the same, so that its policy is not compiled again. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import { PolicyObjects } from "../../lib/live/policy_objects.ts";
import type { Collections, LeftOutObjects, ObjectChange } from "../../lib/ports.ts";

function policy(name: string, version: string, rest: JsonObject = {}): JsonObject {
  return {
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name, resourceVersion: version, generation: 1 },
    spec: { rules: [] },
    ...rest,
  };
}

/** Policy objects of a collection that a test changes. */
function setUp(leftOut: Record<string, LeftOutObjects> = {}) {
  const stored = new Map<string, JsonObject>();
  const watchers: ((change: ObjectChange) => void | Promise<void>)[] = [];
  const collections: Collections = {
    watch(path, changed) {
      const isPolicies = path.endsWith("/clusterpolicies");
      if (isPolicies) watchers.push(changed);
      return {
        objects: () => isPolicies ? [...stored.values()] : [],
        synced: Promise.resolve(),
        close: () => Promise.resolve(),
        leftOut: leftOut[path],
      };
    },
  };
  let changes = 0;
  const objects = new PolicyObjects({
    collections,
    exceptionNamespace: "*",
    after: (_, task) => task(),
    changed: () => void changes++,
  });
  const put = (object: JsonObject): void => {
    const former = stored.get(nameOf(object));
    stored.set(nameOf(object), object);
    for (const changed of watchers) void changed({ object, former });
  };
  return { objects, put, changes: () => changes };
}

Deno.test("an object keeps its document when its status is written, and gets another one when it says something else", () => {
  const { objects, put, changes } = setUp();
  put(policy("a", "1"));
  put(policy("b", "2"));
  const [a, b] = objects.documents();
  put(policy("a", "3", { status: { conditions: [] } }));
  put(policy("a", "4", { status: { conditions: [], autogen: {} } }));
  assert.deepEqual(objects.documents().map((each) => each === a || each === b), [true, true]);
  assert.equal(changes(), 2, "a status is no change of a policy");
  put(policy("a", "5", { spec: { background: false, rules: [] } }));
  const [changed, kept] = objects.documents();
  assert.notEqual(changed, a);
  assert.equal(kept, b);
  assert.equal(changes(), 3);
});

Deno.test("where policies take too much memory, a policy that denies everything stands for them", () => {
  const message = "too much";
  const { objects } = setUp({
    "/apis/kyverno.io/v1/policies": { message, namespaces: new Set(["a", "b"]) },
    "/apis/policies.kyverno.io/v1beta1/validatingpolicies": { message, namespaces: new Set([""]) },
    "/apis/kyverno.io/v2/policyexceptions": { message, namespaces: new Set(["c"]) },
  });
  const keys = () => compile(objects.documents()).policies.map(({ policy }) => policy.key);
  assert.deepEqual(keys(), ["policies-left-out", "a/policies-left-out", "b/policies-left-out"]);
  assert.deepEqual(objects.documents(), objects.documents());
  const many = setUp({ "/apis/kyverno.io/v1/policies": { message, namespaces: undefined } }).objects;
  assert.equal(compile(many.documents()).policies[0]?.policy.key, "policies-left-out");
});

Deno.test("a policy with the name of a denial does not take its place", () => {
  const message = "too much";
  const { objects, put } = setUp({
    "/apis/kyverno.io/v1/clusterpolicies": { message, namespaces: new Set([""]) },
  });
  const match = { any: [{ resources: { kinds: ["Secret"] } }] };
  const rules = [{ name: "harmless", match, validate: { message: "no", deny: {} } }];
  put(policy("policies-left-out", "1", { spec: { rules } }));
  const { policies } = compile(objects.documents());
  assert.deepEqual(policies.map(({ policy }) => policy.rules[0]?.name), ["left-out"]);
});
