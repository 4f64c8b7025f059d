/** Why a wait ended before its result. */
export type Ended = "timeout" | "cancelled";

/** A signal that ends with the caller's or after a time, and whose timer must be given back. */
export interface CallDeadline {
  readonly signal: AbortSignal;
  /** Why the signal was raised; `undefined` while it was not. */
  readonly ended: Ended | undefined;
  /** Gives the timer back. Call it once the wait is over, whatever its end. */
  release(): void;
}

/** A signal that is raised after `milliseconds`, or with `outer` if that comes first. */
export function deadlineIn(milliseconds: number, outer?: AbortSignal): CallDeadline {
  const controller = new AbortController();
  let ended: Ended | undefined;
  const end = (reason: Ended) => {
    ended ??= reason;
    controller.abort();
  };
  const cancel = () => end("cancelled");
  const timer = setTimeout(() => end("timeout"), milliseconds);
  if (outer?.aborted === true) cancel();
  else outer?.addEventListener("abort", cancel, { once: true });
  return {
    signal: controller.signal,
    get ended() {
      return ended;
    },
    release() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", cancel);
    },
  };
}

/** Waits; answers `false` at once when the signal is raised. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve(true);
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/**
 * The promise's value, or `otherwise` as soon as the signal is raised. The promise itself goes on: it may be a load
 * that others wait for too.
 */
export function unlessAborted<T>(promise: Promise<T>, otherwise: T, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) {
    promise.catch(() => {});
    return Promise.resolve(otherwise);
  }
  return new Promise((resolve, reject) => {
    const stop = () => resolve(otherwise);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
