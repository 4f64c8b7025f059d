/** The reader of a bundle's log stops, as when a node's container runtime hangs: the pipe fills, and requests go on. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { until } from "../e2e/waiting.ts";
import { admissionReview } from "../server/review.ts";
import { denoRuntime } from "./deno_runtime.ts";
import { nodeRuntime } from "./node_runtime.ts";
import { policies } from "./policies.ts";
import type { RunningBundle } from "./running_bundle.ts";
import { withFolder } from "../support/folder.ts";

/** Denials, of which each writes some 200 bytes: three times what a pipe holds. */
const denials = 1_000;

for (const { target, isHere, serve } of [denoRuntime, nodeRuntime]) {
  const ignore = !await isHere();
  Deno.test({ name: `a bundle for ${target} answers while nobody reads its log`, ignore }, async () => {
    await withFolder({ "policy.yaml": policies }, async (folder) => {
      const source = join(folder, "policy.yaml"), file = join(folder, "postern.mjs");
      const args = ["bundle", "--policies", source, "--out", file, "--target", target];
      assert.equal(await run(args, { out() {}, err() {} }), 0);
      await using running = await serve({ file, folder, settings: {} });
      const resume = running.pauseLog();
      for (let index = 0; index < denials; index++) await deny(running, index);
      resume();
      await until(() => Promise.resolve(running.log().includes(`"review-${denials - 1}"`)));
      const denied = running.log().match(/"message":"denied","uid":"review-\d+"/g);
      assert.equal(new Set(denied).size, denials);
    });
  });
}

async function deny({ address }: RunningBundle, index: number): Promise<void> {
  const answer = await fetch(`${address}/validate/fail`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(admissionReview({ uid: `review-${index}` })),
    signal: AbortSignal.timeout(10_000),
  });
  assert.match(await answer.text(), /"allowed":false/);
}
