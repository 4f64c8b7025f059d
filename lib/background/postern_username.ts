import { asString, dig } from "../json/mod.ts";
import { describeFailure, type FailedAnswer } from "../kube/mod.ts";
import { pause } from "../pause.ts";
import type { ApiCall, Cluster, Log } from "../ports.ts";

const query: ApiCall = {
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
};

/**
 * Milliseconds between a failed call and the next one. With a policy about every kind, calls fail until a replica
 * answers the webhook; rules are evaluated for Postern's changes meanwhile.
 */
const retryDelay = 1_000;

/** The ports of {@link addPosternUsername}. */
export interface UsernameOptions {
  readonly cluster: Cluster;
  readonly log: Log;
  /** Ends further calls. Without it there are none. */
  readonly signal?: AbortSignal;
  /** Waits for some milliseconds, or until the signal aborts; tests replace it. */
  readonly wait?: typeof pause;
}

/**
 * Adds the user name under which the API server knows Postern to `names`, unless the API server does not say it (before
 * Kubernetes 1.28). It resolves after one call; when that fails, the log says so, and further calls follow.
 */
export async function addPosternUsername(names: Set<string>, options: UsernameOptions): Promise<void> {
  const failure = await call(names, options.cluster);
  if (failure === undefined) return;
  options.log.write("warn", "Postern's user name was not read: rules are evaluated for its changes, too", {
    reason: describeFailure(query, failure),
  });
  if (options.signal !== undefined) void repeat(names, options);
}

async function repeat(names: Set<string>, options: UsernameOptions): Promise<void> {
  const { cluster, signal, wait = pause } = options;
  while (await wait(retryDelay, signal)) if (await call(names, cluster) === undefined) return;
}

/** Returns the failure of the call, if it may succeed later. */
async function call(names: Set<string>, cluster: Cluster): Promise<FailedAnswer | undefined> {
  const answer = await cluster.call(query);
  if (!answer.ok) return answer.status === 404 ? undefined : answer;
  const name = asString(dig(answer.body, "status", "userInfo", "username"));
  if (name !== undefined) names.add(name);
  return undefined;
}
