import { addPosternUsername, BackgroundWorker } from "../background/mod.ts";
import type { Snapshot } from "../engine/mod.ts";
import type { Log, Ports } from "../ports.ts";

/** Opens the worker that carries out the effects of a bundle's rules on other objects. */
export async function openEffects(
  snapshot: Snapshot,
  { ports, log }: { readonly ports: Ports; readonly log: Log },
): Promise<BackgroundWorker | undefined> {
  const actors = new Set<string>();
  await addPosternUsername(actors, { cluster: ports.cluster, log });
  // Every client that reaches a bundle can send reviews, so only objects that the cluster stores trigger effects.
  return new BackgroundWorker({
    snapshot: () => snapshot,
    ports,
    log,
    triggers: "as-stored",
    actors,
  });
}
