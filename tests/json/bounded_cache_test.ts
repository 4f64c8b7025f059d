/** The cache: how much it keeps, and what it drops. */
import assert from "node:assert/strict";
import { BoundedCache } from "../../lib/json/mod.ts";

/** Values are set in this order, each a key and what the value weighs; the keys that are found afterwards, in order. */
const cases: readonly [title: string, size: number, values: readonly string[], found: string][] = [
  ["keeps values that fit", 4, ["a1", "b1", "c1"], "abc"],
  ["drops the half that was not read for longest", 4, ["a1", "b1", "c1", "d1", "e1"], "cde"],
  ["does not keep a value that weighs more than all", 4, ["a1", "b5"], "a"],
  ["drops all others for a value of more than half", 4, ["a1", "b3"], "b"],
  ["drops a value of more than half for the next one", 4, ["b3", "a1"], "a"],
  ["drops a value when its replacement is too heavy", 4, ["a1", "a5"], ""],
];

for (const [title, size, values, found] of cases) {
  Deno.test(`a bounded cache ${title}`, () => {
    const cache = new BoundedCache<string>(size, (weight) => Number(weight));
    for (const value of values) cache.set(value[0]!, value.slice(1));
    assert.equal([..."abcde"].filter((key) => cache.get(key) !== undefined).join(""), found);
  });
}

Deno.test("a bounded cache keeps a value that is read often", () => {
  const cache = new BoundedCache<number>(4);
  cache.set("kept", 1);
  for (let key = 0; key < 100; key++) {
    cache.set(String(key), key);
    assert.equal(cache.get("kept"), 1);
  }
});
