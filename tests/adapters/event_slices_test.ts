/** Events of watches: long ones in stages, and others have their turn between many. */
import assert from "node:assert/strict";
import { LiveCollections } from "../../lib/adapters/mod.ts";
import { EventSlices } from "../../lib/adapters/event_slices.ts";
import { sharedHeapSize } from "../../lib/json/mod.ts";
import type { Scheduler } from "../../lib/ports.ts";
import { countingEntropy, fixedClock } from "./fakes.ts";

/** A scheduler that counts pauses; with slices of no time, each stage ends in one. */
function countingScheduler(sliceMilliseconds: number): Scheduler & { pauses: number } {
  const scheduler = {
    sliceMilliseconds,
    pauses: 0,
    pause: () => Promise.resolve(void scheduler.pauses++),
  };
  return scheduler;
}

const dense = JSON.stringify({ type: "ADDED", object: { spec: Array(300_000).fill({}) } });

Deno.test("a long event is parsed and measured in stages, and is the same value", async () => {
  const scheduler = countingScheduler(0), slices = new EventSlices({ clock: fixedClock(), scheduler });
  const event = await slices.parse(dense);
  assert.ok(scheduler.pauses >= 6, String(scheduler.pauses));
  assert.deepEqual(event, JSON.parse(dense));
  const before = scheduler.pauses;
  assert.equal(await slices.bytesOf(event, dense.length), sharedHeapSize(event));
  assert.ok(scheduler.pauses - before >= 14, String(scheduler.pauses - before));
});

Deno.test("a short event is parsed at once; one that is no JSON throws, however long", async () => {
  const slices = new EventSlices({ clock: fixedClock(), scheduler: countingScheduler(0) });
  assert.deepEqual(slices.parse('{"a":1}'), { a: 1 });
  assert.equal(slices.bytesOf({ a: 1 }, 7), undefined);
  assert.throws(() => slices.parse("{"), SyntaxError);
  await assert.rejects(async () => await slices.parse(`${dense}}`), SyntaxError);
});

Deno.test("others have their turn after each slice of events and of listed objects", async () => {
  const clock = fixedClock(), scheduler = countingScheduler(10);
  const object = (name: number) => ({
    metadata: { name: `n${name}`, namespace: "a", resourceVersion: `${name}` },
  });
  const type = { kind: "Thing", apiVersion: "x.io/v1" };
  const items = Array.from({ length: 20 }, (_, at) => object(at));
  const lines = Array.from(
    { length: 20 },
    (_, at) => JSON.stringify({ type: "ADDED", object: { ...type, ...object(100 + at) } }),
  );
  const seen = Promise.withResolvers<void>();
  let changes = 0;
  const collections = new LiveCollections({
    clock,
    entropy: countingEntropy(),
    scheduler,
    cluster: {
      call: () =>
        Promise.resolve({
          ok: true,
          status: 200,
          body: { kind: "ThingList", apiVersion: "x.io/v1", metadata: { resourceVersion: "1" }, items },
        }),
      follow: () =>
        Promise.resolve({
          ok: true,
          lines: (async function* () {
            yield* lines;
          })(),
        }),
      resource: () => Promise.resolve(undefined),
    },
  });
  // Each object takes its listener five milliseconds.
  const collection = collections.watch("/apis/x.io/v1/things", () => {
    clock.advance(5);
    if (++changes === 40) seen.resolve();
  });
  await seen.promise;
  assert.equal(collection.objects().length, 40);
  assert.ok(scheduler.pauses >= 18 && scheduler.pauses <= 20, String(scheduler.pauses));
  await collection.close();
});
