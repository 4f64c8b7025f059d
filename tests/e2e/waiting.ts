/** Lets time pass. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Waits until something is so, at most so many seconds. */
export async function until(isSo: () => Promise<boolean>, seconds = 15): Promise<void> {
  for (let tries = 0; tries < seconds * 4; tries++) {
    if (await isSo()) return;
    await pause(250);
  }
  throw new Error(`it did not come to be within ${seconds} seconds`);
}

/** Repeats a check until it passes, at most so many seconds; then it fails as the check does. */
export async function eventually(check: () => Promise<void>, seconds = 30): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      return await check();
    } catch (cause) {
      if (tries >= seconds * 4) throw cause;
      await pause(250);
    }
  }
}
