import { dirname } from "node:path";
import { added, alternate, type Alternated, quantile } from "../alternation.ts";
import { apply, canStart, port, startApiServer, stopApiServer, webhookTime } from "../api_server.ts";
import { type Bench, percent } from "../bench.ts";
import { loadServer } from "../load.ts";
import { type Command, floorCommand, serveCommand } from "../../support/image.ts";
import { type Server, startServer, untilCollected } from "../server.ts";

/** A webhook in its own namespace, so that all can be registered at once. */
interface Webhook {
  readonly namespace: string;
  readonly title: string;
  readonly command?: Command;
  readonly path: string;
  /** The bare webhook that it is compared with: one that gives the same answer without deciding anything. */
  readonly floor?: string;
}

/**
 * Measures how much a webhook adds to a dry-run create through a real API server, which calls it by Service: without
 * a webhook, with a bare webhook that allows, and with Postern.
 */
export async function apiServer(bench: Bench): Promise<void> {
  const { results, inputs, folder } = bench;
  results.section("Through an API server, dry-run creates of a Pod one after another", {
    text:
      "A Kubernetes API server of this machine calls the webhooks by Service, which have answered some thousand " +
      "requests before. The namespaces take turns, 20 creates each, because the speed of the machine changes " +
      "within seconds: what is added is counted from the middle time without a webhook in the same round. A call is the " +
      "mean time that the API server's own metrics give for the webhook. A create takes more processor time than a " +
      "request under load, because the webhooks idle in between and others fill the processor's caches; the next table " +
      "shows how much of it is Postern's. Recorded of Kyverno in the same place: " +
      "10.7 ms added to the p50, 8.0 ms of processor time each.",
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
    ],
  });
  if (!await canStart()) {
    results.row("skipped", "no scripts for an API server beside the project");
    return;
  }
  const certificates = `${folder}/certificates`;
  const webhooks = await webhooksOf(bench, certificates);
  const servers = new Map<string, Server>();
  const kubeconfig = await startApiServer();
  try {
    for (const { namespace, command, path } of webhooks) {
      if (command === undefined) continue;
      servers.set(
        namespace,
        await startServer(command, { path, body: await Deno.readTextFile(inputs.review) }),
      );
    }
    const authority = btoa(await Deno.readTextFile(`${certificates}/ca.crt`));
    const items = [
      ...webhooks.map(({ namespace }) => namespaceObject(namespace)),
      namespaceObject("postern"),
      service,
      ...webhooks.flatMap((webhook) => {
        const server = servers.get(webhook.namespace);
        return server === undefined ? [] : [configuration(webhook, server.port, authority)];
      }),
    ];
    await apply(kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    await untilCollected();
    await warmUp(bench, webhooks, servers);
    await measure(bench, webhooks, servers, kubeconfig);
  } finally {
    for (const server of servers.values()) await server.stop();
    await stopApiServer();
  }
}

/** The webhooks, which share a folder of certificates; each has a namespace of its own. */
async function webhooksOf(
  { inputs, image, folder }: Bench,
  certificates: string,
): Promise<readonly Webhook[]> {
  const patch = `${folder}/patch-12.yaml`;
  await Deno.writeTextFile(patch, labelsPolicy(12));
  const certificateArguments = ["--cert-dir", certificates];
  return [
    { namespace: "without", title: "no webhook", path: "/" },
    {
      namespace: "bare",
      title: "a bare webhook that allows",
      command: floorCommand(image, "allow", certificates),
      path: "/",
    },
    {
      namespace: "bare-patch",
      title: "a bare webhook that answers with 12 labels",
      command: floorCommand(image, "patch", certificates),
      path: "/",
    },
    {
      namespace: "allowed",
      title: "Postern, 17 pod security policies",
      command: serveCommand(image, [inputs.security], certificateArguments),
      path: "/validate/fail",
      floor: "bare",
    },
    {
      namespace: "patched",
      title: "Postern, a patch of 12 labels",
      command: serveCommand(image, [patch], certificateArguments),
      path: "/mutate/fail",
      floor: "bare-patch",
    },
  ];
}

async function warmUp(
  { generator, inputs, quick }: Bench,
  webhooks: readonly Webhook[],
  servers: ReadonlyMap<string, Server>,
): Promise<void> {
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

/** The cost of the creates in one namespace. */
interface Cost {
  /** Milliseconds of the webhook's processor time for a create. */
  readonly processor: number;
  /** Milliseconds that a call of the webhook takes by the API server's metrics: the mean. */
  readonly call: number;
}

async function measure(
  bench: Bench,
  webhooks: readonly Webhook[],
  servers: ReadonlyMap<string, Server>,
  kubeconfig: string,
): Promise<void> {
  const { inputs, generator, quick, folder } = bench;
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
  const state = async (): Promise<ReadonlyMap<string, Cost>> =>
    new Map(
      await Promise.all(webhooks.map(async ({ namespace }) =>
        [namespace, {
          processor: await servers.get(namespace)?.processorTime() ?? NaN,
          call: await webhookTime(kubeconfig, webhookName(namespace)),
        }] as const
      )),
    );
  const before = await state();
  const rounds = quick ? 60 : 200;
  const measured = await alternate(generator, { ...order, rounds });
  const after = await state();
  const costs = new Map<string, Cost>(webhooks.map(({ namespace }) => {
    const [from, to] = [before.get(namespace)!, after.get(namespace)!];
    const each = (seconds: number): number => seconds * 1e3 / (rounds * order.each);
    return [namespace, { processor: each(to.processor - from.processor), call: each(to.call - from.call) }];
  }));
  writeRows(bench, webhooks, measured, costs);
}

/** Milliseconds that a webhook adds, and how many times those of the bare webhook they are. */
interface Added {
  readonly time: number;
  readonly ratio: number;
}

function writeRows(
  { results }: Bench,
  webhooks: readonly Webhook[],
  measured: ReadonlyMap<string, Alternated>,
  costs: ReadonlyMap<string, Cost>,
): void {
  const without = measured.get("without")!;
  for (const { namespace, title, floor = namespace } of webhooks) {
    const creates = measured.get(namespace)!, { processor, call } = costs.get(namespace)!;
    const cells = [quantile(creates, 0.5), quantile(creates, 0.99)].map((time) => time.toFixed(2));
    if (namespace === "without") {
      results.row(title, cells);
      continue;
    }
    const [half, most] = [0.5, 0.99].map((share) => {
      const time = added(creates, without, share);
      return { time, ratio: time / added(measured.get(floor)!, without, share) };
    }) as [Added, Added];
    cells.push(
      half.time.toFixed(2),
      percent(half.ratio),
      most.time.toFixed(2),
      percent(most.ratio),
      call.toFixed(2),
      percent(call / costs.get(floor)!.call),
      processor.toFixed(2),
    );
    results.row(
      title,
      cells,
      floor === namespace ? [] : [
        { text: "p50: adds ≤ 1.2 × what the bare webhook adds", met: half.ratio <= 1.2 },
        { text: "p99: adds ≤ 1.2 × what the bare webhook adds", met: most.ratio <= 1.2 },
        { text: "processor ≤ 0.35 ms", met: processor <= 0.35 },
      ],
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

function namespaceObject(name: string): unknown {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

/** The API server dials the external name as it stands; a loopback address stays on this machine. */
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "postern", namespace: "postern" },
  spec: { type: "ExternalName", externalName: "127.0.0.1" },
};

function webhookName(namespace: string): string {
  return `${namespace}.bench.postern.local`;
}

function configuration({ namespace, path }: Webhook, servicePort: number, caBundle: string): unknown {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: `bench-${namespace}` },
    webhooks: [{
      name: webhookName(namespace),
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Fail",
      clientConfig: { caBundle, service: { name: "postern", namespace: "postern", port: servicePort, path } },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    }],
  };
}

function labelsPolicy(count: number): string {
  const labels = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`example.com/label-${index}`, `value-${index}`]),
  );
  return JSON.stringify({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "labels" },
    spec: {
      rules: [{
        name: "labels",
        match: { any: [{ resources: { kinds: ["Pod"] } }] },
        mutate: { patchStrategicMerge: { metadata: { labels } } },
      }],
    },
  });
}
