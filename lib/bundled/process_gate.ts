import { addressesOf, environmentVariable, eventLoopScheduler } from "../adapters/mod.ts";
import { type BundledGate, type BundledPolicies, compileBundled, openBundledGate } from "./bundled_gate.ts";
import type { BundledImages } from "./bundled_ports.ts";
import { consoleLines } from "./settings.ts";
import type { BundleTarget } from "./target.ts";

/** The policies and recorded images that the file of a bundle passes to its platform, and where the log goes. */
export interface BundleParts {
  readonly policies: BundledPolicies;
  readonly images?: BundledImages | undefined;
  /** The console by default. */
  readonly writeLine?: (line: string) => void;
}

/** Opens the gate on a platform that runs a bundle as a process. Settings are environment variables. */
export async function openProcessGate(
  target: BundleTarget,
  { policies, images, writeLine = consoleLines() }: BundleParts,
): Promise<BundledGate> {
  return await openBundledGate(compileBundled(policies), {
    target,
    settings: environmentVariable,
    writeLine,
    scheduler: eventLoopScheduler(),
    resolve: addressesOf,
    images,
  });
}
