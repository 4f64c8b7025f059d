/**
 * The command line on signed images, beside Kyverno's where its program is named: one process, registry and policy
 * each.
 */
import type { JsonObject } from "../../../lib/json/mod.ts";
import { toYaml } from "../../../lib/yaml/mod.ts";
import { trustedRootOf } from "../../registries/signing/bundle.ts";
import { Signers } from "../../registries/signing/fixtures.ts";
import { TestRegistry } from "../../registries/signing/registry.ts";
import { type Bench, median, root } from "../bench.ts";
import { imagePolicy, type SigningWay, signingWays } from "../signed_images.ts";

/** Pods beside the first, each with an image of its own. */
const furtherPods = 40;

/** How one program applies a policy. */
interface Program {
  readonly name: string;
  readonly file: string;
  readonly options: readonly string[];
  /** Bundles are verified with a trusted root, which Kyverno fetches from the internet. */
  readonly skips: readonly string[];
}

/** `apply` on one Pod and on many, by Postern and, where `KYVERNO` names its program, by Kyverno. */
export async function imageCommands(bench: Bench): Promise<void> {
  const { results, folder, rounds } = bench;
  const kyverno = Deno.env.get("KYVERNO") ?? "";
  const text =
    `\`apply\` on Pods whose images nobody verified before. Each further image is a ${furtherPods}th of what ` +
    `${furtherPods} more Pods take. ` +
    (kyverno === ""
      ? "Kyverno's program was not named (`KYVERNO=FILE`), and no figures of it for images were recorded."
      : "Kyverno's program ran in turn with Postern's, on the same images.");
  const columns = ["one image", "each further image", "requests for an image"];
  results.section("Signed images on the command line", { text, columns });
  const registry = new TestRegistry(), signers = new Signers();
  const trusted = `${folder}/trusted-root.json`;
  await Deno.writeTextFile(trusted, trustedRootOf(signers));
  const programs: Program[] = [
    { name: "Postern", file: `${root}bin/postern`, options: ["--trusted-root", trusted], skips: [] },
    ...(kyverno === "" ? [] : [{ name: "Kyverno", file: kyverno, options: [], skips: ["bundle"] }]),
  ];
  try {
    for (const way of signingWays(registry, signers)) {
      const trial = new Trial(way, { registry, folder });
      await measure(trial, programs.filter(({ skips }) => !skips.includes(way.name)), rounds);
      for (const [program, times] of trial.times) {
        const first = median(times.map(({ one }) => one));
        const further = median(times.map(({ one, many }) => (many - one) / furtherPods));
        const requests = median(times.map(({ requests }) => requests));
        results.row(`${way.title}: ${program}`, [
          `${first.toFixed(0)} ms`,
          `${further.toFixed(1)} ms`,
          requests.toFixed(1),
        ]);
      }
    }
  } finally {
    await registry.close();
  }
}

async function measure(trial: Trial, programs: readonly Program[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const program of programs) await trial.run(program);
  }
}

interface Times {
  /** Milliseconds of the whole command with one Pod, and with all. */
  readonly one: number;
  readonly many: number;
  readonly requests: number;
}

class Trial {
  readonly times = new Map<string, Times[]>();
  readonly #way: SigningWay;
  readonly #registry: TestRegistry;
  readonly #folder: string;
  #images = 0;

  constructor(
    way: SigningWay,
    { registry, folder }: { readonly registry: TestRegistry; readonly folder: string },
  ) {
    this.#way = way;
    this.#registry = registry;
    this.#folder = folder;
  }

  async run(program: Program): Promise<void> {
    const one = await this.#apply(program, 1);
    const before = this.#registry.received.length;
    const many = await this.#apply(program, 1 + furtherPods);
    const requests = (this.#registry.received.length - before) / (1 + furtherPods);
    this.times.set(program.name, [...this.times.get(program.name) ?? [], { one, many, requests }]);
  }

  /** Milliseconds; an error when an image was not verified. */
  async #apply({ name, file, options }: Program, count: number): Promise<number> {
    const policy = `${this.#folder}/signed.yaml`, pods = `${this.#folder}/signed-pods.yaml`;
    await Deno.writeTextFile(policy, toYaml(imagePolicy([this.#way])));
    await Deno.writeTextFile(pods, Array.from({ length: count }, () => toYaml(this.#pod())).join("---\n"));
    const started = performance.now();
    const args = ["apply", policy, "--resource", pods, ...options];
    const { code, stdout, stderr } = await new Deno.Command(file, { args }).output();
    const elapsed = performance.now() - started;
    if (code === 0) return elapsed;
    throw new Error(
      `${name}: ${[stdout, stderr].map((each) => new TextDecoder().decode(each)).join("").slice(0, 400)}`,
    );
  }

  #pod(): JsonObject {
    const { name, put } = this.#way;
    const index = this.#images++, image = `${name}/command-${index}:v1`;
    put(image);
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `p${index}`, namespace: "default" },
      spec: { containers: [{ name: "c", image: `${this.#registry.host}/${image}` }] },
    };
  }
}
