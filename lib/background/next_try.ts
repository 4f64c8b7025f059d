import type { Failure } from "./failure.ts";

/** The step after a try of a request's effects. */
export type NextTry =
  | { readonly kind: "done" }
  /** The effects must only wait: the change is in the cluster, and its correction is not due yet. */
  | { readonly kind: "wait"; readonly delay: number }
  /** An error, unless the request was not carried out or finds no target. */
  | { readonly kind: "give up"; readonly cause: string; readonly isError: boolean }
  /** `isReported`: the failure is reported now, because several tries failed. */
  | { readonly kind: "again"; readonly cause: string; readonly delay: number; readonly isReported: boolean };

/** How often a request is tried. */
export interface TriesOptions {
  /** The number of tries for a request; 10 by default, which takes 50 seconds. */
  readonly attempts?: number;
  /** Milliseconds before the second try; each further delay is twice as long, at most a minute. 100 by default. */
  readonly firstDelay?: number;
}

const longestDelay = 60_000;
/** The number of failed attempts after which a failure is reported: an object is often created a moment later. */
const reportAfter = 3;
/**
 * The number of tries for a missing target. Kyverno parity: the same number. Pinned by "the worker looks for a missing
 * target five times, and reports no failure".
 */
const targetAttempts = 5;

/** Decides the step after a try, by its failures and the number of tries before it. */
export function nextTry(
  failures: readonly Failure[],
  tries: number,
  { attempts = 10, firstDelay = 100 }: TriesOptions,
): NextTry {
  const [first] = failures;
  if (first === undefined) return { kind: "done" };
  if (failures.every(({ delay }) => delay !== undefined)) {
    return { kind: "wait", delay: Math.max(...failures.map(({ delay = 0 }) => delay)) };
  }
  const cause = first.message;
  const most = failures.every(({ nothingToDo }) => nothingToDo === "targetMissing")
    ? Math.min(attempts, targetAttempts)
    : attempts;
  if (tries + 1 >= most || failures.every(({ retryable }) => !retryable)) {
    return {
      kind: "give up",
      cause,
      isError: failures.some(({ nothingToDo }) => nothingToDo === undefined),
    };
  }
  const delay = Math.min(firstDelay * 2 ** tries, longestDelay);
  return { kind: "again", cause, delay, isReported: tries + 1 === reportAfter };
}
