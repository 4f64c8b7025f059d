/** The code of bundles reads images and verifies signatures on Node.js 20 and later. */
import assert from "node:assert/strict";
import { TestRegistry } from "../registries/signing/registry.ts";
import { putSignedImages } from "./image_queries.ts";
import { runOnNode } from "./node_program.ts";
import { answers } from "./running_bundle.ts";

/** Reads the images and verifies the signatures that the queries name, and prints what went wrong. */
const program = `
import { systemClock, systemEntropy } from "../../lib/adapters/mod.ts";
import { ImageRegistry, ImageSignatures } from "../../lib/registries/mod.ts";
const [queries, root] = process.argv.slice(2);
const options = { clock: systemClock(), entropy: systemEntropy(), trustedRoot: () => Promise.resolve(root) };
const registry = new ImageRegistry(options), signatures = new ImageSignatures(options);
const printed = [];
for (const query of JSON.parse(queries)) {
  const read = await registry.image(query.image, query.credentials);
  const verified = await signatures.verify(query);
  printed.push([read.ok ? read.body.repository : read.message, verified.message ?? "verified"]);
}
console.log(JSON.stringify(printed));
`;

Deno.test({
  name: "a bundle for node reads images and verifies signatures of every kind",
  ignore: !await answers("node", "--version"),
}, async () => {
  const registry = new TestRegistry();
  try {
    const { queries, repositories, root } = putSignedImages(registry);
    const printed = await runOnNode(program, JSON.stringify(queries), root);
    assert.deepEqual(printed, repositories.map((repository) => [repository, "verified"]));
  } finally {
    await registry.close();
  }
});
