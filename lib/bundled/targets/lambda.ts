import { handle } from "hono/aws-lambda";
import type { BundledPolicies } from "../bundled_gate.ts";
import type { BundledImages } from "../bundled_ports.ts";
import { openProcessGate } from "../process_gate.ts";
import type { BundleTarget } from "../target.ts";

/** AWS Lambda behind a function URL, an API gateway or a load balancer. */
export const target: BundleTarget = {
  name: "lambda",
  about: "AWS Lambda on Node.js, behind a function URL or an API gateway",
  exported: "handler",
  extension: ".mjs",
  afterAnswer: "stops",
  tryIt: (file) =>
    `zip -j function.zip ${file}, with the handler ${
      file.replace(/^.*\//, "").replace(/\.[^.]*$/, "")
    }.handler`,
};

type Handler = ReturnType<typeof handle>;

/**
 * Opens the gate and returns the file's export. Settings are environment variables. Lambda freezes a function after
 * its answer, so the answer waits for the audit results.
 */
export async function open(policies: BundledPolicies, images?: BundledImages): Promise<Handler> {
  const gate = await openProcessGate(target, { policies, images });
  const answer = handle(gate.app);
  return async (event, context) => {
    const result = await answer(event, context);
    await gate.workDone();
    return result;
  };
}
