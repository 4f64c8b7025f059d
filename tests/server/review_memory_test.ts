/** The heap that reviews take until they are answered is bounded. */
import assert from "node:assert/strict";
import { Deadline } from "../../lib/server/deadline.ts";
import { ReviewHeap } from "../../lib/server/review_heap.ts";
import { PendingReviews } from "../../lib/server/pending_reviews.ts";
import { ReviewMemory } from "../../lib/server/review_memory.ts";

const soon = 1;
const later = 60_000;

Deno.test("reviews begin in the order of arrival, as soon as there is room", async () => {
  const memory = new ReviewMemory(100);
  assert.ok(memory.fits(100) && !memory.fits(101));
  const order: string[] = [];
  const take = (name: string, bytes: number) =>
    memory.take(bytes, later).then((grant) => {
      order.push(name);
      return grant!.free;
    });
  const [first, second] = await Promise.all([take("first", 60), take("second", 30)]);
  const large = take("large", 90), small = take("small", 10);
  await Promise.resolve();
  assert.deepEqual(order, ["first", "second"], "a small one does not overtake a large one");
  first();
  await Promise.resolve();
  assert.equal(order.length, 2);
  second();
  (await large)();
  (await small)();
  assert.deepEqual(order, ["first", "second", "large", "small"]);
  (await take("all", 100))();
});

Deno.test("a review that gets no room in time does not delay those behind it", async () => {
  const memory = new ReviewMemory(100);
  const first = await memory.take(50, later);
  const large = memory.take(90, soon), small = memory.take(40, later);
  assert.equal(await large, undefined);
  (await small)!.free();
  first!.free();
});

Deno.test("a review waits while the heap has no room for it, beside those that are not parsed yet", async () => {
  let room = 50;
  const memory = new ReviewMemory(100, (bytes) => bytes <= room);
  const first = (await memory.take(30, later))!;
  assert.equal(await memory.take(30, soon), undefined, "the heap does not show the first yet");
  first.parsed();
  const second = (await memory.take(30, later))!;
  room = 0;
  second.free();
  first.free();
  const third = memory.take(30, later);
  assert.equal(await Promise.race([third, new Promise((resolve) => setTimeout(resolve, soon))]), undefined);
  room = 50;
  (await third)!.free();
});

Deno.test("a full heap leaves a quarter of their memory to short reviews that wait", () => {
  const text = `"${"x".repeat(1_000)}"`;
  for (const [hasRoom, ended] of [[true, 0], [false, 3]] as const) {
    const pending = new PendingReviews(10_000, () => hasRoom);
    const deadlines = Array.from({ length: 5 }, () => new Deadline(later));
    for (const deadline of deadlines) {
      deadline.signal();
      pending.waits(ReviewHeap.ofText(text))(deadline);
    }
    assert.equal(deadlines.filter((deadline) => deadline.signal().aborted).length, ended);
    for (const deadline of deadlines) deadline.release();
  }
});

Deno.test("when many short reviews wait, the oldest get no further time", () => {
  const pending = new PendingReviews(10_000);
  const deadlines = Array.from({ length: 6 }, () => new Deadline(later));
  // Of a text alone each character is a byte, of empty maps it is twenty.
  const texts = [...Array(4).fill(`"${"x".repeat(1_000)}"`), ...Array(2).fill(`[${"{},".repeat(60)}{}]`)];
  const done = deadlines.map((deadline, index) => {
    deadline.signal();
    return pending.waits(ReviewHeap.ofText(texts[index]!))(deadline);
  });
  assert.deepEqual(deadlines.map((deadline) => deadline.signal().aborted), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  for (const end of done) end();
  const last = new Deadline(later);
  const end = pending.waits(ReviewHeap.ofText(`[${"{},".repeat(120)}{}]`))(last);
  assert.equal(last.signal().aborted, false, "all others are answered");
  end();
  for (const deadline of [...deadlines, last]) deadline.release();
});
