/** How long a loop works at a stretch, by a clock that each element moves. */
import assert from "node:assert/strict";
import { LoadTracker } from "../../lib/context/mod.ts";
import { portsOf } from "../server/serving.ts";

/** The elements that were done before each pause, of a loop whose elements take so many milliseconds each. */
async function stretches(elements: number, milliseconds: number): Promise<readonly number[]> {
  let now = 0;
  const scheduler = { sliceMilliseconds: 25, pause: () => Promise.resolve() };
  const tracker = new LoadTracker({ ports: portsOf({ scheduler, clock: { now: () => now } }) });
  const done: number[] = [];
  for (let left = elements; left > 0;) {
    tracker.beforeRule();
    let count = 0;
    while (left > 0 && tracker.beforeElement(count > 0) === "go") {
      now += milliseconds;
      left--;
      count++;
    }
    done.push(count);
    await tracker.awaitLoads();
  }
  return done;
}

const cases: readonly (readonly [elements: number, milliseconds: number, most: number])[] = [
  [40, 100, 1],
  [40, 20, 2],
  [40, 5, 16],
  [400, 0.5, 64],
  [10_000, 0.01, 2_600],
];
for (const [elements, milliseconds, most] of cases) {
  Deno.test(`a loop with elements of ${milliseconds} ms evaluates at most ${most} in a slice, also after pauses`, async () => {
    const found = await stretches(elements, milliseconds);
    assert.ok(Math.max(...found) <= most, found.join());
    assert.ok(found.length <= Math.ceil(elements * milliseconds / 25) + 1 || milliseconds > 25, found.join());
  });
}
