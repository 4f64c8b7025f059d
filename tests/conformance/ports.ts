import type { Json } from "../../lib/json/mod.ts";
import type { Answer, Ports } from "../../lib/ports.ts";

/** Ports for a set: a cluster that holds the given objects, and no other world. */
export function clusterPorts(_objects: readonly Json[]): Ports {
  const nothing = (what: string): Promise<Answer> =>
    Promise.resolve({ ok: false, status: undefined, message: `${what} cannot be reached here` });
  return {
    cluster: { call: () => nothing("the cluster"), resource: () => Promise.resolve(undefined) },
    http: { call: () => nothing("the service") },
    registry: { image: () => nothing("the registry") },
    globals: { entry: () => nothing("the global context") },
    clock: { now: () => Date.now() },
    entropy: { next: () => Math.random() },
  };
}
