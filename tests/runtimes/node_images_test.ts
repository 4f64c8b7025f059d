/** The code of bundles reads images and verifies signatures on Node.js 20 and later. */
import assert from "node:assert/strict";
import { queryFor, signingWays } from "../bench/signed_images.ts";
import { trustedRootOf } from "../registries/signing/bundle.ts";
import { Signers } from "../registries/signing/fixtures.ts";
import { TestRegistry } from "../registries/signing/registry.ts";
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
    const signers = new Signers(), ways = signingWays(registry, signers);
    for (const { name, put } of ways) put(`${name}/app:v1`);
    const queries = ways.map(({ name, entry }) => queryFor(`${registry.host}/${name}/app:v1`, entry));
    const printed = await runOnNode(program, JSON.stringify(queries), trustedRootOf(signers));
    assert.deepEqual(printed, ways.map(({ name }) => [`${name}/app`, "verified"]));
  } finally {
    await registry.close();
  }
});
