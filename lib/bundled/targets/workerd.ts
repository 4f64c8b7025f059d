import { separateScheduler } from "../../adapters/mod.ts";
import { type BundledGate, type BundledPolicies, compileBundled, openBundledGate } from "../bundled_gate.ts";
import type { BundledImages } from "../bundled_ports.ts";
import { consoleLines, textSettings } from "../settings.ts";
import type { BundleTarget } from "../target.ts";

/** A bundle for Cloudflare Workers, and for workerd, the open-source runtime of Workers. */
export const target: BundleTarget = {
  name: "workerd",
  about: "Cloudflare Workers and workerd, with the flag nodejs_compat",
  exported: "default",
  extension: ".js",
  afterAnswer: "runs",
  tryIt: (file) => `npx wrangler dev ${file} --compatibility-flag nodejs_compat`,
};

/** The context that the platform passes with a request. */
export interface WorkerContext {
  /** Keeps the worker alive until the promise resolves. */
  waitUntil(done: Promise<unknown>): void;
}

/** A module worker. */
export interface Worker {
  fetch(request: Request, env: Readonly<Record<string, unknown>>, context: WorkerContext): Promise<Response>;
}

/**
 * Returns the file's export. Settings are the worker's variables and secrets. The platform passes them with each
 * request, so the module compiles policies when it is loaded and opens everything else with the first request.
 */
export function open(policies: BundledPolicies, images?: BundledImages): Worker {
  const snapshot = compileBundled(policies);
  let gate: BundledGate | undefined;
  return {
    async fetch(request, env, context) {
      // Two first requests may both open a gate. Neither waits for the other: the platform may cancel a request.
      gate ??= await openBundledGate(snapshot, {
        target,
        settings: textSettings(env),
        writeLine: consoleLines(),
        scheduler: separateScheduler(),
        images,
      });
      const { workDone } = gate;
      const response = await gate.fetch(request);
      context.waitUntil(workDone());
      return response;
    },
  };
}
