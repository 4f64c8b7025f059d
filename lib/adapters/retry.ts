import type { Clock, Entropy } from "../ports.ts";
import { pause } from "./deadline.ts";

/** How a call is tried again. */
export interface RetryOptions {
  readonly entropy: Entropy;
  readonly clock: Clock;
  /** Tries in all, the first included. */
  readonly attempts: number;
  /** Milliseconds before the second try; doubled for each further one. */
  readonly firstDelay: number;
  /** No pause is longer than this many milliseconds. */
  readonly maxDelay: number;
  /** Milliseconds since 1970 after which no further try is begun. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/** A try that is over, and whether another one makes sense. */
export interface Attempt<T> {
  readonly value: T;
  /** `undefined`: this is the result. Otherwise the server's wish in milliseconds, or 0 for none. */
  readonly again: number | undefined;
}

/**
 * Tries until a result stands, the tries are used up, or time is: then the last try's value. Pauses grow by doubling,
 * half of each is random so that many callers do not come back at once; a server's `Retry-After` is the least pause.
 */
export async function withRetries<T>(
  attempt: () => Promise<Attempt<T>>,
  { entropy, clock, attempts, firstDelay, maxDelay, until, signal }: RetryOptions,
): Promise<T> {
  for (let tried = 1;; tried++) {
    const { value, again } = await attempt();
    if (again === undefined || tried >= attempts) return value;
    const delay = Math.min(maxDelay, firstDelay * 2 ** (tried - 1)) * (0.5 + entropy.next() / 2);
    const wait = Math.max(again, delay);
    // Waiting past the end, or for longer than we ever wait, would only delay the bad news.
    if (again > maxDelay || clock.now() + wait >= until) return value;
    if (!await pause(wait, signal)) return value;
  }
}

/** `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110 §10.2.3); 0 when there is none. */
export function retryAfter(headers: Headers, clock: Clock): number {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = text === "" ? NaN : Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - clock.now());
}
