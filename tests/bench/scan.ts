/**
 * How long the background scan takes of a whole cluster, on a real API server:
 *
 *     deno run -A tests/bench/scan.ts [--pods 10000] [--port 29443]
 *
 * It makes Pods, starts what the container runs on one processor with 17 pod security policies, and waits until every Pod has a
 * report; then it starts again with nothing changed, which must write nothing. It needs the scripts for an API server beside the
 * project, and some minutes, most of them for making the Pods.
 */
import { parseArgs } from "node:util";
import { kubeconfigEndpoint, LiveCluster, systemClock, systemEntropy } from "../../lib/adapters/mod.ts";
import { asList, asString, dig, field, isFault, type JsonObject } from "../../lib/json/mod.ts";
import type { Cluster } from "../../lib/ports.ts";
import { type Image, makeImage } from "../support/image.ts";
import { findInputs } from "./inputs.ts";

const root = new URL("../../", import.meta.url).pathname;
const kube = `${root}../shared/kube`;
const definitions = `${root}../shared/corpus/chainsaw/crds`;
const namespaces = 20;
/** Requests that make Pods at a time. */
const together = 16;

const { values } = parseArgs({
  args: Deno.args,
  options: { pods: { type: "string", default: "10000" }, port: { type: "string", default: "29443" } },
});
const pods = Number(values.pods);
const env = { PORT: values.port, KCM: "0", SA: "0" };

const folder = await Deno.makeTempDir({ prefix: "postern-scan-" });
try {
  const image = await makeImage(folder);
  const { security, review } = await findInputs(folder);
  const kubeconfig = /KUBECONFIG=(.*)/.exec(await run(`${kube}/start`, []))![1]!;
  const cluster = await connect(kubeconfig);
  await run("kubectl", ["--kubeconfig", kubeconfig, "apply", "--server-side", "-f", definitions]);
  await makePods(cluster, JSON.parse(await Deno.readTextFile(review)));
  const first = await scan(image, { kubeconfig, security });
  const before = await reportVersions(cluster);
  const second = await scan(image, { kubeconfig, security });
  const after = await reportVersions(cluster);
  const changed = [...after].filter(([name, version]) => before.get(name) !== version).length;
  // deno-lint-ignore no-console -- a script prints its result
  console.log(JSON.stringify({ pods, reports: after.size, first, second, changed }, undefined, 2));
} finally {
  await run(`${kube}/stop`, []).catch(() => "");
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(0);

async function connect(path: string): Promise<LiveCluster> {
  const text = await Deno.readTextFile(path);
  const endpoint = await kubeconfigEndpoint({ text, folder: "/", readText: Deno.readTextFile });
  if (isFault(endpoint)) throw new Error(endpoint.message);
  const live = LiveCluster.connect(endpoint, { clock: systemClock(), entropy: systemEntropy() });
  if (isFault(live)) throw new Error(live.message);
  return live;
}

/** Makes Pods like the one of a review, in some namespaces. */
async function makePods(cluster: Cluster, review: JsonObject): Promise<void> {
  for (const name of ["kyverno", ...Array.from({ length: namespaces }, (_, index) => `team-${index}`)]) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await cluster.call({ method: "POST", path: "/api/v1/namespaces", body });
  }
  const spec = dig(review, "request", "object", "spec") ?? {};
  let next = 0;
  await Promise.all(Array.from({ length: together }, async () => {
    for (let index = next++; index < pods; index = next++) {
      const namespace = `team-${index % namespaces}`;
      const body = { apiVersion: "v1", kind: "Pod", metadata: { name: `pod-${index}`, namespace }, spec };
      const answer = await cluster.call({
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/pods`,
        body,
      });
      if (!answer.ok && answer.status !== 409) throw new Error(answer.message);
    }
  }));
}

/** Starts Postern on one processor, and waits until it has scanned everything. */
async function scan(
  { file, env }: Image,
  { kubeconfig, security }: { readonly kubeconfig: string; readonly security: string },
): Promise<JsonObject> {
  const serve = ["serve", "--kubeconfig", kubeconfig, "--watch-policies", "--policies", security];
  const ports = ["--port", "0", "--metrics-port", "0"];
  const process = new Deno.Command("taskset", {
    args: [
      "-c",
      "0",
      Deno.execPath(),
      "run",
      "-A",
      "--cached-only",
      "--no-code-cache",
      file,
      ...serve,
      ...ports,
    ],
    env: { ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  try {
    for await (const line of linesOf(process.stdout)) {
      const entry: JsonObject = line.startsWith("{") ? JSON.parse(line) : {};
      // With policies from files the first look has all of them.
      if (entry["message"] !== "background scan finished") continue;
      const status = await Deno.readTextFile(`/proc/${process.pid}/status`);
      const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
      return {
        milliseconds: entry["milliseconds"] ?? null,
        objects: entry["objects"] ?? null,
        written: entry["written"] ?? null,
        peakMiB: Math.round(peak),
      };
    }
    throw new Error("the scan did not finish");
  } finally {
    process.kill("SIGKILL");
    await process.status;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const text: ReadableStream<string> = stream.pipeThrough(new TextDecoderStream());
  for await (const chunk of text) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

/** The version of every report: one that was written again has another. */
async function reportVersions(cluster: Cluster): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for (let token: string | undefined = ""; token !== undefined;) {
    const query = new URLSearchParams({ limit: "500", ...(token !== "" && { continue: token }) });
    const path = `/apis/wgpolicyk8s.io/v1alpha2/policyreports?${query}`;
    const answer = await cluster.call({ method: "GET", path });
    if (!answer.ok) throw new Error(answer.message);
    for (const item of asList(field(answer.body, "items"))) {
      const text = (name: string) => asString(dig(item, "metadata", name)) ?? "";
      versions.set(`${text("namespace")}/${text("name")}`, text("resourceVersion"));
    }
    token = asString(dig(answer.body, "metadata", "continue")) || undefined;
  }
  return versions;
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], env }).output();
  if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}
