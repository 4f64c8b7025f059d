/** Loads of policies that are objects of the cluster: requests have turns meanwhile, and the former policies hold. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import type { Snapshot } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import { LivePolicies } from "../../lib/live/mod.ts";
import type { Collections, ObjectChange } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { installation, silent } from "./setting.ts";

const path = "/apis/kyverno.io/v1/clusterpolicies";

/** A policy with some rules; its version is in their message. */
function policy(name: string, { version = 1, rules = 1 } = {}): JsonObject {
  return {
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name, uid: name, resourceVersion: `${version}`, generation: version },
    spec: {
      rules: Array.from({ length: rules }, (_, index) => ({
        name: `r${index}`,
        match: { any: [{ resources: { kinds: ["Pod"] } }] },
        validate: { message: `version ${version}`, pattern: { metadata: { labels: { team: "?*" } } } },
      })),
    },
  };
}

/** Policies of a cluster that a test changes. Each look at the clock finds the slice used up. */
function setUp(...first: readonly JsonObject[]) {
  const stored = new Map(first.map((each) => [nameOf(each), each]));
  let changed: (change: ObjectChange) => void | Promise<void> = () => {};
  const collections: Collections = {
    watch(watched, listener) {
      if (watched === path) changed = listener;
      return {
        objects: () => watched === path ? [...stored.values()] : [],
        synced: Promise.resolve(),
        close: () => Promise.resolve(),
        leftOut: undefined,
      };
    },
  };
  const turns = { count: 0, inTurn: (): void => {} };
  const loaded: Snapshot[] = [], clock = systemClock();
  const policies: LivePolicies = new LivePolicies({
    cluster: new EmbeddedCluster({ objects: [], clock, entropy: countingEntropy() }),
    collections,
    clock,
    discovery: { resources: () => Promise.resolve({ ok: true, resources: [] }) },
    log: silent,
    installation,
    compiling: {},
    scheduler: {
      sliceMilliseconds: 0,
      pause() {
        turns.count++;
        turns.inTurn();
        return Promise.resolve();
      },
    },
    files: () => [],
    loaded: (snapshot) => void loaded.push(snapshot),
    leads: () => false,
    isBeingRemoved: () => Promise.resolve(false),
    exceptionNamespace: "*",
  });
  return {
    policies,
    loaded,
    turns,
    put(object: JsonObject): void {
      const former = stored.get(nameOf(object));
      stored.set(nameOf(object), object);
      void changed({ object, former });
    },
    remove(name: string): void {
      const former = stored.get(name);
      stored.delete(name);
      void changed({ object: undefined, former });
    },
    /** Waits until so many loads have come to their end. */
    async untilLoads(count: number): Promise<void> {
      while (loaded.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

function names(snapshot: Snapshot | undefined): string[] {
  return (snapshot?.policies ?? []).map(({ policy }) => policy.key);
}

const many = Array.from({ length: 30 }, (_, index) => policy(`p${index}`));

const works: readonly (readonly [what: string, objects: readonly JsonObject[], least: number])[] = [
  ["policies that change together", many, 30],
  ["the rules of one policy", [policy("one", { rules: 30 })], 30],
];

for (const [what, objects, least] of works) {
  Deno.test(`requests have turns between ${what}`, async () => {
    const { policies, put, turns, loaded, untilLoads } = setUp();
    await policies.start();
    turns.count = 0;
    for (const each of objects) put(each);
    await untilLoads(2);
    assert.equal(loaded.at(-1)!.policies.length, objects.length);
    assert.ok(turns.count >= least, `${turns.count} turns`);
    await policies.close();
  });
}

Deno.test("the former policies hold until all changed ones are compiled", async () => {
  const { policies, put, remove, turns, loaded, untilLoads } = setUp(policy("a"), policy("b"));
  await policies.start();
  const former = policies.snapshot, seen = new Set<Snapshot | undefined>();
  turns.inTurn = () => void seen.add(policies.snapshot);
  // The new policies replace a.
  for (const each of [policy("b", { version: 2 }), policy("c")]) put(each);
  remove("a");
  await untilLoads(2);
  assert.deepEqual([...seen], [former]);
  assert.deepEqual(names(loaded[1]), ["b", "c"]);
  assert.equal(policies.snapshot, loaded[1]);
  await policies.close();
});

Deno.test("a policy that is deleted during a load is out of force at once, and stays so", async () => {
  const { policies, remove, turns, loaded, untilLoads } = setUp(policy("a"), policy("b"), policy("c"));
  await policies.start();
  let during: string[] | undefined;
  turns.inTurn = () => {
    if (during !== undefined) return;
    remove("a");
    during = names(policies.snapshot);
  };
  policies.refresh();
  await untilLoads(2);
  assert.deepEqual(during, ["b", "c"]);
  assert.deepEqual(names(loaded[1]), ["b", "c"]);
  await policies.close();
});

Deno.test("while policies change during each load, each load comes to its end and is of later versions", async () => {
  const { policies, put, turns, loaded, untilLoads } = setUp(policy("a"), policy("b"));
  await policies.start();
  let version = 1;
  turns.inTurn = () => put(policy("a", { version: ++version }));
  put(policy("a", { version: ++version }));
  await untilLoads(4);
  turns.inTurn = () => {};
  const generations = loaded.map(({ policies: [first] }) =>
    (first!.policy.document["metadata"] as JsonObject)["generation"] as number
  );
  assert.deepEqual(generations, generations.toSorted((one, other) => one - other));
  assert.equal(new Set(generations).size, generations.length);
  await policies.close();
});
