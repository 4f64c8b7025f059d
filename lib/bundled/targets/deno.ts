import { LineBatch, writeToStandardError } from "../../adapters/mod.ts";
import type { BundledPolicies, FetchHandler } from "../bundled_gate.ts";
import type { BundledImages } from "../bundled_ports.ts";
import { openProcessGate } from "../process_gate.ts";
import { lostLines } from "../settings.ts";
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
  const lines = logLines();
  const { fetch } = await openProcessGate(target, { policies, images, writeLine: (line) => lines.add(line) });
  return { fetch };
}

/** The lines of the log, which wait for no reader. */
function logLines(): LineBatch {
  const lines = new LineBatch(async (bytes) => {
    for (let written = 0; written < bytes.length;) {
      written += await Deno.stderr.write(bytes.subarray(written));
    }
  });
  lines.whenLost((count) => lines.add(lostLines(count)));
  globalThis.addEventListener("unload", () => {
    const rest = lines.take();
    if (rest !== "") writeToStandardError(rest.slice(0, -1));
  });
  return lines;
}
