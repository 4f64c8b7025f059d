import { type Clock, elapsedOn, type Entropy } from "../ports.ts";
import { pause } from "../pause.ts";

/** The bounds of {@link withRetries}. */
export interface RetryOptions {
  readonly entropy: Entropy;
  readonly clock: Clock;
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; the pause doubles before each further one. */
  readonly firstDelay: number;
  /** No pause is longer than this many milliseconds. */
  readonly maxDelay: number;
  /** When no further attempt begins: a time of `elapsedOn`. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/** The value of one attempt, and whether another attempt makes sense. */
export interface Attempt<T> {
  readonly value: T;
  /** `undefined`: the value is the result. Otherwise the least pause in milliseconds that the server demands, or 0. */
  readonly again: number | undefined;
}

/**
 * Repeats an attempt until it returns a result, or until the attempts or the time are used up; then it returns the last
 * value. Each pause is twice as long as the last one. Half of it is random, so that many callers do not repeat at the
 * same moment. A server's `Retry-After` is the least pause.
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
    // A pause past the deadline or beyond the longest pause would only delay the failure.
    if (again > maxDelay || elapsedOn(clock) + wait >= until) return value;
    if (!await pause(wait, signal)) return value;
  }
}

/**
 * `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110 §10.2.3); 0 when there is none. A number of
 * seconds beyond all doubles is infinite, so that there is no further try.
 */
export function retryAfter(headers: Headers, clock: Clock): number {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = text === "" ? NaN : Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - clock.now());
}
