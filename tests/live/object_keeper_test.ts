/** Objects that Postern keeps in their wanted form, and what it does when somebody deletes them. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { asList, field, type JsonObject } from "../../lib/json/mod.ts";
import { nameOf } from "../../lib/kube/mod.ts";
import { ObjectKeeper } from "../../lib/live/object_keeper.ts";
import { withoutRefused } from "../../lib/live/webhooks/refused_webhooks.ts";
import { configurationPaths } from "../../lib/live/webhooks/configuration_kinds.ts";
import type { Collections, ObjectChange } from "../../lib/ports.ts";
import { countingEntropy, fixedClock } from "../adapters/fakes.ts";
import { silent } from "./setting.ts";

const [kind, path] = ["ValidatingWebhookConfiguration", configurationPaths["ValidatingWebhookConfiguration"]];
const configuration = (name: string): JsonObject => ({ kind, metadata: { name }, webhooks: [] });

type Follow = Parameters<Collections["watch"]>[1];

/** Watched webhook configurations: `followed` gets the follower of their changes, `read` is called at each read. */
function watching(
  stored: ReadonlyMap<string, JsonObject>,
  { followed, read }: { readonly followed: (follow: Follow) => void; readonly read?: () => void },
): Collections {
  return {
    watch(watched, follow) {
      if (watched === path) followed(follow);
      return {
        objects() {
          read?.();
          return watched === path ? [...stored.values()] : [];
        },
        synced: Promise.resolve(),
        close: () => Promise.resolve(),
      };
    },
  };
}

/** A keeper on an API server that stores webhook configurations, with tasks that the test runs. */
function keeping() {
  const stored = new Map<string, JsonObject>(), created: string[] = [];
  const later: (() => void)[] = [];
  let isUnderWay = false;
  let changed: (change: ObjectChange) => void | Promise<void> = () => {};
  const keeper = new ObjectKeeper({
    cluster: {
      call({ method, path, body }) {
        if (method === "POST") {
          stored.set(nameOf(body as JsonObject), body as JsonObject);
          created.push(nameOf(body as JsonObject));
          return Promise.resolve({ ok: true, status: 201, body: body! });
        }
        const found = stored.get(path.split("/").at(-1)!);
        return Promise.resolve(
          found === undefined
            ? { ok: false, status: 404, message: "not found" }
            : { ok: true, status: 200, body: found },
        );
      },
      resource: () => Promise.resolve(undefined),
    },
    collections: watching(stored, { followed: (follow) => changed = follow }),
    log: silent,
    leads: () => true,
    kinds: configurationPaths,
    about: "webhook configuration",
    removal: {
      isUnderWay: () => Promise.resolve(isUnderWay),
      after: (_, task) => void later.push(task),
    },
  });
  const wanted = [configuration("a"), configuration("b")];
  return {
    keep: () => keeper.keep(wanted),
    async remove(name: string) {
      const former = stored.get(name);
      stored.delete(name);
      await changed({ object: undefined, former });
      await keeper.keep(wanted);
    },
    async passTime() {
      for (const task of later.splice(0)) task();
      await keeper.keep(wanted);
    },
    uninstall: () => void (isUnderWay = true),
    /** The names of objects that were created since the last call. */
    created: () => created.splice(0),
  };
}

const webhook: JsonObject = {
  name: "a.b.c",
  clientConfig: { service: { name: "s", namespace: "n" } },
  rules: [],
};
const withDefaults: JsonObject = {
  ...webhook,
  clientConfig: { service: { name: "s", namespace: "n", port: 443 }, caBundle: "YQ==" },
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  timeoutSeconds: 10,
};
const stored: readonly (readonly [what: string, webhook: JsonObject, writes: boolean])[] = [
  ["defaults and an injected caBundle", withDefaults, false],
  ["a selector that is wanted no longer", { ...webhook, objectSelector: { matchLabels: { a: "b" } } }, true],
  ["match conditions that are wanted no longer", {
    ...webhook,
    matchConditions: [{ name: "a", expression: "false" }],
  }, true],
  ["a timeout that is wanted no longer", { ...webhook, timeoutSeconds: 3 }, true],
];
for (const [what, present, writes] of stored) {
  Deno.test(`an object with ${what} is ${writes ? "written" : "left"}`, async () => {
    const object = {
      ...configuration("a"),
      metadata: { name: "a", labels: { by: "others" } },
      webhooks: [present],
    };
    const { keeper, puts } = keepingOne(object);
    await keeper.keep([{ ...configuration("a"), webhooks: [webhook] }]);
    assert.equal(puts(), writes ? 1 : 0);
    await keeper.close();
  });
}

Deno.test("a replica that no longer leads writes no further object, and requests have turns between them", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `c${index}`),
    stored = new Map<string, JsonObject>(),
    written: string[] = [];
  let turns = 0;
  const keeper = new ObjectKeeper({
    cluster: {
      call({ method, body }) {
        if (method === "POST") written.push(nameOf(body as JsonObject));
        return Promise.resolve(
          method === "POST"
            ? { ok: true, status: 201, body: body! }
            : { ok: false, status: 404, message: "" },
        );
      },
      resource: () => Promise.resolve(undefined),
    },
    collections: watching(stored, { followed: () => {} }),
    log: silent,
    // The process was stopped during the write of the tenth object.
    leads: () => written.length < 10,
    scheduler: { sliceMilliseconds: 0, pause: () => Promise.resolve(void turns++) },
    kinds: configurationPaths,
    about: "webhook configuration",
  });
  const kept = await keeper.keep(names.map(configuration));
  // Eight are written at a time.
  assert.ok(written.length < 18, `${written.length} written`);
  assert.deepEqual(
    kept.map(({ state }) => state === "written"),
    names.map((name) => written.includes(name)),
  );
  assert.ok(turns >= names.length, `${turns} turns`);
  await keeper.close();
});

Deno.test("an object to which the API server adds a field is written once", async () => {
  const added = { fieldOfTheFuture: "a" };
  const { keeper, puts } = keepingOne({ ...configuration("a"), webhooks: [{ ...webhook, ...added }] }, added);
  const wanted = [{ ...configuration("a"), webhooks: [webhook] }];
  for (let round = 0; round < 3; round++) await keeper.keep(wanted);
  assert.equal(puts(), 1);
  await keeper.keep([{ ...configuration("a"), webhooks: [{ ...webhook, timeoutSeconds: 3 }] }]);
  assert.equal(puts(), 2);
  await keeper.close();
});

/** A keeper on an API server with one webhook configuration, to whose webhooks it adds fields. */
function keepingOne(object: JsonObject, added: JsonObject = {}) {
  let present = object, puts = 0;
  const keeper = new ObjectKeeper({
    cluster: {
      call({ method, body }) {
        if (method === "PUT") {
          puts++;
          const webhooks = asList(field(body!, "webhooks")).map((each) => ({
            ...(each as JsonObject),
            ...added,
          }));
          present = { ...(body as JsonObject), webhooks };
        }
        return Promise.resolve({ ok: true, status: 200, body: present });
      },
      resource: () => Promise.resolve(undefined),
    },
    collections: {
      watch: (watched) => ({
        objects: () => watched === path ? [present] : [],
        synced: Promise.resolve(),
        close: () => Promise.resolve(),
      }),
    },
    log: silent,
    leads: () => true,
    kinds: configurationPaths,
    about: "webhook configuration",
  });
  return { keeper, puts: () => puts };
}

Deno.test("the keeper creates a deleted webhook configuration again", async () => {
  const { keep, remove, passTime, created } = keeping();
  await keep();
  assert.deepEqual(created(), ["a", "b"]);
  await remove("a");
  await keep();
  assert.deepEqual(created(), [], "the rest of an installation may follow");
  await passTime();
  assert.deepEqual(created(), ["a"]);
  await remove("a");
  await passTime();
  assert.deepEqual(created(), ["a"], "each time");
});

Deno.test("an installation leaves no webhook configuration when its Deployment is deleted last", async () => {
  const { keep, remove, passTime, uninstall, created } = keeping();
  await keep();
  created();
  await remove("a");
  await remove("b");
  uninstall();
  await passTime();
  await passTime();
  assert.deepEqual(created(), []);
});

/** A keeper on an API server that fails for the first so many deletions. */
function failing(deletions: number) {
  const stored = new EmbeddedCluster({ objects: [], clock: fixedClock(), entropy: countingEntropy() });
  let left = deletions;
  const collection = {
    objects: () => [configuration("a"), configuration("b")],
    synced: Promise.resolve(),
    leftOut: undefined,
    close: () => Promise.resolve(),
  };
  const keeper = new ObjectKeeper({
    cluster: {
      call: (call) =>
        call.method === "DELETE" && left-- > 0
          ? Promise.resolve({ ok: false, status: 500, message: "failed" })
          : stored.call(call),
      resource: () => Promise.resolve(undefined),
    },
    // Nothing is written for what is there already.
    collections: { watch: () => collection },
    log: silent,
    leads: () => true,
    kinds: { [kind]: path },
    about: "webhook configuration",
    isMadeByPostern: () => true,
    retryDelay: 1,
  });
  const exists = async (name: string): Promise<boolean> =>
    (await stored.call({ method: "GET", path: `${path}/${name}` })).ok;
  return { keeper, stored, exists };
}

Deno.test("an unwanted object is deleted although its first deletion fails", async () => {
  const { keeper, stored, exists } = failing(2);
  for (const name of ["a", "b"]) {
    const body = { apiVersion: "admissionregistration.k8s.io/v1", ...configuration(name) };
    await stored.call({ method: "POST", path, body });
  }
  await keeper.keep([configuration("a")]);
  assert.ok(await exists("b"));
  for (const until = Date.now() + 10_000; await exists("b") && Date.now() < until;) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.deepEqual([await exists("a"), await exists("b")], [true, false]);
  await keeper.close();
});

Deno.test("the webhooks of an installation are deleted with it although a deletion fails", async () => {
  const { keeper, stored, exists } = failing(1);
  const body = { apiVersion: "admissionregistration.k8s.io/v1", ...configuration("a") };
  await stored.call({ method: "POST", path, body });
  await stored.call({ method: "POST", path, body: { ...body, metadata: { name: "b" } } });
  await keeper.keep([configuration("a"), configuration("b")]);
  await keeper.remove();
  assert.deepEqual([await exists("a"), await exists("b")], [false, false]);
  await keeper.close();
});

Deno.test("a webhook that the API server refuses is left out, and the log says so once", async () => {
  const stored = new EmbeddedCluster({ objects: [], clock: fixedClock(), entropy: countingEntropy() });
  const lines: string[] = [];
  const keeper = new ObjectKeeper({
    cluster: {
      call: (call) =>
        asList(field(call.body ?? null, "webhooks")).some((webhook) => field(webhook, "name") === "bad")
          ? Promise.resolve({ ok: false, status: 422, message: "webhooks[1].rules: Invalid value" })
          : stored.call(call),
      resource: () => Promise.resolve(undefined),
    },
    collections: {
      watch: () => ({ objects: () => [], synced: Promise.resolve(), close: () => Promise.resolve() }),
    },
    log: {
      write: (level, message, fields = {}) =>
        void (level === "error" && lines.push(`${message} ${fields["refused"]}`)),
    },
    leads: () => true,
    kinds: { [kind]: path },
    about: "webhook configuration",
    fallback: withoutRefused,
  });
  const wanted = {
    ...configuration("a"),
    apiVersion: "admissionregistration.k8s.io/v1",
    webhooks: [{ name: "good" }, { name: "bad" }],
  };
  for (let round = 0; round < 5; round++) {
    assert.deepEqual((await keeper.keep([wanted])).map(({ state }) => state), ["failed"]);
  }
  assert.deepEqual(lines, ["webhook configuration not written bad"]);
  const answer = await stored.call({ method: "GET", path: `${path}/a` });
  assert.ok(answer.ok);
  assert.deepEqual(field(answer.body, "webhooks"), [{ name: "good" }]);
  await keeper.close();
});

Deno.test("the work for many kept objects that all change does not grow with the square of their number", async () => {
  const stored = new Map<string, JsonObject>(), count = 300;
  let reads = 0;
  let changed: (change: ObjectChange) => void | Promise<void> = () => {};
  const keeper = new ObjectKeeper({
    cluster: {
      call({ method, body }) {
        if (method === "GET") return Promise.resolve({ ok: false, status: 404, message: "not found" });
        const object = body as JsonObject;
        stored.set(nameOf(object), object);
        void changed({ object, former: undefined });
        return Promise.resolve({ ok: true, status: 201, body: object });
      },
      resource: () => Promise.resolve(undefined),
    },
    collections: watching(stored, { followed: (follow) => changed = follow, read: () => reads++ }),
    log: silent,
    leads: () => true,
    kinds: configurationPaths,
    about: "webhook configuration",
  });
  const wanted = Array.from({ length: count }, (_, index) => configuration(`c${index}`));
  const kept = await keeper.keep(wanted);
  assert.deepEqual([...new Set(kept.map(({ state }) => state))], ["written"]);
  // The rounds that the changes have caused.
  const again = await keeper.keep(wanted);
  assert.deepEqual([...new Set(again.map(({ state }) => state))], ["unchanged"]);
  assert.ok(reads < count, `${reads} reads of all objects`);
  await keeper.close();
});
