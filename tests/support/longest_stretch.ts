import { processorTime } from "./processor_time.ts";

/** The longest stretch of work while something runs, in milliseconds of processor time of this thread. */
export async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let last = processorTime(), longest = 0, isOver = false;
  const look = (): void => {
    const now = processorTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const turns = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      look();
    }
  })();
  await work();
  look();
  isOver = true;
  await turns;
  return longest;
}
