import { kubeconfigEndpoint, LiveCluster, systemClock, systemEntropy } from "../../../lib/adapters/mod.ts";
import { listResource } from "../../../lib/background/mod.ts";
import { asString, dig, isFault, type JsonObject } from "../../../lib/json/mod.ts";
import type { Cluster } from "../../../lib/ports.ts";
import {
  apply,
  canStart,
  runText,
  serverProcessorTime,
  startApiServer,
  stopApiServer,
} from "../api_server.ts";
import { type Bench, mib } from "../bench.ts";
import type { Image } from "../../support/image.ts";
import { linesOf } from "../lines.ts";
import { processorTime, systemText } from "../system_text.ts";

const namespaces = 20;
/** Requests that make Pods at a time. */
const together = 16;
/** Reports that Postern writes at a time. */
const writesTogether = 8;
/**
 * How much longer than the bare writes a scan may take: it also reads and evaluates the Pods, on the same two
 * processors.
 */
const mostOfFloor = 1.5;

/** A scan that ended. */
interface Scan {
  readonly seconds: number;
  /** Of the process, from its start to the end of the scan, in seconds. */
  readonly processor: number;
  /** Of the API server and etcd meanwhile, in seconds. */
  readonly serverProcessor: number;
  /** Of the machine when it ended. */
  readonly load: string;
  /** The most that was resident, in MiB. */
  readonly peak: number;
  readonly objects: number;
  readonly written: number;
}

/**
 * Measures the background scan of a whole cluster on a real API server. Pods are made, and the container's process runs
 * on one processor with 17 pod security policies until every Pod has a report. Then it runs again with nothing changed,
 * and must write nothing.
 */
export async function scan({ results, inputs, image, folder, quick }: Bench): Promise<void> {
  const pods = quick ? 1_000 : 10_000;
  results.section(`Background scan of ${pods.toLocaleString("en")} Pods by 17 policies, on one processor`, {
    text:
      "The API server and etcd are on the same machine, and storing a report costs them more than the scan of its Pod costs Postern. " +
      "So the floor is a client that only posts the same reports, as many at a time as Postern does, on one processor, too. " +
      "The processor time of Postern includes its start. Where the load of the machine differs between rows, only the processor " +
      "times can be compared.",
    columns: [
      "seconds",
      "processor s",
      "API server's and etcd's",
      "load",
      "resident at most",
      "reports written",
    ],
  });
  if (!await canStart()) {
    results.row("skipped", "no scripts for an API server beside the project");
    return;
  }
  const kubeconfig = await startApiServer();
  try {
    const cluster = await connect(kubeconfig);
    await apply(kubeconfig, await runText(Deno.execPath(), ["run", "-A", "main.ts", "manifests", "--crds"]));
    await makePods(cluster, JSON.parse(await Deno.readTextFile(inputs.review)), pods);
    const first = await scanOnce(image, { kubeconfig, policies: inputs.security, pods });
    const before = await reportVersions(cluster);
    const second = await scanOnce(image, { kubeconfig, policies: inputs.security, pods });
    const after = await reportVersions(cluster);
    const changed = [...after].filter(([name, version]) => before.get(name) !== version).length;
    const floor = await bareWrites(cluster, { kubeconfig, file: `${folder}/reports.jsonl` });
    const { seconds, serverProcessor } = floor;
    results.row("the reports, posted by a bare client", [
      seconds.toFixed(1),
      "–",
      serverProcessor.toFixed(1),
      load(),
      "–",
      "–",
    ]);
    const ratio = first.seconds / seconds;
    results.row("the first scan", cellsOf(first), [
      { text: `${ratio.toFixed(2)} times the bare client (≤ ${mostOfFloor})`, met: ratio <= mostOfFloor },
      { text: "≤ 20 s", met: first.seconds <= 20 },
      { text: "≤ 200 MiB", met: first.peak <= 200 },
      { text: `${pods} reports`, met: before.size === pods },
    ]);
    results.row("a second one, nothing changed", cellsOf(second), [
      {
        text: "nothing is written",
        met: second.written === 0 && changed === 0 && after.size === before.size,
      },
      { text: "≤ 200 MiB", met: second.peak <= 200 },
    ]);
    cluster.close();
  } finally {
    await stopApiServer();
  }
}

function cellsOf({ seconds, processor, serverProcessor, load, peak, written }: Scan): string[] {
  const times = [seconds, processor, serverProcessor].map((each) => each.toFixed(1));
  return [...times, load, mib(peak), String(written)];
}

/** The processes that ran or waited to run in the last minute. */
function load(): string {
  return Deno.loadavg()[0]!.toFixed(1);
}

async function connect(path: string): Promise<LiveCluster> {
  const text = await Deno.readTextFile(path);
  const endpoint = await kubeconfigEndpoint({ text, folder: "/", readText: Deno.readTextFile });
  if (isFault(endpoint)) throw new Error(endpoint.message);
  const live = LiveCluster.connect(endpoint, { clock: systemClock(), entropy: systemEntropy() });
  if (isFault(live)) throw new Error(live.message);
  return live;
}

/** Makes Pods like the one of a review, in some namespaces, and the namespace that holds Postern's lease. */
async function makePods(cluster: Cluster, review: JsonObject, pods: number): Promise<void> {
  for (const name of ["postern", ...Array.from({ length: namespaces }, (_, index) => `team-${index}`)]) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await cluster.call({ method: "POST", path: "/api/v1/namespaces", body });
  }
  const spec = dig(review, "request", "object", "spec") ?? {};
  let next = 0;
  await Promise.all(Array.from({ length: together }, async () => {
    for (let index = next++; index < pods; index = next++) {
      const namespace = `team-${index % namespaces}`;
      const body = { apiVersion: "v1", kind: "Pod", metadata: { name: `pod-${index}`, namespace }, spec };
      const path = `/api/v1/namespaces/${namespace}/pods`;
      const answer = await cluster.call({ method: "POST", path, body });
      if (!answer.ok && answer.status !== 409) throw new Error(answer.message);
    }
  }));
}

/** Starts Postern on one processor, and stops it when it has looked at every Pod. */
async function scanOnce(
  { file, env }: Image,
  { kubeconfig, policies, pods }: {
    readonly kubeconfig: string;
    readonly policies: string;
    readonly pods: number;
  },
): Promise<Scan> {
  const serve = ["serve", "--kubeconfig", kubeconfig, "--watch-policies", "--policies", policies];
  const options = ["--port", "0", "--metrics-port", "0"];
  const deno = [Deno.execPath(), "run", "-A", "--cached-only", file];
  const serverBefore = await serverProcessorTime(kubeconfig);
  const process = new Deno.Command("taskset", {
    args: ["-c", "0", ...deno, ...serve, ...options],
    env: { ...env },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const said: string[] = [];
  try {
    for await (const line of linesOf(process.stderr)) {
      const entry: JsonObject = line.startsWith("{") ? JSON.parse(line) : {};
      if (entry["message"] !== "background scan finished") {
        said.push(line);
        continue;
      }
      const objects = Number(entry["objects"]);
      if (objects < pods) continue;
      return {
        seconds: Number(entry["milliseconds"]) / 1000,
        objects,
        written: Number(entry["written"]),
        processor: await processorTime(process.pid),
        serverProcessor: await serverProcessorTime(kubeconfig) - serverBefore,
        load: load(),
        peak: Number(/VmHWM:\s+(\d+)/.exec(await systemText(`/proc/${process.pid}/status`))?.[1]) /
          1024,
      };
    }
    throw new Error(`the scan did not end: ${said.slice(-3).join("\n")}`);
  } finally {
    process.kill("SIGTERM");
    await process.stderr.cancel().catch(() => {});
    await process.status;
  }
}

/** Posts the stored reports once more, under other names. */
async function bareWrites(
  cluster: Cluster,
  { kubeconfig, file }: { readonly kubeconfig: string; readonly file: string },
): Promise<{ readonly seconds: number; readonly serverProcessor: number }> {
  using bodies = await Deno.open(file, { write: true, create: true, truncate: true });
  const writer = bodies.writable.getWriter();
  for await (const report of storedReports(cluster)) {
    const { name, namespace, labels = {}, ownerReferences = [] } = report["metadata"] as JsonObject;
    const metadata = { name: `bare-${name}`, namespace: namespace ?? "", labels, ownerReferences };
    await writer.write(new TextEncoder().encode(`${JSON.stringify({ ...report, metadata })}\n`));
  }
  const before = await serverProcessorTime(kubeconfig);
  const client = [Deno.execPath(), "run", "-A", "tests/bench/report_floor.ts"];
  const args = ["-c", "0", ...client, kubeconfig, file, String(writesTogether)];
  const seconds = Number(await runText("taskset", args));
  return { seconds, serverProcessor: await serverProcessorTime(kubeconfig) - before };
}

/** The version of every report: one that was written again has another. */
async function reportVersions(cluster: Cluster): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for await (const report of storedReports(cluster)) {
    const text = (name: string) => asString(dig(report, "metadata", name)) ?? "";
    versions.set(`${text("namespace")}/${text("name")}`, text("resourceVersion"));
  }
  return versions;
}

async function* storedReports(cluster: Cluster): AsyncGenerator<JsonObject> {
  const resource = await cluster.resource("wgpolicyk8s.io/v1alpha2", "PolicyReport");
  if (resource === undefined) throw new Error("the API server serves no reports");
  for await (const report of listResource(resource, { cluster })) {
    if (isFault(report)) throw new Error(report.message);
    yield report;
  }
}
