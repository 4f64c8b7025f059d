import type { FailedAnswer } from "../kube/mod.ts";

/** The answers to a watch that are not about its resourceVersion: about the caller, the kind, and load. */
const notAboutVersion: readonly (number | undefined)[] = [401, 403, 404, 408, 429];

/** Whether the API server rejects a watch, so that only a new list helps: it is too old (410) or invalid (400, 422). */
export function isRejected({ status }: FailedAnswer): boolean {
  return status !== undefined && status >= 400 && status < 500 && !notAboutVersion.includes(status);
}

/**
 * Whether the API server answered that there is nothing to list: it forbids the list, or does not serve the kind. After
 * any other failure the objects are unknown. They must not count as absent, because then no policy would be in force.
 */
export function isFinal({ status }: FailedAnswer): boolean {
  return status === 403 || status === 404;
}

/** Whether a failure is one of the network or of a server that does not work, and not an answer about the kind. */
export function hasNoAnswer({ status }: FailedAnswer): boolean {
  return status === undefined || status >= 500;
}
