import { EmbeddedCluster, type EmbeddedClusterOptions } from "../../lib/embedded/mod.ts";
import { systemClock, systemEntropy } from "../../lib/adapters/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import type { Answer, Ports } from "../../lib/ports.ts";

/** Ports for a set: a cluster that holds the given objects, and nothing else. */
export function clusterPorts(
  objects: readonly Json[],
  { intake = "complete" }: Pick<EmbeddedClusterOptions, "intake"> = {},
): Ports {
  const nothing = (what: string): Promise<Answer> =>
    Promise.resolve({ ok: false, status: undefined, message: `${what} cannot be reached here` });
  const clock = systemClock();
  const entropy = systemEntropy();
  return {
    cluster: new EmbeddedCluster({ objects, intake, clock, entropy }),
    http: { call: () => nothing("the service") },
    registry: { image: () => nothing("the registry") },
    globals: { entry: () => nothing("the global context") },
    clock,
    entropy,
  };
}
