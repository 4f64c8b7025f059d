/** Reviews of Pods whose images are verified: how long they take, and what others notice of them. */
import https from "node:https";
import { dig, type JsonObject } from "../../../lib/json/mod.ts";
import { toYaml } from "../../../lib/yaml/mod.ts";
import { trustedRootOf } from "../../registries/signing/bundle.ts";
import { Signers } from "../../registries/signing/fixtures.ts";
import { TestRegistry } from "../../registries/signing/registry.ts";
import { type Bench, median, percent, probeOf } from "../bench.ts";
import { serveCommand } from "../../support/image.ts";
import { loadServer, type Measured } from "../load.ts";
import { type Server, startServer } from "../server.ts";
import { imagePolicy, type SigningWay, signingWays } from "../signed_images.ts";

/** Pods in a second with an image that was never seen: as many as a large rollout makes. */
const podsOfSecond = 20;
const manyImages = 10;

const text =
  "Reviews of new Pods to `/mutate/fail`, answered by the image's server with 17 pod security policies and a " +
  "policy about images; the registry is in the process of this benchmark. Each image has a digest of its own.";

const textOfOthers =
  "Reviews of Pods without such images to `/validate/fail`, over 16 connections, while each second " +
  `${podsOfSecond} Pods are created with an image that was never verified. Registry, server and load generator share ` +
  "the machine, so part of the difference is processor time that others have.";

interface Trial {
  readonly bench: Bench;
  readonly registry: TestRegistry;
  readonly ways: readonly SigningWay[];
  readonly server: Server;
  /** A review of a Pod, whose images are replaced. */
  readonly review: string;
}

/** Pods with one image and with ten, and the throughput of others meanwhile. */
export async function imageReviews(bench: Bench): Promise<void> {
  const registry = new TestRegistry(), signers = new Signers();
  const ways = signingWays(registry, signers);
  const policy = `${bench.folder}/images.yaml`, root = `${bench.folder}/trusted-root.json`;
  await Deno.writeTextFile(policy, toYaml(imagePolicy(ways)));
  await Deno.writeTextFile(root, trustedRootOf(signers));
  const options = ["--local-registries", "--trusted-root", root];
  const { review: reviewFile, security } = bench.inputs;
  const command = serveCommand(bench.image, [security, policy], options);
  const server = await startServer(command, await probeOf("/validate/fail", reviewFile));
  try {
    const trial = { bench, registry, ways, server, review: await Deno.readTextFile(reviewFile) };
    await latencies(trial);
    await others(trial);
  } finally {
    await server.stop();
    await registry.close();
  }
}

async function latencies(trial: Trial): Promise<void> {
  const { bench: { results, rounds }, ways } = trial;
  results.section("Reviews of Pods with signed images", { text, columns: ["first", "again"] });
  for (const way of ways) {
    for (const count of way.name === "key" ? [1, manyImages] : [1]) {
      // The first of each kind loads code.
      await decide(trial, putImages(way, `warm-${count}`, count));
      const first: number[] = [], again: number[] = [];
      for (let round = 0; round < 5 * rounds; round++) {
        const images = putImages(way, `pod-${count}-${round}`, count);
        first.push(await decide(trial, images));
        again.push(await decide(trial, images));
      }
      const what = count === 1 ? way.title : `${way.title}, ${count} images`;
      results.row(what, [`${median(first).toFixed(1)} ms`, `${median(again).toFixed(1)} ms`]);
    }
  }
}

async function others(trial: Trial): Promise<void> {
  const { bench: { results }, ways } = trial;
  const columns = ["requests/s", "of those alone", "p99 ms", "p99 alone", "Pods verified"];
  results.section("Other requests while images are verified", { text: textOfOthers, columns });
  for (const way of ways) {
    const rows = await besides(trial, way);
    const of = (key: "rate" | "p99", when: "alone" | "beside"): number =>
      median(rows.map((row) => row[when][key]));
    const share = median(rows.map(({ alone, beside }) => beside.rate / alone.rate));
    results.row(way.title, [
      of("rate", "beside").toFixed(0),
      percent(share),
      of("p99", "beside").toFixed(1),
      of("p99", "alone").toFixed(1),
      String(rows.reduce((sum, { pods }) => sum + pods, 0)),
    ], { text: "≥ 70 % of the requests", met: share >= 0.7 });
  }
}

interface Round {
  readonly alone: Measured;
  readonly beside: Measured;
  /** How many Pods were admitted meanwhile. */
  readonly pods: number;
}

async function besides(trial: Trial, way: SigningWay): Promise<Round[]> {
  const { bench: { generator, inputs, rounds, seconds }, server } = trial;
  const order = { path: "/validate/fail", bodyFile: inputs.review, connections: 16, seconds };
  const found: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await loadServer(generator, server, order);
    const pods = Array.from(
      { length: Math.ceil(podsOfSecond * seconds) },
      (_, index) => putImages(way, `beside-${round}-${index}`, 1),
    );
    const [beside] = await Promise.all([loadServer(generator, server, order), spread(pods, seconds)]);
    found.push({ alone, beside, pods: pods.length });
  }
  return found;

  /** Sends the reviews evenly over a time, whether earlier ones were answered or not. */
  async function spread(pods: readonly (readonly string[])[], seconds: number): Promise<void> {
    const pause = 1_000 * seconds / pods.length;
    await Promise.all(pods.map(async (images, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * pause));
      await decide(trial, images);
    }));
  }
}

/** Puts signed images; their paths in the registry. */
function putImages({ name, put }: SigningWay, repository: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const image = `${name}/${repository}-${index}:v1`;
    put(image);
    return image;
  });
}

/** Milliseconds until a Pod with these images is admitted; an error when it is not, or when no digest was pinned. */
async function decide({ registry, server, review }: Trial, images: readonly string[]): Promise<number> {
  const body = JSON.parse(review) as { request: { object: { spec: Record<string, unknown> } } };
  body.request.object.spec = {
    containers: images.map((image, index) => ({ name: `c${index}`, image: `${registry.host}/${image}` })),
  };
  const started = performance.now();
  const answer = await post(server.port, JSON.stringify(body));
  const elapsed = performance.now() - started;
  const response = answer["response"];
  const patch = atob(String(dig(response, "patch") ?? ""));
  if (dig(response, "allowed") !== true || !patch.includes("@sha256:")) {
    throw new Error(`${images[0]} was not verified: ${JSON.stringify(dig(response, "status"))}`);
  }
  return elapsed;
}

const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

function post(port: number, body: string): Promise<JsonObject> {
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: "/mutate/fail?timeout=10s",
      method: "POST",
      headers,
      agent,
    };
    const request = https.request(options, (answer) => {
      const chunks: string[] = [];
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => void chunks.push(chunk));
      answer.on("end", () => resolve(JSON.parse(chunks.join(""))));
      answer.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}
