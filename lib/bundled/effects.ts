import { BackgroundWorker, posternUsername } from "../background/mod.ts";
import type { Snapshot } from "../engine/mod.ts";
import type { Log, Ports } from "../ports.ts";

/** Carries out what rules of a bundle generate and change beside the request. */
export async function openEffects(
  snapshot: Snapshot,
  { ports, log }: { readonly ports: Ports; readonly log: Log },
): Promise<BackgroundWorker | undefined> {
  const self = await posternUsername(ports.cluster);
  // Whoever reaches a bundle can send reviews: only what the cluster stores sets anything off.
  return new BackgroundWorker({
    snapshot: () => snapshot,
    ports,
    log,
    triggers: "as-stored",
    actors: new Set(self === undefined ? [] : [self]),
  });
}
