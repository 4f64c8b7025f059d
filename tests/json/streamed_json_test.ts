import assert from "node:assert/strict";
import fc from "fast-check";
import { type Json, parseJson, sharedHeapSizeOfText, StreamedJson } from "../../lib/json/mod.ts";

/** The text in parts of these lengths, again and again. */
function partsOf(text: string, lengths: readonly number[]): string[] {
  const parts: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const end = at + lengths[turn % lengths.length]!;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

/** Parses a text that arrives in parts of these lengths. */
function streamed(text: string, lengths: readonly number[], json = new StreamedJson()): Json | undefined {
  for (const part of partsOf(text, lengths)) {
    json.add(part);
    if (json.isDue) json.parse();
  }
  return json.end();
}

Deno.test("StreamedJson parses any JSON in any parts, whole or damaged, as parseJson() does", () => {
  const edit = fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...'[]{},:"\\ 1n'));
  const size = fc.integer({ min: 1, max: 200_000 });
  fc.assert(
    fc.property(
      fc.array(fc.json({ maxDepth: 4 }), { minLength: 1, maxLength: 8 }),
      fc.array(edit, { maxLength: 2 }),
      fc.array(size, { minLength: 1, maxLength: 4 }),
      fc.tuple(fc.boolean(), fc.constantFrom(1, 30_000)),
      (jsons, edits, lengths, [isMap, repeat]) => {
        // Long enough for many pieces: each element comes many times.
        const elements = jsons.flatMap((json) =>
          Array<string>(Math.ceil(repeat / (json.length + 1))).fill(json)
        );
        let text = isMap
          ? `{${elements.map((element, index) => `"${index % 50}":${element}`).join()}}`
          : `[${elements.join()}]`;
        for (const [at, removed, added] of edits) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + (removed > 0 ? "" : added) + text.slice(start + removed);
        }
        assert.deepEqual(JSON.stringify(streamed(text, lengths)), JSON.stringify(parseJson(text)));
      },
    ),
    { numRuns: 300 },
  );
});

const texts: readonly (readonly [what: string, text: string])[] = [
  ["a long string", JSON.stringify(["x".repeat(1_000_000), 'a"\\'.repeat(100_000)])],
  [
    "long strings in maps",
    JSON.stringify({ items: Array(9).fill({ data: { a: "x".repeat(90_000) }, b: [1] }) }),
  ],
  ["empty maps", `[${"{},".repeat(200_000)}{}]`],
  ["characters that take two bytes", JSON.stringify(Array(40).fill("ω".repeat(5_000)))],
  ["blank text around", `${" ".repeat(200_000)}[1]${"\n".repeat(200_000)}`],
  ["nesting to the limit", `${"[".repeat(999)}1${"]".repeat(999)}`],
  ["nesting beyond the limit", `${"[".repeat(1_001)}1${"]".repeat(1_001)}`],
];
for (const [what, text] of texts) {
  Deno.test(`StreamedJson parses ${what} in parts of any length`, () => {
    for (const length of [100, 4_096, 65_536, 10_000_000]) {
      assert.deepEqual(streamed(text, [length]), parseJson(text));
    }
  });
}

const values: readonly (readonly [what: string, value: Json])[] = [
  ["maps", Array(20_000).fill({ name: "a", value: 1 })],
  ["empty maps", Array(100_000).fill({})],
  ["one long string", ["x".repeat(3_000_000)]],
  ["long strings in maps", { a: Array(3).fill({ b: "x".repeat(300_000) }) }],
  ["strings of characters that take two bytes", Array(40).fill("ω".repeat(20_000))],
];
for (const [what, value] of values) {
  Deno.test(`StreamedJson says at the end how much heap ${what} take, and before each piece how much it needs`, () => {
    const json = new StreamedJson();
    let most = 0;
    for (const part of partsOf(JSON.stringify(value), [65_536])) {
      json.add(part);
      if (!json.isDue) continue;
      const needed = json.neededHeap;
      json.parse();
      assert.ok(json.heapSize <= needed, `${json.heapSize} of ${needed}`);
      most = Math.max(most, needed);
    }
    const needed = json.neededHeap;
    json.end();
    assert.ok(json.heapSize <= needed, `${json.heapSize} of ${needed}`);
    const width = what.includes("two bytes") ? 2 : 1,
      estimate = width * sharedHeapSizeOfText(JSON.stringify(value));
    assert.ok(
      json.heapSize >= estimate * 0.9 && json.heapSize <= estimate * 1.15 + 200_000,
      `${json.heapSize} for ${estimate}`,
    );
    assert.ok(most < 3.5 * estimate + 1_000_000, `${most} for ${estimate}`);
  });
}
