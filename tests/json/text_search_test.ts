/** Texts in texts: as the runtime finds them, in linear time. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { TextSearch } from "../../lib/json/mod.ts";

const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 400 }),
  fc.string({ unit: fc.constantFrom("a", "\u{1f600}", "\ud83d"), maxLength: 200 }),
);

Deno.test("TextSearch finds any text where the runtime finds it", () => {
  const cases = fc.tuple(texts, fc.nat(300), fc.integer({ min: 1, max: 120 }), fc.nat(420), fc.boolean());
  fc.assert(
    fc.property(cases, ([other, start, length, from, isPart]) => {
      const part = other.slice(start, start + length);
      const text = isPart && part !== "" ? part : "ab".repeat(length).slice(0, length);
      const search = new TextSearch(text);
      assert.equal(search.positionIn(other, from), other.indexOf(text, from));
      assert.equal(search.positionIn(other), other.indexOf(text));
      assert.equal(search.lastPositionIn(other, from), other.lastIndexOf(text, from));
      assert.deepEqual(search.split(other), other.split(text));
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("a search for a long text takes linear time", () => {
  const half = "a".repeat(300_000), text = `${half}c${half}`, other = "a".repeat(2_000_000);
  const search = new TextSearch(text);
  assert.equal(search.positionIn(other), -1);
  assert.equal(search.positionIn(other + text), 2_000_000);
  assert.equal(search.lastPositionIn(text + other, 5_000_000), 0);
  assert.equal(search.split(other + text + other).length, 2);
});
