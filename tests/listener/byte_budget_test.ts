/** One budget for all bodies in flight. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteBudget, type Share } from "../../lib/listener/byte_budget.ts";

Deno.test("a body waits for bytes and gets them when others release theirs", () => {
  const budget = new ByteBudget(100);
  const came: string[] = [];
  const first = budget.share(() => came.push("first")), second = budget.share(() => came.push("second"));
  assert.equal(first.take(60), true);
  assert.equal(second.take(60), false);
  first.finish();
  assert.deepEqual(came, ["second"], "the oldest unfinished body never waits");
  first.release();
  second.release();
  assert.equal(budget.used, 0);
});

Deno.test("bodies that are complete and wait for their answers use at most the total and one body", () => {
  const budget = new ByteBudget(100);
  const granted: number[] = [];
  const shares: Share[] = Array.from({ length: 5 }, (_, index) =>
    budget.share(() => {
      granted.push(index);
      shares[index]!.finish();
    }));
  for (const share of shares) if (share.take(60)) share.finish();
  assert.equal(budget.used, 120, "the second went beyond the total");
  shares[0]!.release();
  assert.deepEqual(granted, [], "the second has its bytes still");
  shares[1]!.release();
  assert.deepEqual(granted, [2, 3]);
  for (const share of shares.slice(2)) share.release();
  assert.equal(budget.used, 0);
});

Deno.test("bodies that are answered as soon as they have their bytes do so one after the other", () => {
  const budget = new ByteBudget(100);
  const first = budget.share(() => {});
  assert.equal(first.take(100), true);
  let running = 0, deepest = 0, answered = 0;
  const shares: Share[] = Array.from({ length: 5_000 }, (_, index) =>
    budget.share(() => {
      deepest = Math.max(deepest, ++running);
      const share = shares[index]!;
      share.finish();
      share.release();
      running--;
      answered++;
    }));
  for (const share of shares) assert.equal(share.take(60), false);
  first.release();
  assert.deepEqual([deepest, answered, budget.used, budget.isShort], [1, 5_000, 0, false]);
});

Deno.test("bodies that wait keep a bounded number of bytes", () => {
  const budget = new ByteBudget(10, { mostKept: 100 });
  const [first, second, third] = [1, 2, 3].map(() => budget.share(() => {}));
  assert.equal(first!.take(10), true);
  for (const share of [second!, third!]) assert.equal(share.take(10), false);
  assert.equal(second!.keep(60), true);
  assert.equal(third!.keep(60), false);
  first!.finish();
  assert.equal(second!.waiting, false, "it is the oldest unfinished body now");
  assert.equal(third!.keep(60), true, "the second keeps nothing any more");
  third!.release();
  const fourth = budget.share(() => {});
  assert.equal(fourth.take(10), false);
  assert.equal(fourth.keep(100), true);
});

Deno.test("bodies that arrive together all become complete, within the total and one body", () => {
  const most = 10;
  fc.assert(fc.property(fc.array(fc.nat(30)), fc.integer({ min: 2, max: 40 }), (turns, total) => {
    const budget = new ByteBudget(total);
    const bodies: { share: Share; left: number }[] = [];
    for (let index = 0; index < 8; index++) {
      const body = { share: budget.share(() => body.left--), left: most };
      bodies.push(body);
    }
    const step = (body: (typeof bodies)[number]): void => {
      if (body.share.waiting || body.share.complete) return;
      if (body.left > 0) {
        if (body.share.take(1)) body.left--;
      } else {
        body.share.finish();
        body.share.release();
      }
      assert.ok(budget.used <= total + most);
    };
    for (const turn of turns) step(bodies[turn % bodies.length]!);
    for (let round = 0; round < 200; round++) bodies.forEach(step);
    assert.ok(bodies.every(({ share }) => share.complete));
    assert.equal(budget.used, 0);
  }));
});

Deno.test("bodies that stop in the middle leave room for bodies that arrive as a whole", () => {
  const budget = new ByteBudget(100, { mostUnfinished: 50 });
  const stalled = [1, 2, 3, 4].map(() => budget.share(() => {}));
  assert.deepEqual(stalled.map((share) => share.take(20)), [true, true, false, false]);
  assert.ok(stalled[0]!.holdsUp);
  for (let index = 0; index < 10; index++) {
    const whole = budget.share(() => {});
    assert.equal(whole.take(60, "whole"), true);
    whole.finish();
    whole.release();
  }
  for (const share of stalled) share.release();
  assert.equal(budget.used, 0);
  const later = budget.share(() => {});
  assert.equal(later.take(50), true, "nothing is counted any more");
});
