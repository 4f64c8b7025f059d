/** Documents of text that arrives in pieces are those of the whole text. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { DocumentStream, parseChunks, parseDocuments, toYaml } from "../../lib/yaml/mod.ts";

const file = "stream.yaml";

/** The values and their lines, read in pieces of the given lengths (the last one again and again). */
function streamed(
  text: string,
  pieces: readonly number[],
  options: ConstructorParameters<typeof DocumentStream>[0] = {},
): { values: unknown[]; lines: number[]; tooLong: readonly number[] } {
  const stream = new DocumentStream(options);
  const chunks = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const length = Math.max(1, pieces[Math.min(index, pieces.length - 1)] ?? 1);
    chunks.push(...stream.push(text.slice(at, at + length)));
    at += length;
  }
  chunks.push(...stream.end());
  const { documents } = parseChunks(chunks, file);
  return {
    values: documents.map(({ value }) => value),
    lines: documents.map(({ positionOf }) => positionOf([]).line),
    tooLong: stream.tooLong,
  };
}

const texts: readonly string[] = [
  "a: 1\n---\nb: 2\n",
  "--- \na: |\n  --- not a marker\n  x\n---\n- 1\n- 2\n--- # comment\n\n---",
  "%YAML 1.1\n---\na: 1\n",
  "\ufeffa: 1\r\n---\r\nb: 2\r\n",
  '{"a": "---"}\n---\n{"b": [1, 2]}',
  "a: 1\n--- {b: 2}\n---- \n",
  "# only a comment\n",
  // A regular expression took exponential time to see that these lines are no directive.
  `${"\n".repeat(60)}a: 1\n---\nb: 2\n`,
  "\n# comment\n%YAML 1.1\n\n---\na: 1\n",
  "",
];
for (const text of texts) {
  Deno.test(`a stream in pieces gives the documents of the whole: ${JSON.stringify(text)}`, () => {
    const { documents } = parseDocuments(text, file);
    const whole = {
      values: documents.map(({ value }) => value),
      lines: documents.map(({ positionOf }) => positionOf([]).line),
      tooLong: [],
    };
    for (const length of [1, 2, 3, 5, 1000]) assert.deepEqual(streamed(text, [length]), whole);
  });
}

const plain = { noNullPrototype: true };
const labels = fc.dictionary(fc.string(), fc.string(), { maxKeys: 3, ...plain });
const pods = fc.array(
  fc.record({
    apiVersion: fc.constant("v1"),
    kind: fc.constant("Pod"),
    metadata: fc.record({ name: fc.string(), labels }, plain),
    spec: fc.record({ images: fc.array(fc.string(), { maxLength: 3 }) }, plain),
  }, plain),
  { minLength: 1, maxLength: 6 },
);

Deno.test("a stream yields the items of a long list one by one", () => {
  const options = { listLength: 60 };
  fc.assert(
    fc.property(pods, fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (items, pieces) => {
      const list = { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
      const long = [...items.slice(0, 1), ...items];
      for (
        const text of [
          JSON.stringify({ ...list, items: long }),
          JSON.stringify({ ...list, items: long }, null, 2),
        ]
      ) {
        assert.deepEqual(streamed(text, pieces, options).values.flatMap(openList), long);
      }
      const indented = `${toYaml({ ...list, items: long })}---\na: 1\n`;
      assert.deepEqual(streamed(indented, pieces, options).values.flatMap(openList), [...long, { a: 1 }]);
    }),
  );
});

/** A list that was not long comes whole. */
function openList(value: unknown): unknown[] {
  const { items } = value as { items?: unknown[] };
  return items ?? [value];
}

Deno.test("items of a long list have their lines", () => {
  const item = (name: string): string => `- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: ${name}\n`;
  const text = `apiVersion: v1\nitems:\n${item("a")}${item("b")}${item("c")}kind: List\n---\nb: 1\n`;
  assert.deepEqual(streamed(text, [40], { listLength: 60 }).lines, [3, 7, 11, 17]);
});

Deno.test("a stream leaves out and counts documents that are too long", () => {
  const text = `a: 1\n---\nb: ${"x".repeat(200)}\nc: ${"y".repeat(200)}\n---\nd: 2\n`;
  for (const length of [7, 1000]) {
    const { values, lines, tooLong } = streamed(text, [length], { maxLength: 100, listLength: 50 });
    assert.deepEqual({ values, lines, tooLong }, {
      values: [{ a: 1 }, { d: 2 }],
      lines: [1, 6],
      tooLong: [2],
    });
  }
});
