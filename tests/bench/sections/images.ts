import { ImageSignatures } from "../../../lib/registries/mod.ts";
import { systemClock, systemEntropy } from "../../../lib/adapters/mod.ts";
import { trustedRootOf } from "../../registries/signing/bundle.ts";
import { Signers } from "../../registries/signing/fixtures.ts";
import { TestRegistry } from "../../registries/signing/registry.ts";
import { type Bench, median } from "../bench.ts";
import { queryFor, signingWays } from "../signed_images.ts";
import { imageCommands } from "./image_commands.ts";
import { imageReviews } from "./image_reviews.ts";

const text =
  "The port that verifies signatures, called alone in this process; the registry is in this process too, so a first " +
  "verification holds the registry's work. Kyverno's verification cannot be called alone like this: it stands beside the command line below.";

/** Measures the verification of images against a registry on this machine: alone, and in the server. */
export async function images(bench: Bench): Promise<void> {
  const { results, rounds } = bench;
  results.section("Signatures of images, by themselves", {
    text,
    columns: ["first", "again", "requests to the registry"],
  });
  const registry = new TestRegistry(), signers = new Signers();
  const signatures = new ImageSignatures({
    clock: systemClock(),
    entropy: systemEntropy(),
    trustedRoot: () => Promise.resolve(trustedRootOf(signers)),
  });
  try {
    for (const { name, title, put, entry, goal } of signingWays(registry, signers)) {
      const first: number[] = [], again: number[] = [], requests: number[] = [];
      for (let round = 0; round < 10 * rounds; round++) {
        const image = `${name}/alone:v${round}`;
        put(image);
        const before = registry.received.length;
        const verify = async (): Promise<void> => {
          const answer = await signatures.verify(queryFor(`${registry.host}/${image}`, entry));
          if (!answer.ok) throw new Error(`${image}: ${answer.message}`);
        };
        first.push(await timed(verify));
        requests.push(registry.received.length - before);
        again.push(await timed(verify));
      }
      results.row(title, [
        `${median(first).toFixed(1)} ms`,
        `${(median(again) * 1_000).toFixed(0)} µs`,
        String(median(requests)),
      ], [
        ...(goal === undefined ? [] : [{ text: `first ≤ ${goal} ms`, met: median(first) <= goal }]),
        { text: "again ≤ 200 µs", met: median(again) <= 0.2 },
      ]);
    }
  } finally {
    await signatures.close();
    await registry.close();
  }
  await imageReviews(bench);
  await imageCommands(bench);
}

async function timed(task: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}
