/** The rounds in which webhooks are written. */
import assert from "node:assert/strict";
import { systemClock } from "../../lib/adapters/mod.ts";
import { compile } from "../../lib/engine/mod.ts";
import { Enforcer } from "../../lib/live/enforcer.ts";
import { readConfiguration } from "../../lib/live/configuration.ts";
import { Timers } from "../../lib/live/timers.ts";
import { installation, silent } from "./setting.ts";

/** Timers that run their tasks at once and note the waits. */
class NotedTimers extends Timers {
  readonly waits: number[] = [];

  override after(milliseconds: number, task: () => void): void {
    // Statuses wait less; the enforcer looks every ten seconds whether the authority changed.
    if (milliseconds < 2_000 || milliseconds === 10_000 || this.waits.length === 6) return;
    this.waits.push(milliseconds);
    queueMicrotask(task);
  }
}

Deno.test("webhooks that cannot be written are tried again after waits that double", async () => {
  const timers = new NotedTimers(), snapshot = compile([], { dialect: "current" });
  const enforcer = new Enforcer({
    cluster: {
      call: () => Promise.resolve({ ok: false, status: 500, message: "failed" }),
      resource: () => Promise.resolve(undefined),
    },
    collections: {
      watch: () => ({ objects: () => [], synced: Promise.resolve(), close: () => Promise.resolve() }),
    },
    discovery: { resources: () => Promise.resolve({ ok: true, resources: [] }) },
    clock: systemClock(),
    log: silent,
    installation,
    timers,
    leads: () => true,
    isBeingRemoved: () => Promise.resolve(false),
    snapshot: () => snapshot,
    configuration: () => readConfiguration(undefined, { namespace: "postern" }),
    objects: () => [],
    noticed: () => {},
  });
  enforcer.serve();
  while (timers.waits.length < 6) await new Promise((resolve) => setTimeout(resolve));
  await enforcer.close();
  assert.deepEqual(timers.waits, [
    2_000,
    4_000,
    8_000,
    16_000,
    30_000,
    30_000,
  ]);
});
