import type { PolicyQuery, Snapshot } from "../engine/mod.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import type { AdmissionResponse } from "../report/mod.ts";

/** The policies that a URL selects. */
export type Route = Pick<PolicyQuery, "phase" | "failurePolicy" | "policy">;

/** The policies of the webhook at a path, in one phase. */
export interface PathRoute {
  /** The policies from which `route` selects; `undefined` before they are loaded. */
  readonly snapshot: Snapshot | undefined;
  readonly route: Route;
}

/** A webhook that reviews objects without evaluating policies, such as policies when they are stored. */
export interface ObjectRoute {
  readonly respond: (request: AdmissionRequest) => Promise<AdmissionResponse>;
}

/** The webhook at a path of the server. */
export type ReviewEndpoint = PathRoute | ObjectRoute;

const routes = /^\/(validate|mutate)(?:\/(fail|ignore)(?:\/finegrained\/((?:[^/]+\/)?[^/]+))?)?$/;

/**
 * The policies that a path selects; `undefined` for a path without reviews. The bare paths select every policy, and
 * `finegrained` selects one by its name, or by its namespace and name.
 *
 * Kyverno parity: these are the paths that Kyverno registers, pinned by tests/server/routes_test.ts.
 *
 * ```ts
 * import { routeOf } from "./review_route.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(routeOf("/validate/fail"), { phase: "validate", failurePolicy: "Fail" });
 * assert.deepEqual(routeOf("/mutate/ignore/finegrained/team/labels"), {
 *   phase: "mutate",
 *   failurePolicy: "Ignore",
 *   policy: "team/labels",
 * });
 * assert.equal(routeOf("/health/liveness"), undefined);
 * ```
 */
export function routeOf(path: string): Route | undefined {
  const [, phase, failurePolicy, policy] = routes.exec(path) ?? [];
  if (phase === undefined) return undefined;
  return {
    phase: phase as Route["phase"],
    ...(failurePolicy !== undefined && { failurePolicy: failurePolicy === "fail" ? "Fail" : "Ignore" }),
    ...(policy !== undefined && { policy }),
  };
}

/** The API server's default timeout and its longest timeout, in seconds. */
const defaultSeconds = 10, mostSeconds = 30;

/**
 * Milliseconds in which a review must be answered: the API server's timeout in the query (`timeout=10s`), and a bit
 * less.
 */
export function timeoutOf(query: string): number {
  const seconds = /(?:^|&)timeout=(\d{1,6})s(?:&|$)/.exec(query)?.[1];
  return Math.max(100, Math.min(Number(seconds ?? defaultSeconds), mostSeconds) * 1000 - 500);
}

/** As {@link timeoutOf}, for a path with its query. */
export function answerTimeOf(target: string): number {
  const queryStart = target.indexOf("?");
  return timeoutOf(queryStart < 0 ? "" : target.slice(queryStart + 1));
}
