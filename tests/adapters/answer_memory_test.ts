import assert from "node:assert/strict";
import fc from "fast-check";
import { AnswerMemory } from "../../lib/adapters/answer_memory.ts";
import type { AnswerReading } from "../../lib/adapters/answer_reading.ts";
import { AnswerLifetime } from "../../lib/answer_lifetime.ts";

const most = 10_000_000, mostOfOne = 20_000_000, small = 2_000_000;

function memory(): AnswerMemory {
  return new AnswerMemory({ most, mostOfOne, small });
}

/** Whether a promise has a value by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  return await Promise.race([promise, new Promise((resolve) => setTimeout(() => resolve(open), 0))]) !== open;
}

Deno.test("an answer waits until the evaluation that holds the memory ends", async () => {
  const answers = memory(), first = new AnswerLifetime(), second = new AnswerLifetime();
  const one = answers.reading(first), other = answers.reading(second);
  assert.ok(one.hold(9_000_000));
  one.finish(9_000_000);
  assert.equal(other.hold(2_000_000), false);
  assert.ok(other.mustWait && !other.isTooLarge);
  const waits = other.wait(undefined);
  assert.equal(await isOver(waits), false);
  assert.equal(second.waitsFor, "memory that answers of others take");
  first.end();
  assert.equal(await waits, true);
  assert.equal(second.waitsFor, undefined);
  assert.equal(answers.used, 2_000_000);
  other.finish(2_000_000);
  second.end();
  assert.equal(answers.used, 0);
});

Deno.test("the evaluation that has held memory for longest never waits", () => {
  const answers = memory(), oldest = answers.reading(new AnswerLifetime());
  assert.ok(oldest.hold(1_000_000));
  const others = [3_000_000, 4_000_000].map((bytes) => {
    const reading = answers.reading(new AnswerLifetime());
    assert.ok(reading.hold(bytes));
    return reading;
  });
  assert.ok(oldest.hold(15_000_000));
  for (const other of others) assert.equal(other.hold(5_000_000), false);
  assert.ok(others[0]!.hold(2_000_000), "what it gives back needs no room");
});

Deno.test("an evaluation that has ended stays the oldest until its calls end: two never hold the most", async () => {
  const answers = memory(), ended = new AnswerLifetime(), next = new AnswerLifetime();
  const unfinished = answers.reading(ended), reading = answers.reading(next);
  assert.ok(unfinished.hold(mostOfOne));
  assert.equal(reading.hold(1_000_000), false);
  const waits = reading.wait(undefined);
  ended.end();
  assert.equal(await isOver(waits), false);
  assert.equal(answers.used, mostOfOne);
  unfinished.end();
  assert.equal(await waits, true);
  assert.equal(answers.used, 1_000_000);
});

Deno.test("the answers of one evaluation together have a bound, for the oldest too", () => {
  const answers = memory(), lifetime = new AnswerLifetime();
  const one = answers.reading(lifetime), other = answers.reading(lifetime);
  assert.ok(one.hold(12_000_000));
  one.finish(12_000_000);
  assert.equal(other.hold(9_000_000), false);
  assert.ok(other.isTooLarge);
  assert.match(other.lack, /would take too much memory/);
});

Deno.test("short answers have room although long ones take everything, and wait only when they are too many", async () => {
  const answers = memory(), large = new AnswerLifetime();
  assert.ok(answers.reading(large).hold(most));
  const lifetimes = Array.from({ length: 30 }, () => new AnswerLifetime());
  const readings = lifetimes.map((lifetime) => answers.reading(lifetime));
  assert.deepEqual(
    readings.map((reading) => reading.hold(100_000)),
    lifetimes.map((_, index) => index < 20),
  );
  const last = readings.at(-1)!, waits = last.wait(undefined);
  assert.equal(await isOver(waits), false);
  readings[0]!.end();
  assert.equal(await waits, true);
});

Deno.test("calls for all requests together never wait, and count until they have their value", () => {
  const answers = memory(), shared = answers.reading(undefined), other = answers.reading(undefined);
  assert.ok(shared.hold(9_000_000) && other.hold(9_000_000));
  const reading = answers.reading(new AnswerLifetime());
  reading.hold(1);
  assert.equal(other.hold(21_000_000), false);
  assert.ok(other.isTooLarge);
  for (const each of [shared, other]) {
    each.finish(9_000_000);
    each.end();
  }
  reading.end();
  assert.equal(answers.used, 0);
});

Deno.test("an answer that is read again waits for several times the room that it was refused", async () => {
  const answers = memory(), [oldest, first, second] = [1, 2, 3].map(() => new AnswerLifetime());
  assert.ok(answers.reading(oldest).hold(200_000));
  const large = answers.reading(first), reading = answers.reading(second);
  assert.ok(large.hold(9_700_000));
  large.finish(9_700_000);
  assert.ok(reading.hold(50_000));
  assert.equal(reading.hold(200_000), false);
  const restarts = reading.restart(undefined);
  assert.equal(answers.used, 9_900_000, "it has given back what it had");
  assert.equal(await isOver(restarts), false);
  first!.end();
  assert.equal(await restarts, true);
  assert.equal(answers.used, 200_000 + 16 * 200_000);
  assert.ok(reading.hold(10));
  assert.equal(answers.used, 200_000 + 16 * 200_000, "it keeps what it waited for until it is read");
  reading.finish(10);
  assert.equal(answers.used, 200_010);
});

Deno.test("answers of one evaluation that are read again at the same time leave each other room", async () => {
  const answers = memory(), first = new AnswerLifetime(), second = new AnswerLifetime();
  const large = answers.reading(first), readings = [1, 2].map(() => answers.reading(second));
  assert.ok(large.hold(9_000_000));
  large.finish(9_000_000);
  for (const reading of readings) assert.equal(reading.hold(4_000_000), false);
  const restarts = readings.map((reading) => reading.restart(undefined));
  first.end();
  assert.deepEqual(await Promise.all(restarts), [true, true]);
  for (const reading of readings) assert.ok(reading.hold(9_000_000));
});

const ends: readonly (readonly [
  what: string,
  end: (lifetime: AnswerLifetime, controller: AbortController) => void,
])[] = [
  ["its signal aborts", (_, controller) => controller.abort()],
  ["its evaluation ends", (lifetime) => lifetime.end()],
];
for (const [what, end] of ends) {
  Deno.test(`an answer no longer waits when ${what}`, async () => {
    const answers = memory(), lifetime = new AnswerLifetime(), controller = new AbortController();
    assert.ok(answers.reading(new AnswerLifetime()).hold(most));
    const reading = answers.reading(lifetime);
    assert.equal(reading.hold(1_000_000), false);
    const waits = reading.wait(controller.signal);
    end(lifetime, controller);
    assert.equal(await waits, false);
    assert.equal(await reading.wait(controller.signal), false, "nor does it begin to");
    assert.equal(answers.used, most);
  });
}

/** A step of a random sequence: which evaluation and which of its answers, what it does, and with how many bytes. */
type Step = readonly [evaluation: number, reading: number, action: number, bytes: number];

/** Evaluations with answers, each read by steps in random order. */
class Sequence {
  readonly answers = memory();
  readonly #lifetimes = Array.from({ length: 6 }, () => new AnswerLifetime());
  readonly #controllers = this.#lifetimes.map(() => new AbortController());
  readonly #readings: AnswerReading[][];
  readonly #busy = new Set<AnswerReading>();
  readonly #waits: Promise<void>[] = [];
  #shared = this.answers.reading(undefined);

  constructor() {
    this.#readings = this.#lifetimes.map((lifetime) => [0, 1].map(() => this.answers.reading(lifetime)));
  }

  run([evaluation, index, action, bytes]: Step): void {
    const reading = this.#readings[evaluation]![index]!, { signal } = this.#controllers[evaluation]!;
    if (action === 0) this.#lifetimes[evaluation]!.end();
    else if (action === 1) this.#controllers[evaluation]!.abort();
    else if (action === 2) this.#shared.hold(bytes);
    else if (this.#busy.has(reading)) return;
    else if (action === 3) reading.finish(bytes);
    else if (action === 4) reading.end();
    else if (action === 5) this.#wait(reading, reading.reserve(bytes, signal));
    else if (!reading.hold(bytes) && reading.mustWait) {
      this.#wait(reading, action === 6 ? reading.wait(signal) : reading.restart(signal));
    }
  }

  #wait(reading: AnswerReading, waits: Promise<boolean>): void {
    this.#busy.add(reading);
    this.#waits.push(waits.then(() => void this.#busy.delete(reading)));
  }

  /** Ends everything: by the ends of evaluations, or by their signals first, as at a shutdown. */
  async end(isAborted: boolean): Promise<void> {
    if (isAborted) { for (const controller of this.#controllers) controller.abort(); }
    for (const lifetime of this.#lifetimes) lifetime.end();
    await Promise.all(this.#waits);
    // An adapter ends its reading when its call does, however that ends.
    for (const reading of [...this.#readings.flat(), this.#shared]) reading.end();
  }
}

Deno.test("whatever evaluations do, and however they end, nothing is held in the end", async () => {
  const step = fc.tuple(
    fc.nat(5),
    fc.nat(1),
    fc.nat(9),
    fc.oneof(fc.nat(200_000), fc.nat(mostOfOne + 1_000_000)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.boolean(), async (steps, isAborted) => {
      const sequence = new Sequence();
      for (const each of steps) {
        sequence.run(each);
        const { used } = sequence.answers;
        assert.ok(used >= 0 && used <= most + small + 2 * mostOfOne, `${used}`);
        if (each[3] % 3 === 0) await Promise.resolve();
      }
      await sequence.end(isAborted);
      assert.equal(sequence.answers.used, 0);
    }),
    {
      numRuns: 2_000,
      // An evaluation that ended while it held the most, and the next that took as much.
      examples: [[
        [[3, 0, 6, 15_758_124], [3, 0, 0, 0], [0, 0, 3, 18_372_455], [0, 0, 2, 17_869_422]],
        false,
      ]],
    },
  );
});

Deno.test("evaluations that wait for each other's memory all come to their turn", async () => {
  const sizes = fc.array(fc.integer({ min: 100_000, max: Math.floor(mostOfOne / 3) }), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sizes, { minLength: 2, maxLength: 12 }), async (evaluations) => {
      const answers = memory();
      const done = await Promise.all(evaluations.map(async (all) => {
        const lifetime = new AnswerLifetime();
        // One answer after the other, each in parts; all stay until the end.
        for (const size of all) {
          const reading = answers.reading(lifetime);
          for (let part = 1; part <= 4; part++) {
            if (!reading.hold(size * part / 4)) assert.ok(await reading.wait(undefined));
            await Promise.resolve();
          }
          reading.finish(size);
        }
        lifetime.end();
        return true;
      }));
      assert.ok(done.every((each) => each));
      assert.equal(answers.used, 0);
    }),
    { numRuns: 500 },
  );
});

Deno.test("the memory of the process is looked at once for 64 KiB of answers, however small they are", () => {
  let looks = 0;
  const answers = new AnswerMemory({ most, mostOfOne, small, beforeMore: () => looks++ });
  const take = (bytes: number, count: number): number => {
    looks = 0;
    for (let index = 0; index < count; index++) {
      const reading = answers.reading(undefined);
      assert.ok(reading.hold(bytes));
      reading.end();
    }
    return looks;
  };
  assert.equal(take(1_024, 128), 2);
  assert.equal(take(65_535, 1), 0);
  assert.equal(take(1, 1), 1);
  assert.equal(take(5_000_000, 3), 3);
});
