/** The progress bar: on terminals alone, one line that results never share. */
import assert from "node:assert/strict";
import { openProgress, type ProgressOptions } from "../../lib/cli/progress.ts";

const quiet = { out: () => {}, err: () => {} };

/** Opens a bar and collects the text that it writes. */
async function drawing(options: Partial<ProgressOptions> = {}): Promise<
  { readonly bar: Awaited<ReturnType<typeof openProgress>>; readonly written: string[] }
> {
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  const defaults = { write, columns: () => 80, showAfterMs: 0, interval: 0 };
  return { bar: await openProgress({ ...quiet, drawsProgress: true }, { ...defaults, ...options }), written };
}

Deno.test("a progress bar shows how much is read, and disappears at the end", async () => {
  const { bar, written } = await drawing();
  bar.update(50, 200, "3 objects");
  assert.match(written.join(""), / 25% 3 objects/);
  written.length = 0;
  bar.update(100, 200, "7 objects");
  assert.match(written.join(""), / 50% 7 objects/);
  bar.close();
  assert.ok(written.join("").endsWith("\r\x1b[2K"));
});

Deno.test("a progress bar makes room for a line of results, and appears again after it", async () => {
  const { bar, written } = await drawing();
  bar.update(1, 2, "one");
  written.length = 0;
  bar.clear();
  bar.clear();
  assert.deepEqual(written, ["\r\x1b[K"]);
  bar.update(1, 2, "one");
  assert.match(written.join(""), /50% one/);
  bar.close();
});

Deno.test("a progress bar writes no line breaks, does not hide the cursor, and changes no other line", async () => {
  const { bar, written } = await drawing({ columns: () => 30 });
  for (let read = 0; read <= 100; read += 10) {
    bar.update(read, 100, `${read} objects of many, and more words`);
  }
  bar.close();
  const text = written.join("");
  // deno-lint-ignore no-control-regex
  assert.deepEqual([...new Set(text.match(/\x1b\[?[0-9?]*[A-Za-z78]/g))].sort(), ["\x1b[2K", "\x1b[K"]);
  assert.ok(!text.includes("\n"));
  // deno-lint-ignore no-control-regex
  for (const line of text.split(/\r|\x1b\[[0-9]*K/)) assert.ok([...line].length < 30, line);
});

Deno.test("short commands and input of unknown length have no progress bar", async () => {
  const { bar, written } = await drawing({ showAfterMs: 60_000 });
  bar.update(1, 2, "one");
  bar.clear();
  bar.close();
  assert.deepEqual(written, []);
  const unknown = await drawing();
  unknown.bar.update(10, 0, "one");
  assert.deepEqual(unknown.written, []);
});

Deno.test("without a terminal there is no progress bar", async () => {
  const written: string[] = [];
  const bar = await openProgress(quiet, { write: (text) => void written.push(text), showAfterMs: 0 });
  bar.update(1, 2, "one");
  bar.clear();
  bar.close();
  assert.deepEqual(written, []);
});
