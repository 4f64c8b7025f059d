import { pause } from "../pause.ts";
import type { Answer, ApiCall, Cluster } from "../ports.ts";

/** Whether another try of a call may succeed: the API server did not answer, was busy, failed, or met a conflict. */
export function isRetryable(status: number | undefined): boolean {
  return status === undefined || status >= 500 || [401, 408, 409, 410, 429].includes(status);
}

/** Tries of one call. With their pauses they take some seconds, in which an API server restarts. */
export const mostTries = 6;
/** The pause after a failed try in milliseconds; each further one is twice as long. */
export function pauseAfter(tries: number): number {
  return 250 * 2 ** (tries - 1);
}

/**
 * Repeats a call whose repetition changes nothing until the API server carries it out, refuses it for good, or has
 * failed {@link mostTries} times. A conflict is an answer: the caller knows whether it means success.
 */
export async function repeatedCall(cluster: Cluster, call: ApiCall, signal: AbortSignal): Promise<Answer> {
  for (let tries = 1;; tries++) {
    const answer = await cluster.call(call);
    const isOver = answer.ok || answer.status === 409 || !isRetryable(answer.status) || tries >= mostTries;
    if (isOver || !await pause(pauseAfter(tries), signal)) return answer;
  }
}
