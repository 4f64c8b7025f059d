/** The order in which requests are worked on. */
import assert from "node:assert/strict";
import { type Job, Turns } from "../../lib/listener/turns.ts";

function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

Deno.test("a job runs at once when there are few, and in the order of arrival between other events when there are many", async () => {
  const turns = new Turns();
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
  const turns = new Turns();
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
  const turns = new Turns();
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

Deno.test("a job counts as crowded right after that of another caller", () => {
  let now = 0;
  const turns = new Turns(() => now);
  const seen: boolean[] = [];
  const job = (caller: object): Job => ({
    caller,
    run: () => seen.push(turns.areCrowded),
    shed: () => {},
    until: Infinity,
  });
  const one = {}, other = {};
  const came: readonly (readonly [pause: number, caller: object, areCrowded: boolean])[] = [
    [10, one, false],
    [0.01, other, true],
    [0.04, one, true],
    [0.06, other, false],
    // A caller that sends its next request as soon as it has its answer.
    [0.01, other, false],
    [10, one, false],
  ];
  for (const [pause, caller] of came) {
    now += pause;
    turns.add(job(caller));
  }
  assert.deepEqual(seen, came.map(([, , areCrowded]) => areCrowded));
});
