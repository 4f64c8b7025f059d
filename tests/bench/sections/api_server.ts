import { dirname } from "node:path";
import { added, alternate, type Alternated, quantile } from "../alternation.ts";
import { apply, canStart, port, startApiServer, stopApiServer, webhookTime } from "../api_server.ts";
import { type Bench, mib, percent, probeOf } from "../bench.ts";
import { type KyvernoFiles, kyvernoWebhook, startKyverno } from "../kyverno.ts";
import { loadServer } from "../load.ts";
import { type Server, startServer, untilCollected } from "../server.ts";
import { registration, type Webhook, webhooksOf } from "../webhooks.ts";

/** The servers by the namespace of their webhook, and the API server that calls them. */
interface Stage {
  readonly bench: Bench;
  readonly kubeconfig: string;
  readonly servers: Map<string, Server>;
}

const explanation =
  "A Kubernetes API server of this machine calls the webhooks by Service, which have answered some thousand " +
  "requests before. The namespaces take turns, 20 creates each, because the speed of the machine changes " +
  "within seconds: what is added is counted from the middle time without a webhook in the same round. A call is the " +
  "mean time that the API server's own metrics give for the webhook. A create takes more processor time than a " +
  "request under load, because the webhooks idle in between and others fill the processor's caches; the next table " +
  "shows how much of it is Postern's. Own memory is what no file holds, before the first request and after the last. ";
const recorded =
  "Recorded of Kyverno in the same place: 10.7 ms added to the p50, 8.0 ms of processor time each.";
const beside =
  "Kyverno ran after the others, as a process that registered itself at the same API server, in turn with no webhook and " +
  "the bare one, and its shares are of those turns. Recorded before: 10.7 ms added to the p50, 8.0 ms of processor time.";

/**
 * Measures how much a webhook adds to a dry-run create through a real API server, which calls it by Service: without
 * a webhook, with a bare webhook that allows, with Postern, and with Kyverno where its program is named.
 */
export async function apiServer(bench: Bench): Promise<void> {
  const { results, folder, kyverno } = bench;
  results.section("Through an API server, dry-run creates of a Pod one after another", {
    text: explanation + (kyverno === undefined ? recorded : beside),
    columns: [
      "p50 ms",
      "p99 ms",
      "added to p50",
      "of the bare webhook's",
      "added to p99",
      "of the bare webhook's",
      "a call ms",
      "of the bare webhook's",
      "processor ms",
      "own memory",
    ],
  });
  if (!await canStart()) {
    results.row("skipped", "no scripts for an API server beside the project");
    return;
  }
  const certificates = `${folder}/certificates`;
  const stage: Stage = { bench, kubeconfig: await startApiServer(), servers: new Map() };
  try {
    const webhooks = await startWebhooks(stage, certificates);
    writeRows(bench, await measure(stage, webhooks), webhooks);
    if (kyverno !== undefined) {
      const others = webhooks.filter(({ namespace }) => namespace === "without" || namespace === "bare");
      await measureKyverno(stage, kyverno, others);
    }
  } finally {
    for (const server of stage.servers.values()) await server.stop();
    await stopApiServer();
  }
}

/** Starts the bare webhooks and Postern, and registers them. */
async function startWebhooks(
  { bench, kubeconfig, servers }: Stage,
  certificates: string,
): Promise<readonly Webhook[]> {
  const webhooks = await webhooksOf(bench, certificates);
  for (const { namespace, command, path } of webhooks) {
    if (command === undefined) continue;
    servers.set(namespace, await startServer(command, await probeOf(path, bench.inputs.review)));
  }
  const authority = btoa(await Deno.readTextFile(`${certificates}/ca.crt`));
  const ports = new Map([...servers].map(([namespace, { port }]) => [namespace, port]));
  await apply(kubeconfig, registration(webhooks, ports, authority));
  return webhooks;
}

/**
 * Measures Kyverno after the others, so that it takes no processor from them, in turn with no webhook and the bare one.
 * It has no goals.
 */
async function measureKyverno(stage: Stage, files: KyvernoFiles, others: readonly Webhook[]): Promise<void> {
  const { bench: { inputs }, kubeconfig, servers } = stage;
  const { server, version } = await startKyverno(files, kubeconfig, {
    policies: inputs.security,
    review: inputs.review,
  });
  servers.set(kyvernoWebhook.namespace, server);
  const title = `Kyverno ${version}, 17 pod security policies`;
  const webhook: Webhook = { ...kyvernoWebhook, title, floor: "bare", counts: false };
  writeRows(stage.bench, await measure(stage, [...others, webhook]), [webhook]);
}

async function warmUp({ bench, servers }: Stage, webhooks: readonly Webhook[]): Promise<void> {
  const { generator, inputs, quick } = bench;
  const requests = quick ? 3_000 : 10_000;
  for (const { namespace, path } of webhooks) {
    const server = servers.get(namespace);
    if (server === undefined) continue;
    await loadServer(generator, server, {
      path,
      bodyFile: inputs.review,
      connections: 16,
      seconds: 10,
      requests,
    });
  }
}

/** The cost of the creates in one namespace, and of their webhook. */
interface Measured {
  readonly times: Alternated;
  /** Milliseconds of the webhook's processor time for a create. */
  readonly processor: number;
  /** Milliseconds that a call of the webhook takes by the API server's metrics: the mean. */
  readonly call: number;
  /** MiB of the webhook's own memory before the first request and after the last. */
  readonly memory: readonly [before: number, after: number];
}

/** A webhook's process at one time: seconds of the processor and of its calls so far, and MiB of own memory. */
interface Reading {
  readonly processor: number;
  readonly call: number;
  readonly memory: number;
}

async function read(
  { kubeconfig, servers }: Stage,
  webhooks: readonly Webhook[],
): Promise<ReadonlyMap<string, Reading>> {
  return new Map(
    await Promise.all(webhooks.map(async ({ namespace, name }) => {
      const server = servers.get(namespace);
      return [namespace, {
        processor: await server?.processorTime() ?? NaN,
        call: await webhookTime(kubeconfig, name),
        memory: (await server?.memory())?.unshared ?? NaN,
      }] as const;
    })),
  );
}

/** Loads webhooks that were just started, and then measures creates in their namespaces in turn. */
async function measure(
  stage: Stage,
  webhooks: readonly Webhook[],
): Promise<ReadonlyMap<string, Measured>> {
  const { bench: { inputs, generator, quick, folder }, kubeconfig } = stage;
  await untilCollected();
  const idle = await read(stage, webhooks);
  await warmUp(stage, webhooks);
  const pod = JSON.parse(await Deno.readTextFile(inputs.review)).request.object;
  const bodyFile = `${folder}/pod.json`;
  await Deno.writeTextFile(bodyFile, JSON.stringify(podOf(pod)));
  const pki = `${dirname(kubeconfig)}/pki`;
  const url = (namespace: string): string =>
    `https://127.0.0.1:${port}/api/v1/namespaces/${namespace}/pods?dryRun=All`;
  const order = {
    urls: Object.fromEntries(webhooks.map(({ namespace }) => [namespace, url(namespace)])),
    bodyFile,
    status: 201,
    client: { cert: `${pki}/admin.crt`, key: `${pki}/admin.key` },
    each: 20,
  };
  // The API server is new, and its own first creates are slow.
  await alternate(generator, { ...order, rounds: quick ? 20 : 50 });
  const before = await read(stage, webhooks);
  const rounds = quick ? 60 : 200;
  const times = await alternate(generator, { ...order, rounds });
  const after = await read(stage, webhooks);
  const each = (seconds: number): number => seconds * 1e3 / (rounds * order.each);
  return new Map(webhooks.map(({ namespace }) => {
    const [from, to] = [before.get(namespace)!, after.get(namespace)!];
    return [namespace, {
      times: times.get(namespace)!,
      processor: each(to.processor - from.processor),
      call: each(to.call - from.call),
      memory: [idle.get(namespace)!.memory, to.memory],
    }];
  }));
}

/** Milliseconds that a webhook adds, and how many times those of the bare webhook they are. */
interface Added {
  readonly time: number;
  readonly ratio: number;
}

function writeRows(
  { results }: Bench,
  measured: ReadonlyMap<string, Measured>,
  webhooks: readonly Webhook[],
): void {
  const without = measured.get("without")!.times;
  for (const { namespace, title, floor = namespace, counts = floor !== namespace } of webhooks) {
    const { times, processor, call, memory } = measured.get(namespace)!, bare = measured.get(floor)!;
    const cells = [quantile(times, 0.5), quantile(times, 0.99)].map((time) => time.toFixed(2));
    if (namespace === "without") {
      results.row(title, cells);
      continue;
    }
    const [half, most] = [0.5, 0.99].map((share) => {
      const time = added(times, without, share);
      return { time, ratio: time / added(bare.times, without, share) };
    }) as [Added, Added];
    cells.push(
      half.time.toFixed(2),
      percent(half.ratio),
      most.time.toFixed(2),
      percent(most.ratio),
      call.toFixed(2),
      percent(call / bare.call),
      processor.toFixed(2),
      memory.map(mib).join(" → "),
    );
    results.row(
      title,
      cells,
      counts
        ? [
          { text: "p50: adds ≤ 1.2 × what the bare webhook adds", met: half.ratio <= 1.2 },
          { text: "p99: adds ≤ 1.2 × what the bare webhook adds", met: most.ratio <= 1.2 },
          { text: "processor ≤ 0.35 ms", met: processor <= 0.35 },
        ]
        : [],
    );
  }
}

/** A Pod that can be created in every namespace. */
function podOf(pod: Record<string, unknown>): unknown {
  const metadata = {
    generateName: "web-",
    labels: (pod["metadata"] as Record<string, unknown>)["labels"],
  };
  const { serviceAccountName: _account, nodeName: _node, ...spec } = pod["spec"] as Record<string, unknown>;
  return { apiVersion: "v1", kind: "Pod", metadata, spec };
}
