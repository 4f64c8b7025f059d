/** Trying again: how often, how long apart, and when not. */
import assert from "node:assert/strict";
import { retryAfter, type RetryOptions, withRetries } from "../../lib/adapters/retry.ts";
import { fixedClock } from "./fakes.ts";

const clock = fixedClock(Date.UTC(2026, 0, 1));

const wishes: [header: string | undefined, milliseconds: number][] = [
  [undefined, 0],
  ["", 0],
  ["0", 0],
  ["3", 3_000],
  [" 3 ", 3_000],
  ["-1", 0],
  ["1.5", 0],
  ["soon", 0],
  ["Thu, 01 Jan 2026 00:00:02 GMT", 2_000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  // More than a pause can be: with 0 instead, such a server was called again at once.
  ["99999999999", 99_999_999_999_000],
];
for (const [header, milliseconds] of wishes) {
  Deno.test(`Retry-After ${header ?? "absent"} is ${milliseconds} ms`, () => {
    const headers = new Headers(header === undefined ? {} : { "retry-after": header });
    assert.equal(retryAfter(headers, clock), milliseconds);
  });
}

async function tries(again: number | undefined, options: Partial<RetryOptions>): Promise<number> {
  let tried = 0;
  await withRetries(() => Promise.resolve({ value: ++tried, again }), {
    clock,
    entropy: { next: () => 0 },
    attempts: 3,
    firstDelay: 1,
    maxDelay: 10,
    until: clock.now() + 1_000,
    ...options,
  });
  return tried;
}

const table: [what: string, again: number | undefined, options: Partial<RetryOptions>, tries: number][] = [
  ["a final result", undefined, {}, 1],
  ["the number of attempts", 0, {}, 3],
  ["a Retry-After beyond the longest pause", 11, {}, 1],
  ["no time left for the pause", 0, { until: clock.now() }, 1],
  ["a Retry-After beyond the time limit", 9, { until: clock.now() + 9 }, 1],
  ["an aborted call", 0, { signal: AbortSignal.abort() }, 1],
];
for (const [what, again, options, expected] of table) {
  Deno.test(`retry: ${what}`, async () => assert.equal(await tries(again, options), expected));
}

for (const jump of [3_600_000, -3_600_000]) {
  Deno.test(`retry: a system clock that is set by ${jump} ms changes no time limit`, async () => {
    let reads = 0;
    const set = (elapsed: number) => ({ now: () => clock.now() + jump * reads++, elapsed: () => elapsed });
    assert.equal(await tries(0, { clock: set(0), until: 1_000 }), 3);
    assert.equal(await tries(0, { clock: set(1_000), until: 1_000 }), 1);
  });
}

Deno.test("retry: pauses double, and chance adds at most as much again", async () => {
  for (const [chance, least] of [[0, 15 + 30], [0.999, 30 + 60]] as const) {
    const begun = performance.now();
    await tries(0, { entropy: { next: () => chance }, firstDelay: 30, maxDelay: 1_000 });
    assert.ok(performance.now() - begun >= least - 3, String(chance));
  }
});
