/**
 * The documents of policy objects: the same as long as the object says the same, so that its policy is not compiled
 * again.
 */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import { compile } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import { PacedTask } from "../../lib/live/paced_task.ts";
import { PolicyObjects } from "../../lib/live/policy_objects.ts";
import type { Collections, LeftOutObjects, ObjectChange } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";

function policy(name: string, version: string, rest: JsonObject = {}): JsonObject {
  return {
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name, resourceVersion: version, generation: 1 },
    spec: { rules: [] },
    ...rest,
  };
}

function ofNamespace(name: string, namespace: string): JsonObject {
  return { ...policy(name, "1"), kind: "Policy", metadata: { name, namespace, resourceVersion: "1" } };
}

/** The collections whose objects a test changes, by kind. */
const paths: Readonly<Record<string, string>> = {
  ClusterPolicy: "/apis/kyverno.io/v1/clusterpolicies",
  Policy: "/apis/kyverno.io/v1/policies",
  PolicyException: "/apis/kyverno.io/v2/policyexceptions",
};

/** Lets everything run that waits for no timer. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** A clock that a test moves, and the tasks that wait for it. */
class ManualTimer {
  #now = 0;
  #waiting: { readonly at: number; readonly task: () => void }[] = [];

  readonly now = (): number => this.#now;

  readonly after = (milliseconds: number, task: () => void): void => {
    this.#waiting.push({ at: this.#now + milliseconds, task });
  };

  /** Lets time pass, and runs the tasks that are due meanwhile. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      const due = this.#waiting.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
      if (due === undefined) break;
      this.#waiting = this.#waiting.filter((each) => each !== due);
      this.#now = Math.max(this.#now, due.at);
      due.task();
      await turn();
    }
    this.#now = Math.max(this.#now, end);
  }
}

/** Policy objects of collections that a test changes. */
function setUp(leftOut: Record<string, LeftOutObjects> = {}, timer?: ManualTimer, loadTime = 0) {
  const stored = new Map<string, JsonObject>();
  const watchers = new Map<string, (change: ObjectChange) => void | Promise<void>>();
  const roomMade = new Map<string, () => void>();
  const keyOf = (object: JsonObject) => `${object["kind"]} ${nameOf(object)}`;
  const collections: Collections = {
    watch(path, changed, { leftOutChanged } = {}) {
      watchers.set(path, changed);
      if (leftOutChanged !== undefined) roomMade.set(path, leftOutChanged);
      return {
        objects: () => [...stored.values()].filter((each) => paths[each["kind"] as string] === path),
        synced: Promise.resolve(),
        close: () => Promise.resolve(),
        get leftOut() {
          return leftOut[path];
        },
      };
    },
  };
  let changes = 0;
  const events: string[] = [];
  const objects = new PolicyObjects({
    collections,
    exceptionNamespace: "*",
    after: timer?.after ?? ((_, task) => task()),
    ...(timer !== undefined && { now: timer.now }),
    async changed() {
      changes++;
      events.push(`${timer?.now()}: all but what is gone`);
      if (loadTime > 0) await new Promise<void>((resolve) => timer?.after(loadTime, resolve));
    },
    deleted(documents) {
      for (const { value } of documents) {
        events.push(`${timer?.now()}: without ${nameOf(value as JsonObject)}`);
      }
    },
  });
  const notify = (key: string, object: JsonObject | undefined): void => {
    const former = stored.get(key);
    if (object === undefined) stored.delete(key);
    else stored.set(key, object);
    void watchers.get(paths[key.split(" ")[0]!]!)!({ object, former });
  };
  return {
    objects,
    put: (object: JsonObject) => notify(keyOf(object), object),
    remove: (object: JsonObject) => notify(keyOf(object), undefined),
    changes: () => changes,
    makeRoom: (path: string) => roomMade.get(path)!(),
    /** The notifications since the last call. */
    events: () => events.splice(0),
  };
}

Deno.test("an object keeps its document when only its status changes", async () => {
  const { objects, put, changes } = setUp();
  put(policy("a", "1"));
  put(policy("b", "2"));
  await turn();
  const [a, b] = objects.documents(), former = objects.stored();
  put(policy("a", "3", { status: { conditions: [] } }));
  put(policy("a", "4", { status: { conditions: [], autogen: {} } }));
  assert.deepEqual(objects.documents().map((each) => each === a || each === b), [true, true]);
  assert.equal(changes(), 2, "a status is no change of a policy");
  // To review a policy, Postern adds up the weights of all stored ones: a new status must not make it weigh one again.
  assert.ok(objects.stored().every((each) => former.includes(each)));
  put(policy("a", "5", { spec: { background: false, rules: [] } }));
  const [changed, kept] = objects.documents();
  assert.notEqual(changed, a);
  assert.equal(kept, b);
  await turn();
  assert.equal(changes(), 3);
});

Deno.test("when policies take too much memory, a policy that denies everything replaces them", () => {
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

Deno.test("a denial ends when the left-out objects are deleted", () => {
  const path = "/apis/kyverno.io/v1/policies";
  const leftOut: Record<string, LeftOutObjects> = {
    [path]: { message: "too much", namespaces: new Set(["a"]) },
  };
  const { objects, makeRoom, changes } = setUp(leftOut);
  assert.equal(objects.documents().length, 1);
  delete leftOut[path];
  makeRoom(path);
  assert.equal(changes(), 1);
  assert.deepEqual(objects.documents(), []);
});

Deno.test("no further object is kept in a namespace with left-out objects", () => {
  const message = "too much";
  const { objects } = setUp({ "/apis/kyverno.io/v1/policies": { message, namespaces: new Set(["a"]) } });
  assert.equal(objects.lackOfMemory("a"), "too much: delete some, or give Postern a larger memory limit");
  assert.equal(objects.lackOfMemory("b"), undefined);
  const many = setUp({ "/apis/kyverno.io/v1/policies": { message, namespaces: undefined } }).objects;
  assert.match(many.lackOfMemory("b") ?? "", /^too much/);
});

Deno.test("a policy with the name of a denial does not replace it", () => {
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

const exception: JsonObject = {
  apiVersion: "kyverno.io/v2",
  kind: "PolicyException",
  metadata: { name: "e", namespace: "n", resourceVersion: "1" },
  spec: { exceptions: [] },
};

Deno.test("a deleted policy is out of force at once, a deleted exception with the next load", async () => {
  const timer = new ManualTimer();
  const { put, remove, events } = setUp({}, timer);
  for (const name of ["a", "b", "c"]) put(policy(name, "1"));
  put(exception);
  await timer.pass(1_000);
  events();
  remove(exception);
  await timer.pass(10);
  remove(policy("b", "1"));
  await timer.pass(5);
  put(policy("c", "2", {
    metadata: { name: "c", resourceVersion: "2", deletionTimestamp: "2026-01-01T00:00:00Z" },
  }));
  await timer.pass(100);
  assert.deepEqual(events(), [
    "1000: all but what is gone",
    "1010: without b",
    "1015: without c",
    "1060: all but what is gone",
  ]);
  await timer.pass(100);
  remove(policy("a", "1"));
  assert.deepEqual(events(), ["1215: without a"], "before the next request is read");
  await timer.pass(100);
  assert.deepEqual(events(), ["1215: all but what is gone"], "a load leaves out what is gone, too");
});

/** Policies that are written, and another one that is deleted after them; the milliseconds until it is out of force. */
const replacements: readonly (readonly [
  what: string,
  written: readonly JsonObject[],
  deleted: JsonObject,
  after: number,
])[] = [
  ["a policy that replaces it", [policy("b", "1")], policy("a", "1"), 50],
  ["policies of namespaces that replace it", [ofNamespace("b", "n")], policy("a", "1"), 50],
  ["a policy of the cluster that replaces it", [policy("b", "1")], ofNamespace("a", "n"), 50],
  ["a policy of its namespace that replaces it", [ofNamespace("b", "n")], ofNamespace("a", "n"), 50],
  ["a policy of another namespace", [ofNamespace("b", "m")], ofNamespace("a", "n"), 0],
  ["an exception", [exception], policy("a", "1"), 0],
  ["nothing", [], policy("a", "1"), 0],
];

for (const [what, written, deleted, after] of replacements) {
  const text = after === 0 ? "is out of force at once" : "stays in force until the other one is";
  for (const isLoading of [false, true]) {
    const when = isLoading ? "while it is loaded" : "before it is loaded";
    Deno.test(`a policy that is deleted after ${what} was written ${text}: ${when}`, async () => {
      const timer = new ManualTimer();
      const { put, remove, events } = setUp({}, timer, 50);
      put(deleted);
      await timer.pass(1_000);
      events();
      for (const each of written) put(each);
      if (isLoading) await timer.pass(20);
      remove(deleted);
      await timer.pass(49);
      const early = isLoading ? 1_020 : 1_000;
      const removal = `${after === 0 ? early : 1_050}: without a`;
      const removed = events().filter((event) => event.endsWith("without a"));
      await timer.pass(1);
      removed.push(...events().filter((event) => event.endsWith("without a")));
      // A load that begins after the deletion leaves the policy out.
      assert.deepEqual(removed, after > 0 && !isLoading ? [] : [removal]);
    });
  }
}

Deno.test("while changes continue, each comes into force soon", async () => {
  const timer = new ManualTimer();
  const { put, events } = setUp({}, timer);
  for (let version = 0; version < 500; version++) {
    put(policy("a", `${version}`, { spec: { rules: [], number: version } }));
    await timer.pass(20);
  }
  const times = events().map((event) => parseInt(event));
  assert.ok(times.length > 100);
  const waits = times.slice(1).map((time, index) => time - times[index]!);
  assert.ok(Math.max(...waits) <= 80, `one waited for ${Math.max(...waits)} ms`);
});

for (const [loadTime, least, most] of [[20, 200, 300], [150, 1_500, 1_700], [3_000, 2_000, 2_100]] as const) {
  Deno.test(`loads that take ${loadTime} ms leave ${least} ms for requests, however often a policy changes`, async () => {
    const timer = new ManualTimer();
    const { put, events } = setUp({}, timer, loadTime);
    for (let version = 0; version < 1_000; version++) {
      put(policy("a", `${version}`, { spec: { rules: [], number: version } }));
      await timer.pass(20);
    }
    const times = events().map((event) => parseInt(event));
    const rests = times.slice(1).map((time, index) => time - times[index]! - loadTime);
    assert.ok(rests.length > 2);
    assert.ok(Math.min(...rests) >= least && Math.max(...rests) <= most, rests.join(" "));
  });
}

Deno.test("a paced task rests longer when it costs more", async () => {
  const timer = new ManualTimer(), runs: number[] = [];
  const task = new PacedTask({
    after: timer.after,
    now: timer.now,
    rest: (took) => 3 * took,
    run() {
      runs.push(timer.now());
      return new Promise((resolve) => timer.after(10, resolve));
    },
  });
  for (let at = 0; at < 140; at += 5) {
    task.request();
    await timer.pass(5);
  }
  assert.deepEqual(runs, [0, 40, 80, 120]);
});

for (const status of [401, 429, 500, 502, 503, 504, undefined]) {
  Deno.test(`policies are incomplete while the API server does not list them: ${status ?? "no answer"}`, async () => {
    const clock = systemClock(), entropy = countingEntropy();
    const cluster = new EmbeddedCluster({ objects: [policy("p", "1")], clock, entropy });
    let failures = 1;
    const collections = new LiveCollections({
      cluster: {
        call: (call) =>
          call.path.startsWith(paths["ClusterPolicy"]!) && failures-- > 0
            ? Promise.resolve({ ok: false, status, message: "failed" })
            : cluster.call(call),
        resource: (...type) => cluster.resource(...type),
        follow: () => Promise.resolve({ ok: false, status: 403, message: "no watches here" }),
      },
      clock,
      entropy,
    });
    const objects = new PolicyObjects({
      collections,
      exceptionNamespace: "*",
      changed: () => {},
      deleted: () => {},
      after: () => {},
    });
    await objects.ready();
    assert.deepEqual(objects.all().map(({ object }) => nameOf(object)), ["p"]);
    await objects.close();
  });
}
