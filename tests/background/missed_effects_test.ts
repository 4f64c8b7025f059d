/** The leader looks up what workers had no room for, or what a lost replica left. */
import assert from "node:assert/strict";
import { asObject, type JsonObject } from "../../lib/json/mod.ts";
import { pause } from "../../lib/pause.ts";
import type { Answer, ApiCall } from "../../lib/ports.ts";
import { copy, request, settings, source, synchronized } from "./setting.ts";
import { appending, blue, created, oldSettings, setUp, touching } from "./upkeep_setting.ts";

const missed = [
  ["keeps in step", synchronized],
  ["makes once", synchronized.replaceAll("synchronize: true", "synchronize: false")],
] as const;

for (const [what, text] of missed) {
  Deno.test(`what a rule ${what} is found again when the worker had no room for it`, async () => {
    const { cluster, start } = setUp(text);
    const replica = start({ maxBytes: 4_000, soon: 60_000 });
    await replica.look();
    const reviews = [];
    for (const name of ["blue", "grey", "pink"]) {
      const object = { ...blue, metadata: { ...asObject(blue["metadata"]), name } };
      const made = await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: object });
      assert.ok(made.ok);
      reviews.push(request(made.body as JsonObject));
    }
    assert.deepEqual(reviews.map((review) => replica.worker.add(review)), ["taken", "no room", "no room"]);
    await replica.worker.drain();
    assert.equal(await cluster.read(settings.replace("blue", "pink")), undefined);
    await replica.look();
    for (const name of ["grey", "pink"]) {
      assert.notEqual(await cluster.read(settings.replace("blue", name)), undefined, name);
    }
    assert.equal(await cluster.read(oldSettings), undefined, "only what came since then");
    await replica.close();
  });
}

Deno.test("what the worker of a replica that does not lead had no room for is looked up by the leader", async () => {
  const { cluster, start } = setUp(missed[1][1]);
  const leader = start();
  await leader.look();
  const handedOver: number[] = [];
  const other = start({
    maxBytes: 2_000,
    leads: () => false,
    handOver: (since) => void handedOver.push(since),
  });
  const made = await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: blue });
  assert.ok(made.ok);
  const grey = { ...blue, metadata: { ...asObject(blue["metadata"]), name: "grey" } };
  assert.equal(other.worker.add(request(grey)), "taken");
  assert.equal(other.worker.add(request(made.body as JsonObject)), "no room");
  await other.worker.drain();
  await other.close();
  assert.equal(await cluster.read(settings), undefined);
  for (const since of handedOver) leader.missedSince(since);
  await leader.look();
  assert.notEqual(await cluster.read(settings), undefined);
  assert.equal(handedOver.length, 1);
  await leader.close();
});

Deno.test("a leader that ends hands over what it missed and could not look up", async () => {
  const { cluster, start, ports } = setUp(missed[1][1]);
  const handedOver: number[] = [];
  const leader = start({
    handOver: (since) => void handedOver.push(since),
    wait: () => Promise.resolve(true),
  });
  await leader.look();
  cluster.interfere = ({ path }) =>
    path.startsWith("/api/v1/namespaces?") ? { ok: false, status: 500, message: "failed" } : undefined;
  const since = ports.clock.now();
  leader.missedSince(since);
  await leader.look();
  assert.deepEqual(handedOver, []);
  await leader.close();
  assert.deepEqual(handedOver, [since]);
});

const unanswered: Answer = { ok: false, status: undefined, message: "the request's deadline passed" };

/** Whether something was written into the collection of a path. */
function writtenTo(writes: readonly string[], path: string): boolean {
  return writes.some((write) => write.includes(path.replace(/\/[^/]*$/, "")));
}

const lost = [
  ["what a rule makes once is made when the leader was lost before it did", settings, missed[1][1]],
  ["a target is changed when the leader was lost before it did", source, touching],
] as const;

for (const [what, path, text] of lost) {
  Deno.test(what, async () => {
    const { cluster, start, ports } = setUp(text);
    const first = start();
    await first.look();
    await first.close();
    // Admitted, and stored, by a replica that was killed then.
    const made = await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: blue });
    assert.ok(made.ok);
    cluster.writes.length = 0;
    const second = start();
    await second.look();
    assert.deepEqual(cluster.writes, []);
    second.replicaLost(ports.clock.now());
    await second.look();
    assert.ok(writtenTo(cluster.writes, path));
    assert.equal(await cluster.read(oldSettings), undefined, "only what came since then");
    cluster.writes.length = 0;
    await second.look();
    assert.deepEqual(cluster.writes, [], "once");
    await second.close();
  });
}

const cuts: readonly (readonly [what: string, cut: (call: ApiCall) => Promise<Answer> | undefined])[] = [
  [
    "while it lists objects",
    ({ path, signal }) =>
      path.startsWith("/api/v1/namespaces?")
        ? new Promise((resolve) => signal!.addEventListener("abort", () => resolve(unanswered)))
        : undefined,
  ],
  ["between two rules", () => undefined],
  ["with an exception", ({ path }) => {
    if (path.startsWith("/api/v1/namespaces?")) throw new Error("a bug");
    return undefined;
  }],
];
for (const [what, cut] of cuts) {
  Deno.test(`a comparison that broke off ${what} goes on, because this replica leads again`, async () => {
    const { cluster, start, ports } = setUp(missed[1][1]);
    let leads = true;
    const replica = start({ leads: () => leads, resume: 1, wait: () => Promise.resolve(false) });
    await replica.look();
    assert.ok((await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body: blue })).ok);
    const call = cluster.call.bind(cluster);
    cluster.call = (made) => {
      leads = what === "with an exception";
      return cut(made) ?? call(made);
    };
    replica.replicaLost(ports.clock.now());
    await replica.done();
    await replica.worker.drain();
    assert.ok(!await cluster.read(settings) || !await cluster.read(copy));
    cluster.call = call;
    leads = true;
    const isMade = async () => await cluster.read(settings) && await cluster.read(copy);
    for (let tries = 0; tries < 2_000 && !await isMade(); tries++) await pause(5);
    assert.ok(await isMade());
    await replica.close();
  });
}

Deno.test("a replica that does not lead any more hands over since when another was lost", async () => {
  const { start, ports } = setUp();
  const handedOver: number[] = [];
  const replica = start({ leads: () => false, handOver: (since) => void handedOver.push(since) });
  const since = ports.clock.now();
  replica.replicaLost(since);
  await replica.done();
  assert.deepEqual(handedOver, [since - 60_000]);
  await replica.close();
});

const unseen = [
  ["generates", synchronized.replaceAll("synchronize: true", "synchronize: false"), settings],
  ["changes", appending, source.replace("regcred", "blue")],
] as const;

for (const [what, text, path] of unseen) {
  Deno.test(`what a rule ${what} is looked up again, for the missed time alone, when the lists failed for a minute`, async () => {
    const { cluster, start } = setUp(text);
    const replica = start({ maxBytes: 4_000, soon: 60_000, wait: () => Promise.resolve(true) });
    await replica.look();
    const reviews = [await created(cluster, "grey"), await created(cluster, "blue")];
    assert.deepEqual(reviews.map((review) => replica.worker.add(review)), ["taken", "no room"]);
    await replica.worker.drain();
    cluster.writes.length = 0;
    cluster.interfere = ({ path }) =>
      path.startsWith("/api/v1/namespaces?") ? { ok: false, status: 500, message: "failed" } : undefined;
    await replica.look();
    await replica.look();
    assert.equal(cluster.writes.length, 0);
    cluster.interfere = () => undefined;
    // Time passes: what is created now has its request, and is not looked up.
    for (let second = 0; second < 200; second++) await created(cluster, `later-${second}`);
    cluster.writes.length = 0;
    await replica.look();
    assert.ok(cluster.writes.some((write) => write.includes("blue")) && writtenTo(cluster.writes, path));
    assert.ok(!cluster.writes.some((write) => write.includes("later-199")));
    cluster.writes.length = 0;
    await replica.look();
    assert.deepEqual(cluster.writes, [], "once");
    await replica.close();
  });
}
