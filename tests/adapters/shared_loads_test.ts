/** Shared loads: one at a time, age, bytes. */
import assert from "node:assert/strict";
import { SharedLoads } from "../../lib/adapters/shared_loads.ts";
import { fixedClock } from "./fakes.ts";

function trial(options: { ttl?: number; maxBytes?: number } = {}) {
  const clock = fixedClock();
  const loads: string[] = [];
  const cache = new SharedLoads<string>({
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

Deno.test("shared loads: a value is loaded once while it is fresh, and again afterwards", async () => {
  const { clock, cache, loads, load } = trial();
  await cache.get("k", load("a"));
  clock.advance(99);
  assert.equal(await cache.get("k", load("b")), "a");
  clock.advance(1);
  assert.equal(await cache.get("k", load("c")), "c");
  assert.deepEqual(loads, ["a", "c"]);
});

Deno.test("shared loads: simultaneous loads of one key are one load; those of several keys are several", async () => {
  const { cache, loads, load } = trial();
  const values = [cache.get("k", load("a")), cache.get("k", load("b")), cache.get("l", load("c"))];
  assert.deepEqual(await Promise.all(values), ["a", "a", "c"]);
  assert.deepEqual(loads, ["a", "c"]);
});

Deno.test("shared loads: a failed load fails for all who wait, and is tried again", async () => {
  const { cache, load } = trial();
  const broken = () => Promise.reject(new Error("no"));
  const both = await Promise.allSettled([cache.get("k", broken), cache.get("k", load("x"))]);
  assert.deepEqual(both.map(({ status }) => status), ["rejected", "rejected"]);
  assert.equal(await cache.get("k", load("a")), "a");
});

Deno.test("shared loads: above its bytes the cache drops the values unused for longest", async () => {
  const { cache, loads, load } = trial({ maxBytes: 16 });
  // Two values of 3 bytes, with a key of 1 each, fill one half.
  for (const key of ["a", "b", "c"]) await cache.get(key, load("123"));
  await cache.get("a", load("123"));
  await cache.get("d", load("123"));
  loads.length = 0;
  await cache.get("a", load("kept"));
  await cache.get("b", load("again"));
  assert.deepEqual(loads, ["again"]);
});

Deno.test("shared loads: a value larger than the cache is used and not cached", async () => {
  const { cache, loads, load } = trial({ maxBytes: 5 });
  assert.equal(await cache.get("k", load("12345")), "12345");
  assert.equal(await cache.get("k", load("1234")), "1234");
  assert.equal(await cache.get("k", load("123")), "1234");
  assert.deepEqual(loads, ["12345", "1234"]);
});

Deno.test("shared loads: without an age a value is only shared while it loads", async () => {
  const { cache, loads, load } = trial({ ttl: 0 });
  await Promise.all([cache.get("k", load("a")), cache.get("k", load("b"))]);
  await cache.get("k", load("c"));
  assert.deepEqual(loads, ["a", "c"]);
});

Deno.test("shared loads: a value that is removed while it loads is not cached", async () => {
  const { cache, load } = trial();
  const old = cache.get("k", load("old"));
  cache.forget("k");
  assert.equal(await cache.get("k", load("new")), "new");
  assert.equal(await old, "old");
  assert.equal(await cache.get("k", load("later")), "new");
});
