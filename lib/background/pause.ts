/** Waits for some milliseconds and returns `true`; returns `false` at once when the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      // A signal that lives long must not collect the listeners of all pauses.
      signal.removeEventListener("abort", stop);
      resolve(true);
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}
