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

/** The order in which evaluations of lanes go on: each takes two slices after its first. */
async function orderOf(names: readonly string[]): Promise<string[]> {
  const scheduler = eventLoopScheduler(), events: string[] = [];
  await Promise.all(names.map(async (name) => {
    const lane = name.slice(0, 1);
    const turn = scheduler.begin!(lane);
    if (turn !== undefined) await turn;
    events.push(name);
    for (let slice = 0; slice < 2; slice++) {
      await scheduler.pause(lane);
      events.push(name);
    }
  }));
  return events;
}

Deno.test("lanes take turns, however many evaluations one of them has", async () => {
  const events = await orderOf(["a1", "a2", "a3", "a4", "b1"]);
  assert.deepEqual(events.slice(0, 9), ["a1", "a2", "a3", "a4", "b1", "a1", "b1", "a2", "b1"]);
});

Deno.test("of a lane in which many evaluations wait new ones wait until one ends", async () => {
  const events = await orderOf(["a1", "a2", "a3", "a4", "a5", "a6", "b1"]);
  assert.deepEqual(events.slice(0, 5), ["a1", "a2", "a3", "a4", "b1"]);
  const ofLane = events.filter((name) => name !== "b1");
  assert.deepEqual(ofLane.slice(4, 10), ["a1", "a2", "a3", "a4", "a1", "a5"]);
  assert.equal(events.length, 21);
});

Deno.test("an evaluation whose time is over before it begins waits no longer, and takes no turn", async () => {
  const scheduler = eventLoopScheduler(), events: string[] = [];
  const pausing = ["a", "b", "c", "d"].map((name) => scheduler.pause("lane").then(() => events.push(name)));
  const controller = new AbortController();
  const ended = scheduler.begin!("lane", () => controller.signal)!.then(() => events.push("over"));
  controller.abort();
  await Promise.all([...pausing, ended]);
  assert.deepEqual(events, ["over", "a", "b", "c", "d"]);
  assert.equal(scheduler.begin!("lane"), undefined);
});
