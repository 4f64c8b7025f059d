/** Lines of the log that are written together. */
import assert from "node:assert/strict";
import { LineBatch } from "../../lib/adapters/mod.ts";

/** A batch whose writes end at once, into a list of texts. */
function batchInto(written: string[]): LineBatch {
  return new LineBatch((lines) =>
    void written.push(new TextDecoder("utf-8", { ignoreBOM: true }).decode(lines))
  );
}

Deno.test("lines: lines of the same time are one write, in order", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const batch = new LineBatch((lines) => resolve(new TextDecoder().decode(lines)));
  for (const line of ["one", "two", "three"]) batch.add(line);
  assert.equal(await promise, "one\ntwo\nthree\n");
});

Deno.test("lines: a burst is written before it fills the memory, and no line is lost", () => {
  const written: string[] = [];
  const batch = batchInto(written);
  const line = "x".repeat(1_000);
  for (let count = 0; count < 1_000; count++) batch.add(line);
  const before = written.length;
  batch.flush();
  assert.ok(before >= 10, `${before} writes`);
  assert.equal(written.join(""), `${line}\n`.repeat(1_000));
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
    written.push(new TextDecoder().decode(lines));
  });
  batch.add("one");
  batch.flush();
  isFull = false;
  batch.add("two");
  batch.flush();
  assert.deepEqual(written, ["two\n"]);
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
    const batch = batchInto(written);
    const lines = ["before", line, "between", line, "after"];
    for (const each of lines) batch.add(each);
    batch.flush();
    assert.equal(written.join(""), lines.map((each) => `${each}\n`).join(""));
  });
}

/** A batch whose writes end when a test says so. */
function slowBatch(): { batch: LineBatch; written: string[]; end(): Promise<void> } {
  const written: string[] = [];
  let ending = Promise.withResolvers<void>();
  const batch = new LineBatch(async (lines) => {
    const text = new TextDecoder().decode(lines);
    await ending.promise;
    written.push(text);
    assert.equal(new TextDecoder().decode(lines), text);
  });
  return {
    batch,
    written,
    async end() {
      ending.resolve();
      await batch.drain();
      ending = Promise.withResolvers();
    },
  };
}

Deno.test("lines: lines that come during a write follow it, in order", async () => {
  const { batch, written, end } = slowBatch();
  const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index} ${"x".repeat(100)}`);
  for (const line of lines) {
    batch.add(line);
    if (line.includes("00 ")) batch.flush();
  }
  assert.deepEqual(written, []);
  await end();
  assert.equal(written.join(""), lines.map((line) => `${line}\n`).join(""));
});

Deno.test("lines: those beyond a megabyte that nobody reads are lost and counted, and others follow", async () => {
  const { batch, written, end } = slowBatch();
  const lost: number[] = [];
  batch.whenLost((count) => lost.push(count));
  for (let index = 0; index < 2_000; index++) batch.add(`${index} ${"x".repeat(1_000)}`);
  await end();
  batch.add("after");
  await end();
  const kept = written.join("").trimEnd().split("\n");
  assert.equal(kept.at(-1), "after");
  assert.deepEqual(lost, [2_000 - (kept.length - 1)]);
  assert.ok(kept.length > 1_000 && kept.length < 1_200, `${kept.length}`);
});

Deno.test("lines: a process that ends takes the lines that wait", () => {
  const { batch } = slowBatch();
  batch.add("one");
  batch.flush();
  batch.add("two");
  assert.equal(batch.take(), "two\n");
  assert.equal(batch.take(), "");
});

Deno.test("lines: the end does not wait for longer than a second for a reader", async () => {
  const { batch, end } = slowBatch();
  batch.add("one");
  await batch.drain();
  await end();
});
