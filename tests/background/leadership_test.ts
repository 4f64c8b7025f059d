/** One leader among replicas, by a Lease; time is made here. */
import assert from "node:assert/strict";
import { dig } from "../../lib/json/mod.ts";
import type { Cluster } from "../../lib/ports.ts";
import { leaderAndOthers, type Replica, replicas } from "./leadership_setting.ts";

const path = "/apis/coordination.k8s.io/v1/namespaces/postern/leases/postern";

Deno.test("one of two replicas becomes the leader and stays it", async () => {
  const { time, start, cluster } = replicas();
  const both = [start("a"), start("b")];
  await time.pass(60, () => assert.ok(both.filter(({ leadership }) => leadership.leads).length <= 1));
  assert.deepEqual(both.map(({ leadership }) => leadership.leads).sort(), [false, true]);
  assert.deepEqual(both.map(({ elections }) => elections).sort(), [0, 1]);
  const lease = await cluster.call({ method: "GET", path });
  assert.equal(lease.ok && dig(lease.body, "spec", "leaseTransitions"), 0);
  await Promise.all(both.map(({ leadership }) => leadership.close()));
});

Deno.test("a leader that is cut off stops before another one starts, within 15 seconds", async () => {
  const { time, first, others } = await leaderAndOthers("b");
  const [second] = others as [Replica];
  await time.pass(20);
  assert.deepEqual([first.leadership.leads, second.leadership.leads], [true, false]);
  first.cut = true;
  const cutAt = time.now();
  let seconds = 0;
  await time.pass(30, () => {
    assert.ok(!(first.leadership.leads && second.leadership.leads), "never both");
    if (!second.leadership.leads) seconds += 0.5;
  });
  assert.ok(second.leadership.leads && seconds < 15, `after ${seconds} s`);
  // It looks every two seconds.
  assert.ok(second.since !== undefined && Math.abs(second.since - cutAt) <= 2_500);
  first.cut = false;
  await time.pass(20);
  assert.deepEqual([first.leadership.leads, second.leadership.leads], [false, true]);
  await Promise.all([first.leadership.close(), second.leadership.close()]);
});

for (const skew of [-60_000, 60_000]) {
  Deno.test(`replicas whose clocks differ by ${skew / 1_000} s lead one after the other, and use the API server's time`, async () => {
    const { time, start } = replicas();
    const first = start("a");
    await time.pass(5);
    const second = start("b", { clock: { now: () => time.now() + skew } });
    const never = () => assert.ok(!(first.leadership.leads && second.leadership.leads), "never both");
    await time.pass(20, never);
    assert.ok(first.leadership.leads);
    first.cut = true;
    const cutAt = time.now();
    await time.pass(15, never);
    assert.ok(second.leadership.leads);
    assert.ok(Math.abs(second.leadership.apiServerTime - time.now()) <= 1_000);
    assert.ok(second.since !== undefined && Math.abs(second.since - cutAt) <= 3_500);
    first.cut = false;
    await time.pass(20, never);
    await Promise.all([first.leadership.close(), second.leadership.close()]);
  });
}

for (const jump of [-3_600_000, 3_600_000]) {
  Deno.test(`a system clock that is set by ${jump / 1_000} s neither makes a leader nor keeps one`, async () => {
    const { time, start } = replicas();
    let set = 0;
    const clock = { now: () => time.now() + set, elapsed: () => time.now() };
    const first = start("a", { clock });
    await time.pass(5);
    const second = start("b", { clock });
    await time.pass(5);
    set = jump;
    await time.pass(
      5,
      () => assert.deepEqual([first.leadership.leads, second.leadership.leads], [true, false]),
    );
    first.cut = true;
    set = 2 * jump;
    await time.pass(20, () => assert.ok(!(first.leadership.leads && second.leadership.leads), "never both"));
    assert.ok(second.leadership.leads);
    assert.ok(Math.abs(second.leadership.apiServerTime - time.now()) <= 1_000);
    await Promise.all([first.leadership.close(), second.leadership.close()]);
  });
}

Deno.test("a leader that stops releases the lease, with its notes", async () => {
  const { time, first, others } = await leaderAndOthers("b");
  const [second] = others as [Replica];
  await time.pass(5);
  first.leadership.note({ "postern.dev/x": "noted" });
  await time.pass(3);
  await first.leadership.close();
  await time.pass(3);
  assert.equal(second.leadership.leads, true);
  assert.equal(second.since, undefined, "nobody was lost");
  assert.equal(second.leadership.notes["postern.dev/x"], "noted");
  await second.leadership.close();
});

const slowWrites:
  readonly (readonly [what: string, writes: { lostAnswers?: number; writesTake?: number }])[] = [
    ["whose answers are lost", { lostAnswers: 2 }],
    ["that take longer than the leadership that they begin", { writesTake: 7_000 }],
  ];
for (const [what, writes] of slowWrites) {
  Deno.test(`a new leader learns that the former one was killed in spite of writes of the Lease ${what}`, async () => {
    const { time, first, others } = await leaderAndOthers("b");
    const [second] = others as [Replica];
    await time.pass(5);
    first.cut = true;
    const cutAt = time.now();
    Object.assign(second, writes);
    await time.pass(17);
    second.writesTake = 0;
    await time.pass(10);
    assert.ok(second.leadership.leads);
    assert.equal(second.elections, 1);
    assert.ok(second.since !== undefined && Math.abs(second.since - cutAt) <= 2_500);
    await Promise.all([first.leadership.close(), second.leadership.close()]);
  });
}

Deno.test("a leader whose write of the Lease has no answer looks for what other replicas noted there", async () => {
  const { time, first, others } = await leaderAndOthers("b", "c");
  const [second, third] = others as [Replica, Replica];
  third.longestWait = 300;
  await time.pass(5);
  third.cut = true;
  await time.pass(6);
  second.leadership.missed(7);
  // The notes go with these writes.
  first.lostAnswers = 3;
  await time.pass(20);
  assert.ok(first.leadership.leads);
  assert.equal(first.lost.length, 1);
  assert.deepEqual([...new Set(first.missed)], [7]);
  await Promise.all([first, second, third].map(({ leadership }) => leadership.close()));
});

Deno.test("a replica whose election has no answer leaves to the next leader what the killed one left", async () => {
  const { time, start, first, others } = await leaderAndOthers("b");
  const [second] = others as [Replica];
  await time.pass(5);
  first.cut = true;
  const cutAt = time.now();
  second.lostAnswers = 1;
  await time.pass(9);
  // It is in the Lease without knowing it, and is cut off in turn.
  second.cut = true;
  const third = start("c");
  await time.pass(20);
  assert.ok(third.leadership.leads);
  second.cut = false;
  await time.pass(6);
  assert.equal(second.elections, 0);
  assert.ok(third.missed.some((since) => since < cutAt), "it hands over what it knows");
  await Promise.all([first, second, third].map(({ leadership }) => leadership.close()));
});

Deno.test("the time since when a replica missed effects reaches the leader within seconds, and elects nobody", async () => {
  const { time, cluster, first, others } = await leaderAndOthers("b", "c");
  const [second, third] = others as [Replica, Replica];
  await time.pass(5);
  const since = time.now() - 60_000;
  second.leadership.missed(since + 1);
  third.leadership.missed(since);
  await time.pass(6);
  assert.equal(Math.min(...first.missed), since);
  await time.pass(20);
  assert.ok(first.missed.length <= 2);
  assert.deepEqual([second.missed, third.missed], [[], []]);
  assert.deepEqual([first, second, third].map(({ elections }) => elections), [1, 0, 0]);
  const lease = await cluster.call({ method: "GET", path });
  assert.ok(lease.ok && !JSON.stringify(lease.body).includes("effects-missed-since"));
  await Promise.all([first, second, third].map(({ leadership }) => leadership.close()));
});

Deno.test("what a replica missed does not hide that the leader was lost", async () => {
  const { time, first, others } = await leaderAndOthers("b");
  const [second] = others as [Replica];
  await time.pass(5);
  first.cut = true;
  const cutAt = time.now();
  await time.pass(7);
  second.leadership.missed(7);
  await time.pass(4);
  assert.ok(second.leadership.leads);
  assert.ok(second.since !== undefined && Math.abs(second.since - cutAt) <= 2_500);
  assert.deepEqual(second.missed, [7]);
  await Promise.all([first.leadership.close(), second.leadership.close()]);
});

Deno.test("the leader learns since when effects waited on a replica that was killed", async () => {
  const { time, cluster, first, others } = await leaderAndOthers("b", "c");
  const [second, third] = others as [Replica, Replica];
  await time.pass(5);
  const notes = async (): Promise<string> => {
    const lease = await cluster.call({ method: "GET", path });
    return JSON.stringify(lease.ok ? lease.body : "");
  };
  second.longestWait = third.longestWait = 300;
  const since = time.now() - 300;
  second.leadership.waits();
  await time.pass(1);
  assert.match(await notes(), /effects-wait-b/, "at once");
  await time.pass(20);
  assert.match(await notes(), /effects-wait-c/, "with the next look");
  assert.deepEqual([first.lost, second.lost, third.lost], [[], [], []], "the notes are renewed");
  third.longestWait = undefined;
  await time.pass(3);
  assert.doesNotMatch(await notes(), /effects-wait-c/, "nothing waits any more");
  const cutAt = time.now();
  second.cut = true;
  await time.pass(20);
  assert.equal(first.lost.length, 1);
  assert.ok(first.lost[0]! >= since && first.lost[0]! <= cutAt);
  assert.doesNotMatch(await notes(), /effects-wait/);
  assert.deepEqual([first, second, third].map(({ elections }) => elections), [1, 0, 0]);
  second.cut = false;
  await time.pass(5);
  assert.match(await notes(), /effects-wait-b/, "it was only cut off");
  second.longestWait = undefined;
  await second.leadership.close();
  assert.doesNotMatch(await notes(), /effects-wait/, "it ended");
  await Promise.all([first.leadership.close(), third.leadership.close()]);
});

Deno.test("a new leader learns since when effects waited on a replica that was killed with the former leader", async () => {
  const { time, first, others } = await leaderAndOthers("b", "c");
  const [second, third] = others as [Replica, Replica];
  second.longestWait = 300;
  await time.pass(5);
  first.cut = second.cut = true;
  await time.pass(30);
  assert.ok(third.leadership.leads);
  assert.equal(third.lost.length, 1);
  await Promise.all([first, second, third].map(({ leadership }) => leadership.close()));
});

Deno.test("a replica on which effects wait removes its note when it leads", async () => {
  const { time, cluster, first, others } = await leaderAndOthers("b");
  const [second] = others as [Replica];
  second.longestWait = 300;
  await time.pass(5);
  await first.leadership.close();
  await time.pass(12);
  assert.ok(second.leadership.leads);
  assert.deepEqual(second.lost, []);
  const lease = await cluster.call({ method: "GET", path });
  assert.ok(lease.ok && !JSON.stringify(lease.body).includes("effects-wait"));
  await second.leadership.close();
});

const ends: readonly (readonly [what: string, leads: boolean])[] = [["leads", true], [
  "does not lead",
  false,
]];
for (const [what, leads] of ends) {
  Deno.test(`a replica that ${what} leaves the time since when it missed effects when it ends`, async () => {
    const { time, first, others } = await leaderAndOthers("b");
    const [second] = others as [Replica];
    await time.pass(5);
    const [ending, staying] = leads ? [first, second] : [second, first];
    const closing = ending.leadership.close();
    ending.leadership.missed(5);
    await closing;
    await time.pass(5);
    assert.deepEqual([ending.missed, staying.missed], [[], [5]]);
    await staying.leadership.close();
  });
}

Deno.test("without the right to a lease a replica leads, and reports why", async () => {
  const { time, start, cluster } = replicas();
  const forbidden: Cluster = {
    call: () => Promise.resolve({ ok: false, status: 403, message: "forbidden" }),
    resource: (...type) => cluster.resource(...type),
  };
  const replica = start("a", { cluster: forbidden });
  await time.pass(5);
  assert.equal(replica.leadership.leads, true);
  assert.deepEqual(replica.log.lines, [
    "warn every replica leads, as the Lease can neither be read nor made: apply the manifests again",
    "info this replica leads",
  ]);
  await replica.leadership.close();
});
