import { asString, dig, isFault } from "../../json/mod.ts";
import type { Cluster, Log } from "../../ports.ts";
import { pause } from "../../pause.ts";
import { readyEndpoints, type ServiceReference } from "./ready_endpoints.ts";

/** The cluster and the Service that {@link untilReachable} waits for. */
export interface ReachableOptions {
  readonly cluster: Cluster;
  readonly log: Log;
  readonly service: ServiceReference;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Milliseconds between two checks: a second. */
  readonly every?: number;
}

/** The number of successive checks that must find a ready endpoint: nodes learn of it later than the API server. */
export const checksInARow = 3;

/**
 * Waits until the API server can reach a replica through the Service; `false` when the signal was aborted first. It
 * does not wait for a Service that is an ExternalName or does not exist, because such a Service has no endpoints.
 */
export async function untilReachable(options: ReachableOptions): Promise<boolean> {
  const { cluster, log, service, signal, every = 1_000 } = options;
  const path = `/api/v1/namespaces/${encodeURIComponent(service.namespace)}/services/${
    encodeURIComponent(service.name)
  }`;
  const found = await cluster.call({ method: "GET", path });
  if (!found.ok && found.status === 404) return !signal.aborted;
  if (found.ok && asString(dig(found.body, "spec", "type")) === "ExternalName") return !signal.aborted;
  let checks = 0, problem = "";
  while (!signal.aborted) {
    const ready = await readyEndpoints(cluster, service);
    if (isFault(ready) && ready.message !== problem) {
      problem = ready.message;
      log.write("error", "the endpoints of the service cannot be read", { reason: problem });
    }
    checks = isFault(ready) || ready === 0 ? 0 : checks + 1;
    if (checks >= checksInARow) return true;
    await pause(every, signal);
  }
  return false;
}
