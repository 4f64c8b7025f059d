import { join } from "node:path";
import { denoRuntime } from "../../runtimes/deno_runtime.ts";
import { lambdaRuntime } from "../../runtimes/lambda_runtime.ts";
import { nodeRuntime } from "../../runtimes/node_runtime.ts";
import type { RunningBundle, Runtime } from "../../runtimes/running_bundle.ts";
import { workerdRuntime } from "../../runtimes/workerd_runtime.ts";
import { type Bench, median, mib, root } from "../bench.ts";
import { memoryOf } from "../server.ts";

const runtimes: readonly Runtime[] = [denoRuntime, workerdRuntime, nodeRuntime, lambdaRuntime];

/** How often each bundle starts, in a quick run too: the machine's speed changes within seconds. */
const rounds = 9;

/** The starts of a bundle: milliseconds up to the first decision, and own memory then and after more requests. */
interface Starts {
  readonly runtime: Runtime;
  readonly folder: string;
  readonly file: string;
  readonly times: number[];
  readonly first: number[];
  readonly later: number[];
}

/**
 * Cold start and memory of a bundle on each runtime: from starting the process to its first decision, over plain HTTP.
 */
export async function runtimesSection({ inputs, folder, results, quick }: Bench): Promise<void> {
  results.section("Bundles on each runtime, 17 pod security policies", {
    text:
      `From starting the process to its first decision, the median of ${rounds} starts in turn, and the process' memory ` +
      "then and after more requests, one at a time. Lambda is Node.js with a function URL's events.",
    columns: ["file, minified", "cold start", "own memory after the first decision", "after the requests"],
  });
  const review = await Deno.readTextFile(inputs.review);
  const all: Starts[] = [];
  for (const runtime of runtimes) {
    const { target } = runtime;
    if (!await runtime.isHere()) {
      results.row(`\`${target}\``, ["the runtime is not here", "", "", ""]);
      continue;
    }
    const bundleFolder = join(folder, `bundle-${target}`);
    const file = await bundle(target, { policies: inputs.security, folder: bundleFolder });
    all.push({ runtime, folder: bundleFolder, file, times: [], first: [], later: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const starts of all) await start(starts, { review, requests: quick ? 200 : 2_000 });
  }
  for (const { runtime: { target }, file, times, first, later } of all) {
    const size = `${((await Deno.stat(file)).size / 1e6).toFixed(2)} MB`, time = median(times);
    // Deno and workerd start a bundle for a request. Node alone takes most of its start.
    const goals = target === "deno" || target === "workerd"
      ? [{ text: "cold start < 90 ms", met: time < 90 }]
      : [];
    results.row(
      `\`${target}\``,
      [size, `${time.toFixed(0)} ms`, mib(median(first)), mib(median(later))],
      goals,
    );
  }
}

async function start(
  { runtime, folder, file, times, first, later }: Starts,
  { review, requests }: { readonly review: string; readonly requests: number },
): Promise<void> {
  const begin = performance.now();
  await using running = await runtime.serve({ file, folder, settings: {} });
  await decide(running, review);
  times.push(performance.now() - begin);
  first.push((await memoryOf(running.pid)).unshared);
  for (let count = 0; count < requests; count++) await decide(running, review);
  later.push((await memoryOf(running.pid)).unshared);
}

async function bundle(
  target: string,
  { policies, folder }: { readonly policies: string; readonly folder: string },
): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const file = join(folder, "postern.mjs");
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "main.ts",
      "bundle",
      "--policies",
      policies,
      "--out",
      file,
      "--target",
      target,
      "--minify",
    ],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return file;
}

async function decide({ address }: RunningBundle, review: string): Promise<void> {
  const response = await fetch(`${address}/validate/fail`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: review,
  });
  const text = await response.text();
  if (!text.includes('"allowed":')) throw new Error(`${address} answered ${response.status}: ${text}`);
}
