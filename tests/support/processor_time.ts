import assert from "node:assert/strict";
import process from "node:process";

/**
 * Milliseconds of processor time that this thread has used. Tests of texts that could cost too much compare it: a busy
 * machine does not add to it, as it does to the time that passes.
 */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Runs what must take less processor time than a bound, also for hostile input. A failure says how much it took. */
export function quickly(milliseconds: number, run: () => void): void {
  const start = processorTime();
  run();
  const took = processorTime() - start;
  assert.ok(took < milliseconds, `took ${Math.round(took)} ms`);
}
