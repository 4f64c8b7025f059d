/** Texts of a few hundred kilobytes that were made to be read slowly are read, or refused, in linear time. */
import assert from "node:assert/strict";
import { isFault } from "../../lib/json/mod.ts";
import { parseDocuments, parseYaml } from "../../lib/yaml/mod.ts";
import { processorTime } from "../support/processor_time.ts";

/** Texts, and the number of documents and problems in them. A search through all of it for each would take minutes. */
const texts: readonly [name: string, text: string, documents: number, problems: number][] = [
  ["JSON objects on one line", "{}".repeat(20_000), 20_000, 0],
  ["JSON objects on lines", "{}\n".repeat(20_000), 20_000, 0],
  ["maps as keys on one line", "{{a}}".repeat(10_000), 0, 10_000],
  ["keys that occur again", "a: 1\n".repeat(60_000), 1, 59_999],
];

for (const [name, text, documents, problems] of texts) {
  Deno.test(`a long file is read in linear time: ${name}`, () => {
    const begin = processorTime();
    const read = parseDocuments(text, "file.yaml");
    assert.deepEqual([read.documents.length, read.diagnostics.length], [documents, problems]);
    assert.ok(processorTime() - begin < 10_000, "in time");
  });
}

Deno.test("the values of a line have their columns", () => {
  const { documents, diagnostics } = parseDocuments(`{"a": 1} {"b": 2}\n  [3] {"c": 1, "c": 2}`, "file.yaml");
  const positions = documents.map(({ value, positionOf }) => {
    const { line, column } = positionOf(Object.keys(value as object).slice(0, 1));
    return [line, column];
  });
  assert.deepEqual(positions, [[1, 2], [1, 11], [2, 4], [2, 16]]);
  assert.deepEqual(diagnostics.map(({ position }) => [position?.line, position?.column]), [[2, 16]]);
});

Deno.test("a long text with many lines that are not deep enough is refused", () => {
  const lists = Array.from({ length: 99 }, (_, index) => `  k${index}: [\n1\n  ]\n`).join("");
  const begin = processorTime();
  assert.ok(isFault(parseYaml(`${"a: 1\n".repeat(400_000)}b:\n${lists}`)));
  assert.ok(processorTime() - begin < 10_000, "in time");
  assert.ok(!isFault(parseYaml(`b:\n${lists.slice(0, lists.indexOf("  k40"))}`)), "a short one is read");
});
