/** Why a wait ended before its result. */
export type Ended = "timeout" | "cancelled" | "flood";

/** A signal that aborts after a time or with the caller's signal. The caller must release its timer. */
export interface CallDeadline {
  readonly signal: AbortSignal;
  /** Why the signal aborted; `undefined` until it does. */
  readonly ended: Ended | undefined;
  /** Ends the wait now. */
  end(reason: Ended): void;
  /** Clears the timer. Call it when the wait is over, however it ended. */
  release(): void;
}

/** Makes a signal that aborts after `milliseconds`, or with `outer` if that aborts first. */
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
    end,
    release() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", cancel);
    },
  };
}

/**
 * Returns the promise's value, or `otherwise` as soon as the signal aborts. It does not end the promise's work, because
 * other callers may wait for the same load.
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
