import type { Fault, Json } from "../json/mod.ts";
import type { Answer } from "../ports.ts";
import type { LoadTracker } from "./load_tracker.ts";

/**
 * Reads a path of the Kubernetes API, once in a request: at once if the cluster has it in memory, so that the request
 * is evaluated only once. `deno task bench --only throughput`, "a ConfigMap looked up in memory".
 */
export function readPath(
  tracker: LoadTracker,
  { name, path }: { readonly name: string; readonly path: string },
  valueOf: (answer: Answer) => Json | Fault,
): Json | Fault {
  return tracker.load(name, () => {
    const { cluster } = tracker.ports;
    const answer = cluster.inMemory?.(path);
    return answer === undefined
      ? cluster.call({ method: "GET", path, ...tracker.call }).then(valueOf)
      : valueOf(answer);
  });
}
