/** When answers are written. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { Outbox } from "../../lib/listener/outbox.ts";

type Came = "alone" | "with others";

/** An outbox that notes what it wrote, on a clock that the test moves. */
function makeOutbox() {
  const clock = { now: 0 };
  const outbox = new Outbox(() => clock.now);
  const written: string[] = [];
  const add = (name: string, came: Came) => outbox.add(() => written.push(name), came);
  return { clock, outbox, add, written };
}

Deno.test("the outbox writes a single answer at once", () => {
  const { add, written } = makeOutbox();
  add("a", "alone");
  add("b", "alone");
  assert.deepEqual(written, ["a", "b"]);
});

Deno.test("the outbox writes the answers of one round of the event loop after the last of them, in order", async () => {
  const { add, written } = makeOutbox();
  add("a", "alone");
  add("b", "with others");
  add("c", "with others");
  assert.deepEqual(written, ["a"]);
  await setImmediate();
  assert.deepEqual(written, ["a", "b", "c"]);
});

Deno.test("after a round with several answers the first answer of the next round waits for the others", async () => {
  const { add, written } = makeOutbox();
  for (const name of ["a", "b"]) add(name, "with others");
  await setImmediate();
  add("c", "alone");
  assert.deepEqual(written, ["a", "b"]);
  await setImmediate();
  add("d", "alone");
  assert.deepEqual(written, ["a", "b", "c", "d"], "c came alone, so d waits no more");
});

Deno.test("no answer waits for others longer than a millisecond", async () => {
  const { clock, add, written } = makeOutbox();
  add("a", "with others");
  clock.now = 0.9;
  add("b", "with others");
  assert.deepEqual(written, []);
  clock.now = 1.1;
  add("c", "with others");
  assert.deepEqual(written, ["a", "b", "c"]);
  add("d", "with others");
  await setImmediate();
  assert.deepEqual(written, ["a", "b", "c", "d"]);
});

Deno.test("waiting answers are written early when the outbox is flushed", async () => {
  const { outbox, add, written } = makeOutbox();
  for (const name of ["a", "b"]) add(name, "with others");
  outbox.flush();
  assert.deepEqual(written, ["a", "b"]);
  await setImmediate();
  assert.deepEqual(written, ["a", "b"]);
});
