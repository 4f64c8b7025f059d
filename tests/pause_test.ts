/** Pauses end with their time or with a signal, and leave nothing behind on a signal that lives on. */
import assert from "node:assert/strict";
import { pause } from "../lib/pause.ts";

Deno.test("a pause ends after its time, or at once when its signal aborts", async () => {
  const stop = new AbortController();
  assert.equal(await pause(1, stop.signal), true);
  const paused = pause(60_000, stop.signal);
  stop.abort();
  assert.equal(await paused, false);
  assert.equal(await pause(60_000, stop.signal), false);
});

Deno.test("pauses that have ended leave no listeners on their signal", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal), remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
  for (let index = 0; index < 3; index++) await pause(0, signal);
  assert.equal(listeners, 0);
});
