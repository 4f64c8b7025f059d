import type { Snapshot } from "../engine/mod.ts";
import { isFault } from "../json/mod.ts";
import type { Log, Ports } from "../ports.ts";
import type { BackgroundWorker } from "./background_worker.ts";
import { carryOut } from "./carry_out.ts";
import { existingTriggers } from "./existing_triggers.ts";
import { followPolicies } from "./synchronize.ts";

/** What is done when other policies come into force. */
export interface PolicyChangeOptions {
  /** `undefined` at the start. */
  readonly before: Snapshot | undefined;
  readonly after: Snapshot;
  readonly worker: BackgroundWorker;
  readonly ports: Ports;
  readonly log: Log;
}

/**
 * Asks new and changed rules that look back about the objects that exist, and deletes what rules made that are gone and
 * that synchronized. Nothing is thrown: what cannot be done is logged.
 */
export async function followPolicyChange(options: PolicyChangeOptions): Promise<void> {
  const { before, after, worker, ports, log } = options;
  try {
    if (before !== undefined) await deleteOrphans(before, options);
    for (const { request, only } of await existingTriggers(after, { ports, log, before })) {
      await worker.room();
      worker.add(request, { only });
    }
  } catch (cause) {
    log.write("error", "existing objects were not looked at", { cause: String(cause) });
  }
}

async function deleteOrphans(before: Snapshot, { after, ports, log }: PolicyChangeOptions): Promise<void> {
  const effects = await followPolicies(before, { snapshot: after, ports });
  if (isFault(effects)) {
    log.write("error", "objects of deleted rules were not found", { cause: effects.message });
    return;
  }
  for (const effect of effects) {
    const carried = await carryOut(effect, ports.cluster);
    const { policy, rule, reason } = effect;
    if (carried.done) log.write("info", `effect: ${effect.verb}`, { policy, rule, reason });
    else log.write("error", "effect failed", { policy, rule, reason, cause: carried.message });
  }
}
