import type { BundledPolicies, FetchHandler } from "../bundled_gate.ts";
import type { BundledImages } from "../bundled_ports.ts";
import { openProcessGate } from "../process_gate.ts";
import type { BundleTarget } from "../target.ts";

/** `deno serve`, and platforms that run Deno. */
export const target: BundleTarget = {
  name: "deno",
  about: "deno serve, and platforms that run Deno",
  exported: "default",
  extension: ".js",
  afterAnswer: "runs",
  tryIt: (file) => `deno serve --allow-env --allow-net ${file}`,
};

/** Opens the gate and returns the file's export. Settings are environment variables. */
export async function open(policies: BundledPolicies, images?: BundledImages): Promise<FetchHandler> {
  const { fetch } = await openProcessGate(target, { policies, images });
  return { fetch };
}
