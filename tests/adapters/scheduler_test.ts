/** Long evaluations share the event loop with each other and with everything else. */
import assert from "node:assert/strict";
import { eventLoopScheduler } from "../../lib/adapters/mod.ts";

Deno.test("the process is prepared for each slice, right before it", async () => {
  const events: string[] = [];
  const scheduler = eventLoopScheduler(() => events.push("before"));
  await Promise.all(["a", "b"].map(async (name) => {
    await scheduler.pause();
    events.push(name);
  }));
  assert.deepEqual(events, ["before", "a", "before", "b"]);
});

Deno.test("of evaluations that pause together, one continues at a time, and others run in between", async () => {
  const scheduler = eventLoopScheduler();
  const events: string[] = [];
  const evaluations = ["a", "b", "c"].map(async (name) => {
    for (let slice = 0; slice < 2; slice++) {
      await scheduler.pause();
      events.push(name);
    }
  });
  let isOver = false;
  const other = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (events.at(-1) !== "other") events.push("other");
    }
  })();
  await Promise.all(evaluations);
  isOver = true;
  await other;
  const order = events.filter((event) => event !== "other");
  assert.deepEqual(order, ["a", "b", "c", "a", "b", "c"]);
  for (const [index, event] of events.entries()) {
    if (event !== "other" && index > 0) assert.equal(events[index - 1], "other", events.join(" "));
  }
});
