/** The code of bundles reads images and verifies signatures on workerd. */
import assert from "node:assert/strict";
import { TestRegistry } from "../registries/signing/registry.ts";
import { withFolder } from "../support/folder.ts";
import { putSignedImages } from "./image_queries.ts";
import { bundleProgram } from "./node_program.ts";
import { workerdRuntime } from "./workerd_runtime.ts";

/** A worker that verifies the signature which a posted query names, and answers what went wrong. */
const worker = `
import { systemClock, systemEntropy } from "../../lib/adapters/mod.ts";
import { ImageRegistry, ImageSignatures } from "../../lib/registries/mod.ts";
export default {
  async fetch(request) {
    const { query, root } = await request.json();
    const options = { clock: systemClock(), entropy: systemEntropy(), trustedRoot: () => Promise.resolve(root) };
    const registry = new ImageRegistry(options), signatures = new ImageSignatures(options);
    const read = await registry.image(query.image, query.credentials);
    const verified = await signatures.verify(query);
    return Response.json([read.ok ? read.body.repository : read.message, verified.message ?? "verified"]);
  },
};
`;

Deno.test({
  name: "a bundle for workerd reads images and verifies signatures of every kind",
  ignore: !await workerdRuntime.isHere(),
}, async () => {
  const registry = new TestRegistry();
  try {
    const { queries, repositories, root } = putSignedImages(registry);
    await withFolder({}, async (folder) => {
      const file = await bundleProgram(worker, "workerd", folder);
      await using running = await workerdRuntime.serve({ file, folder, settings: {} });
      const answers: unknown[] = [];
      for (const query of queries) {
        const body = JSON.stringify({ query, root });
        const answer = await fetch(running.address, { method: "POST", body });
        const text = await answer.text();
        answers.push(answer.ok ? JSON.parse(text) : text + running.log());
      }
      assert.deepEqual(answers, repositories.map((repository) => [repository, "verified"]));
    });
  } finally {
    await registry.close();
  }
});
