/** Requests that wait long for their effects are reported, and others are not. */
import assert from "node:assert/strict";
import { LongWaits } from "../../lib/background/long_waits.ts";

const cases: readonly (readonly [what: string, waits: readonly (number | undefined)[], reports: number])[] = [
  ["a request that waits for two looks is reported twice", [250, 500, undefined], 2],
  ["a request that began to wait since the last look is reported with the next one", [10, 260, undefined], 1],
  ["a request that is done before the first look is not reported", [undefined], 0],
];

for (const [what, waits, reports] of cases) {
  Deno.test(what, async () => {
    const left = [...waits], ended = Promise.withResolvers<void>();
    let count = 0;
    const longWaits = new LongWaits({
      longestWait() {
        const waited = left.shift();
        if (waited === undefined) ended.resolve();
        return waited;
      },
      reported: () => void count++,
      signal: new AbortController().signal,
    });
    longWaits.watch();
    longWaits.watch();
    await ended.promise;
    assert.deepEqual([count, left], [reports, []]);
  });
}

Deno.test("a watch ends with its signal", async () => {
  const stop = new AbortController();
  const longWaits = new LongWaits({
    longestWait: () => 1_000,
    reported: () => assert.fail("reported"),
    signal: stop.signal,
  });
  longWaits.watch();
  stop.abort();
  await new Promise((resolve) => setTimeout(resolve, 0));
});
