/** The cache: shared loads, age, bytes. */
import assert from "node:assert/strict";
import { Cache } from "../../lib/adapters/mod.ts";
import { fixedClock } from "./fakes.ts";

function trial(options: { ttl?: number; maxBytes?: number } = {}) {
  const clock = fixedClock();
  const loads: string[] = [];
  const cache = new Cache<string>({
    clock,
    ttl: () => options.ttl ?? 100,
    sizeOf: (value) => value.length,
    maxBytes: options.maxBytes ?? 1_000,
  });
  const load = (value: string) => () => {
    loads.push(value);
    return Promise.resolve(value);
  };
  return { clock, cache, loads, load };
}

Deno.test("cache: a value is loaded once while it is fresh, and again when it is not", async () => {
  const { clock, cache, loads, load } = trial();
  await cache.get("k", load("a"));
  clock.advance(99);
  assert.equal(await cache.get("k", load("b")), "a");
  clock.advance(1);
  assert.equal(await cache.get("k", load("c")), "c");
  assert.deepEqual(loads, ["a", "c"]);
});

Deno.test("cache: loads of one key at a time are one load; of several keys they are several", async () => {
  const { cache, loads, load } = trial();
  const values = [cache.get("k", load("a")), cache.get("k", load("b")), cache.get("l", load("c"))];
  assert.deepEqual(await Promise.all(values), ["a", "a", "c"]);
  assert.deepEqual(loads, ["a", "c"]);
});

Deno.test("cache: a load that fails fails for all who wait, and is tried again", async () => {
  const { cache, load } = trial();
  const broken = () => Promise.reject(new Error("no"));
  const both = await Promise.allSettled([cache.get("k", broken), cache.get("k", load("x"))]);
  assert.deepEqual(both.map(({ status }) => status), ["rejected", "rejected"]);
  assert.equal(await cache.get("k", load("a")), "a");
});

Deno.test("cache: above its bytes it drops what was unused for longest", async () => {
  const { cache, loads, load } = trial({ maxBytes: 12 });
  for (const key of ["a", "b", "c"]) await cache.get(key, load("123"));
  await cache.get("a", load("123"));
  assert.equal(cache.bytes, 12);
  await cache.get("d", load("123"));
  assert.deepEqual([cache.size, cache.bytes], [3, 12]);
  loads.length = 0;
  await cache.get("a", load("kept"));
  await cache.get("b", load("again"));
  assert.deepEqual(loads, ["again"]);
});

Deno.test("cache: a value larger than all is used and not kept", async () => {
  const { cache, load } = trial({ maxBytes: 4 });
  assert.equal(await cache.get("k", load("12345")), "12345");
  assert.deepEqual([cache.size, cache.bytes], [0, 0]);
});

Deno.test("cache: without an age a value is only shared while it loads", async () => {
  const { cache, loads, load } = trial({ ttl: 0 });
  await Promise.all([cache.get("k", load("a")), cache.get("k", load("b"))]);
  await cache.get("k", load("c"));
  assert.deepEqual(loads, ["a", "c"]);
});

Deno.test("cache: what was forgotten while it loaded does not come back", async () => {
  const { cache, load } = trial();
  const old = cache.get("k", load("old"));
  cache.forget("k");
  assert.equal(await cache.get("k", load("new")), "new");
  assert.equal(await old, "old");
  assert.equal(await cache.get("k", load("later")), "new");
});
