/** Lines of the log that are written together. */
import assert from "node:assert/strict";
import { LineBatch } from "../../lib/adapters/mod.ts";

Deno.test("lines: lines of the same time are one write, in order", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const batch = new LineBatch(resolve);
  for (const line of ["one", "two", "three"]) batch.add(line);
  assert.equal(await promise, "one\ntwo\nthree");
});

Deno.test("lines: a burst is written before it fills the memory, and no line is lost", () => {
  const written: string[] = [];
  const batch = new LineBatch((lines) => written.push(lines));
  const line = "x".repeat(1_000);
  for (let count = 0; count < 1_000; count++) batch.add(line);
  const before = written.length;
  batch.flush();
  assert.ok(before >= 10, `${before} writes`);
  assert.equal(written.join("\n"), Array(1_000).fill(line).join("\n"));
});

Deno.test("lines: without lines nothing is written", () => {
  const batch = new LineBatch(() => assert.fail());
  batch.flush();
});

Deno.test("lines: a line that cannot be written is lost, and the next write is tried", () => {
  let isFull = true;
  const written: string[] = [];
  const batch = new LineBatch((lines) => {
    if (isFull) throw new Error("no space left on device");
    written.push(lines);
  });
  batch.add("one");
  batch.flush();
  isFull = false;
  batch.add("two");
  batch.flush();
  assert.deepEqual(written, ["two"]);
});

const texts: readonly [what: string, line: string][] = [
  ["a line that is longer than a batch", "x".repeat(200_000)],
  ["a line whose characters take three bytes each", "\u20ac".repeat(30_000)],
  ["a line with characters beyond the basic plane", "\u{1f600}".repeat(20_000)],
  ["a line that begins with a byte order mark", "\ufeffline"],
  ["an empty line", ""],
];
for (const [what, line] of texts) {
  Deno.test(`lines: ${what} is written unchanged, and in order`, () => {
    const written: string[] = [];
    const batch = new LineBatch((lines) => written.push(lines));
    const lines = ["before", line, "between", line, "after"];
    for (const each of lines) batch.add(each);
    batch.flush();
    assert.equal(written.join("\n"), lines.join("\n"));
  });
}
