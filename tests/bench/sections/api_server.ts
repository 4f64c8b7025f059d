import { apply, canStart, port, runText, startApiServer, stopApiServer } from "../api_server.ts";
import { type Bench, median, percent } from "../bench.ts";
import { type Load, loadServer, loadUrl } from "../load.ts";
import { type Command, floorCommand, serveCommand } from "../../support/image.ts";
import { type Server, startServer } from "../server.ts";

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
      "A Kubernetes API server of this machine calls the webhooks by Service. What it does itself is in every row, " +
      "and the webhooks have answered some thousand requests before. Recorded " +
      "of Kyverno in the same place: 10.7 ms added to the p50, 8.0 ms of processor time each.",
    columns: ["p50 ms", "p99 ms", "added to p50", "added to p99", "of the bare webhook's", "processor ms"],
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
    await warmUp(bench, webhooks, servers);
    await measure(bench, webhooks, servers);
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

async function measure(
  { results, inputs, generator, rounds, quick, folder }: Bench,
  webhooks: readonly Webhook[],
  servers: ReadonlyMap<string, Server>,
): Promise<void> {
  const pod = JSON.parse(await Deno.readTextFile(inputs.review)).request.object;
  const bodyFile = `${folder}/pod.json`;
  const pki = (await runText("sh", ["-c", `echo \${XDG_CACHE_HOME:-$HOME/.cache}/kube-test/run-${port}/pki`]))
    .trim();
  const measured = new Map<string, Load[]>(webhooks.map(({ namespace }) => [namespace, []]));
  const spent = new Map<string, number>();
  for (let round = -1; round < rounds; round++) {
    for (const { namespace } of webhooks) {
      await Deno.writeTextFile(bodyFile, JSON.stringify(podFor(pod, namespace)));
      const before = await servers.get(namespace)?.processorTime() ?? 0;
      const requests = quick ? 100 : 300;
      const load = await loadUrl(
        generator,
        `https://127.0.0.1:${port}/api/v1/namespaces/${namespace}/pods?dryRun=All`,
        {
          bodyFile,
          connections: 1,
          seconds: 60,
          requests,
          status: 201,
          client: { cert: `${pki}/admin.crt`, key: `${pki}/admin.key` },
        },
      );
      if (round < 0) continue; // warms up
      measured.get(namespace)!.push(load);
      const after = await servers.get(namespace)?.processorTime() ?? 0;
      spent.set(namespace, (spent.get(namespace) ?? 0) + (after - before) * 1e3 / requests / rounds);
    }
  }
  const of = (namespace: string, key: "p50" | "p99"): number =>
    median(measured.get(namespace)!.map((load) => load[key]));
  const added = (namespace: string, key: "p50" | "p99"): number => of(namespace, key) - of("without", key);
  for (const { namespace, title, floor } of webhooks) {
    const cells = [of(namespace, "p50").toFixed(2), of(namespace, "p99").toFixed(2)];
    if (namespace === "without") {
      results.row(title, cells);
      continue;
    }
    const cost = spent.get(namespace)!;
    const ratio = added(namespace, "p50") / added(floor ?? namespace, "p50");
    cells.push(
      added(namespace, "p50").toFixed(2),
      added(namespace, "p99").toFixed(2),
      percent(ratio),
      cost.toFixed(2),
    );
    results.row(
      title,
      cells,
      floor === undefined ? [] : [
        { text: "adds ≤ 1.2 × what the bare webhook adds", met: ratio <= 1.2 },
        { text: "processor ≤ 0.35 ms", met: cost <= 0.35 },
      ],
    );
  }
}

function podFor(pod: Record<string, unknown>, namespace: string): unknown {
  const metadata = {
    generateName: "web-",
    namespace,
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

function configuration({ namespace, path }: Webhook, servicePort: number, caBundle: string): unknown {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: `bench-${namespace}` },
    webhooks: [{
      name: `${namespace}.bench.postern.local`,
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
