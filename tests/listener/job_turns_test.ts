/** The order in which requests are worked on. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { type Job, JobTurns } from "../../lib/listener/job_turns.ts";

function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

Deno.test("a job runs at once when there are few, and in the order of arrival between other events when there are many", async () => {
  const turns = new JobTurns();
  const done: string[] = [];
  const job = (name: string): Job => ({
    caller: {},
    run: () => {
      work(6);
      done.push(name);
    },
    shed: () => done.push(`${name} shed`),
    until: Infinity,
  });
  turns.add(job("first"));
  assert.deepEqual(done, ["first"]);
  for (const name of ["b", "c", "d", "e", "f"]) turns.add(job(name));
  assert.ok(turns.waiting > 0, "the event loop has its turn first");
  setTimeout(() => done.push("timer"));
  while (turns.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(done.filter((name) => name !== "timer"), ["first", "b", "c", "d", "e", "f"]);
  assert.ok(done.indexOf("timer") < done.length - 1, done.join());
});

Deno.test("a job whose answer would come too late is shed, when it arrives or at its turn", async () => {
  const turns = new JobTurns();
  const done: string[] = [];
  const job = (name: string, until: number): Job => ({
    caller: {},
    run: () => {
      work(8);
      done.push(name);
    },
    shed: () => done.push(`${name} shed`),
    until,
  });
  for (let index = 0; index < 40; index++) turns.add(job(`${index}`, Infinity));
  const waiting = turns.waiting;
  turns.add(job("hasty", performance.now() + 20));
  assert.equal(done.at(-1), "hasty shed");
  assert.equal(turns.waiting, waiting);
  while (turns.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(done.filter((name) => !name.includes("shed")).length, 40);
});

Deno.test("the expected wait includes the work between turns", async () => {
  const turns = new JobTurns();
  let done = 0, shed = 0;
  const job = (until: number): Job => ({
    caller: {},
    run: () => {
      work(2);
      done++;
    },
    shed: () => shed++,
    until,
  });
  // Reading, writing and handshakes take far more time than the work itself.
  const other = setInterval(() => work(40), 1);
  for (let index = 0; index < 60; index++) turns.add(job(Infinity));
  while (turns.waiting > 20) await new Promise((resolve) => setTimeout(resolve, 1));
  const { waiting } = turns;
  turns.add(job(performance.now() + waiting * 3));
  assert.deepEqual([shed, turns.waiting], [1, waiting]);
  while (turns.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  clearInterval(other);
  assert.equal(done, 60);
});

Deno.test("a job that comes right after that of another caller runs with the others of its round", async () => {
  let now = 0;
  const ran: string[] = [];
  const turns = new JobTurns({ now: () => now, ended: () => ran.push("answers are written") });
  const job = (name: string, caller: object): Job => ({
    caller,
    run: () => ran.push(turns.areCrowded ? `${name}, crowded` : name),
    shed: () => {},
    until: Infinity,
  });
  const add = (name: string, caller: object, pause: number): void => {
    now += pause;
    turns.add(job(name, caller));
  };
  const a = {}, b = {}, c = {};
  add("1a", a, 10);
  // A caller that sends its next request as soon as it has its answer.
  add("2a", a, 0.01);
  add("3b", b, 0.06);
  add("4c", c, 0.01);
  add("5a", a, 0.01);
  ran.push("the round ends");
  await setImmediate();
  // The last turn had several jobs, so the first of this round waits as well.
  add("6b", b, 0.4);
  ran.push("the round ends");
  await setImmediate();
  add("7b", b, 0.4);
  assert.deepEqual(ran, [
    "1a",
    "2a",
    "3b",
    "the round ends",
    "4c, crowded",
    "5a, crowded",
    "answers are written",
    "the round ends",
    "6b",
    "answers are written",
    "7b",
  ]);
});

Deno.test("after a pause a job runs at once, although the last turn had several", async () => {
  let now = 0;
  const ran: string[] = [];
  const turns = new JobTurns({ now: () => now });
  const add = (name: string): void =>
    turns.add({ caller: {}, run: () => ran.push(name), shed: () => {}, until: Infinity });
  for (const name of ["a", "b", "c"]) add(name);
  await setImmediate();
  now += 0.6;
  add("d");
  assert.deepEqual(ran, ["a", "b", "c", "d"]);
});

Deno.test("sixteen jobs wait for no others", async () => {
  const ran: number[] = [];
  const turns = new JobTurns({ now: () => 1 });
  for (let index = 0; index < 20; index++) {
    turns.add({ caller: {}, run: () => ran.push(index), shed: () => {}, until: Infinity });
  }
  const expected = Array.from({ length: 20 }, (_, index) => index);
  assert.deepEqual(ran, expected.slice(0, 17), "the first came alone");
  await setImmediate();
  assert.deepEqual(ran, expected);
});

Deno.test("a job that is added while another runs is queued", async () => {
  const ran: string[] = [];
  const turns = new JobTurns();
  let running = 0, deepest = 0, shed = 0;
  const add = (left: number): void =>
    turns.add({
      caller: {},
      run: () => {
        deepest = Math.max(deepest, ++running);
        if (left > 0) add(left - 1);
        running--;
        ran.push(`${left}`);
      },
      shed: () => shed++,
      until: Infinity,
    });
  for (let index = 0; index < 20; index++) add(40);
  while (turns.waiting > 0) await setImmediate();
  assert.deepEqual([deepest, ran.length, shed], [1, 20 * 41, 0]);
});

Deno.test("a job that is added while another is shed does not run inside it", async () => {
  let now = 0, isShedding = false, shed = 0, inside = 0, ran = 0;
  const turns = new JobTurns({ now: () => now });
  const add = (job: { readonly run: () => void; readonly shed?: () => void; readonly until: number }) =>
    turns.add({ caller: {}, shed: () => {}, ...job });
  const later = { run: () => void (isShedding ? inside++ : ran++), until: Infinity };
  const late = {
    run: () => {},
    shed: () => {
      isShedding = true;
      shed++;
      for (let index = 0; index < 16; index++) add(later);
      isShedding = false;
    },
    until: 50,
  };
  add({
    run: () => {
      for (let index = 0; index < 40; index++) add(late);
      now = 100;
    },
    until: Infinity,
  });
  while (turns.waiting > 0) await setImmediate();
  assert.deepEqual([shed, inside, ran], [40, 0, 40 * 16]);
});
