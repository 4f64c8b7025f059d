import process from "node:process";

/**
 * Milliseconds of processor time that this thread has used. Tests of texts that could cost too much compare it: a busy
 * machine does not add to it, as it does to the time that passes.
 */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
