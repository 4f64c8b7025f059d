import assert from "node:assert/strict";
import { collectStartGarbage, garbageBound, heapRoom } from "../../lib/heap/mod.ts";

Deno.test("the garbage of the start is collected once, when nothing is evaluated and V8 has gc()", async () => {
  const collections: unknown[] = [];
  const v8Global = globalThis as { gc?: (options: unknown) => void };
  let looks = 0;
  // Three times there are new answers, or objects were scanned.
  const work = () => Math.min(looks++, 3);
  collectStartGarbage(work, 0);
  assert.equal(looks, 0, "there is no gc()");
  v8Global.gc = (options) => collections.push(options);
  try {
    collectStartGarbage(work, 0);
    while (looks < 5) {
      assert.deepEqual(collections, [], "it waits while requests come or objects are scanned");
      await new Promise((resolve) => setTimeout(resolve));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(collections, [{ type: "major", execution: "sync", flavor: "last-resort" }]);
    assert.equal(looks, 5);
  } finally {
    delete v8Global.gc;
  }
});

Deno.test("garbage of long work is collected above half of the heap, when an eighth of it is new", () => {
  const v8Global = globalThis as { gc?: (options: unknown) => void };
  const statistics = { heap_size_limit: 160, used_heap_size: 0, external_memory: 0, resident: 0 };
  let collections = 0, live = 0;
  v8Global.gc = () => {
    collections++;
    statistics.used_heap_size = live;
    statistics.external_memory = 0;
  };
  const rows: readonly (readonly [heap: number, buffers: number, live: number, collections: number])[] = [
    [70, 0, 0, 0],
    [70, 15, 75, 1],
    [90, 0, 75, 1],
    [90, 6, 75, 2],
    // V8 itself has collected meanwhile, so less was kept.
    [30, 0, 30, 2],
    [70, 12, 30, 3],
  ];
  try {
    const collect = garbageBound(() => statistics);
    for (const [heap, buffers, liveThen, expected] of rows) {
      statistics.used_heap_size = heap;
      statistics.external_memory = buffers;
      live = liveThen;
      collect();
      assert.equal(collections, expected, `${heap} and ${buffers}`);
    }
  } finally {
    delete v8Global.gc;
  }
});

Deno.test("pages that V8 keeps empty are given back when the process takes more than 9/8 of the heap's limit", () => {
  const v8Global = globalThis as { gc?: (options: { flavor: string }) => void };
  const statistics = { heap_size_limit: 160, used_heap_size: 0, external_memory: 0, resident: 0 };
  const flavors: string[] = [];
  v8Global.gc = ({ flavor }) => {
    flavors.push(flavor);
    statistics.resident = 175;
  };
  try {
    const collect = garbageBound(() => statistics);
    for (const resident of [179, 180, 184, 186]) {
      statistics.resident = resident;
      collect();
    }
    assert.deepEqual(flavors, ["last-resort", "last-resort"]);
  } finally {
    delete v8Global.gc;
  }
});

Deno.test("the heap has room up to 7/8 of its limit, and garbage is collected before it has none", () => {
  const v8Global = globalThis as { gc?: (options: unknown) => void };
  const statistics = { heap_size_limit: 160, used_heap_size: 150 };
  const hasRoom = heapRoom(() => statistics);
  assert.ok(hasRoom(20), "there is no gc()");
  let collections = 0;
  v8Global.gc = () => {
    collections++;
    statistics.used_heap_size = 130;
  };
  try {
    const rows: readonly (readonly [used: number, bytes: number, room: boolean, collections: number])[] = [
      [100, 40, true, 0],
      [139, 10, true, 1],
      [134, 10, false, 1],
      [135, 11, false, 2],
    ];
    for (const [used, bytes, room, expected] of rows) {
      statistics.used_heap_size = used;
      assert.equal(hasRoom(bytes), room, `${used} and ${bytes}`);
      assert.equal(collections, expected, `${used} and ${bytes}`);
    }
  } finally {
    delete v8Global.gc;
  }
});

Deno.test("the image enables gc() for the garbage of the start", async () => {
  const dockerfile = await Deno.readTextFile(new URL("../../Dockerfile", import.meta.url));
  assert.match(dockerfile, /^ARG V8_FLAGS=.*--expose-gc/m);
});
