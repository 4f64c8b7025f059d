/** Kyverno's admission controller, beside the cluster and with Kyverno's own webhooks, where its program is named. */
import { apply, port as apiPort, runText } from "./api_server.ts";
import { type Server, startProgram } from "./server.ts";

/** The files of Kyverno: its admission controller, and the folder of its custom resource definitions. */
export interface KyvernoFiles {
  readonly program: string;
  readonly definitions: string;
}

/** Kyverno as it runs. */
export interface Kyverno {
  readonly server: Server;
  /** As its metrics say. */
  readonly version: string;
}

/** The namespace whose objects Kyverno reviews, the path that the API server calls then, and the webhook's name. */
export const kyvernoWebhook = {
  namespace: "kyverno-pods",
  path: "/validate/fail",
  name: "validate.kyverno.svc-fail",
} as const;

// Skips the ports of the API server's etcd.
const port = apiPort + 4, metricsPort = apiPort + 5;
const systemNamespace = "kyverno", deployment = "kyverno-admission-controller", service = "kyverno-svc";

/** The files that the environment names; undefined when it names no program. */
export function kyvernoFiles(): KyvernoFiles | undefined {
  const program = Deno.env.get("KYVERNO_ADMISSION") ?? "", definitions = Deno.env.get("KYVERNO_CRDS") ?? "";
  if (program === "") return undefined;
  if (definitions === "") {
    throw new Error("KYVERNO_ADMISSION needs KYVERNO_CRDS: a folder of custom resource definitions");
  }
  return { program, definitions };
}

/**
 * Starts Kyverno at an API server with policies of a file, and waits until it denies what they deny. It has the
 * settings of its Helm chart, without reports, events about passed rules and generated admission policies: no one reads
 * them here.
 */
export async function startKyverno(
  { program, definitions }: KyvernoFiles,
  kubeconfig: string,
  { policies, review }: { readonly policies: string; readonly review: string },
): Promise<Kyverno> {
  const kubectl = (...args: string[]): Promise<string> =>
    runText("kubectl", ["--kubeconfig", kubeconfig, ...args]);
  await kubectl("apply", "--server-side", "--recursive", "-f", definitions);
  await kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s");
  await apply(kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const args = [...settings, `--kubeconfig=${kubeconfig}`];
  const server = await startProgram({ file: program, args, env, port }, {
    path: kyvernoWebhook.path,
    body: await Deno.readTextFile(review),
  });
  await kubectl("apply", "--server-side", "-f", policies);
  await kubectl("wait", "--for=condition=Ready", "clusterpolicies", "--all", "--timeout=60s");
  await untilDenied(kubectl);
  return { server, version: await versionOf(metricsPort) };
}

/** Waits until the API server refuses a privileged Pod, so that figures are of a webhook that decides. */
async function untilDenied(kubectl: (...args: string[]) => Promise<string>): Promise<void> {
  for (const last = performance.now() + 30_000; performance.now() < last;) {
    const namespace = `--namespace=${kyvernoWebhook.namespace}`;
    const refusal = await kubectl(
      "run",
      "probe",
      "--image=probe",
      "--privileged",
      "--dry-run=server",
      namespace,
    )
      .then(() => "", (cause: unknown) => String(cause));
    if (refusal.includes(kyvernoWebhook.name)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("Kyverno denies nothing");
}

/** The version in Kyverno's metrics; "" without one. */
async function versionOf(metricsPort: number): Promise<string> {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return /^kyverno_info\{.*\bversion="([^"]*)"/m.exec(metrics)?.[1] ?? "";
}

/** The variables that the chart sets in the container's environment. */
const env = {
  KYVERNO_NAMESPACE: systemNamespace,
  KYVERNO_DEPLOYMENT: deployment,
  KYVERNO_SERVICEACCOUNT_NAME: deployment,
  KYVERNO_ROLE_NAME: "kyverno:admission-controller",
  KYVERNO_POD_NAME: `${deployment}-0`,
  KYVERNO_SVC: service,
  INIT_CONFIG: "kyverno",
  METRICS_CONFIG: "kyverno-metrics",
};

const settings = [
  `--caSecretName=${service}.${systemNamespace}.svc.kyverno-tls-ca`,
  `--tlsSecretName=${service}.${systemNamespace}.svc.kyverno-tls-pair`,
  `--servicePort=${port}`,
  "--webhookServerHost=127.0.0.1",
  `--webhookServerPort=${port}`,
  "--metricsHost=127.0.0.1",
  `--metricsPort=${metricsPort}`,
  "--controllerRuntimeMetricsAddress=0",
  "--omitEvents=PolicyApplied,PolicySkipped",
  "--admissionReports=false",
  "--generateValidatingAdmissionPolicy=false",
];

/** Kyverno's own webhooks call this Service, for objects of one namespace. */
const objects: readonly unknown[] = [
  ...[systemNamespace, kyvernoWebhook.namespace].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  })),
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: env.INIT_CONFIG, namespace: systemNamespace },
    data: {
      webhooks: JSON.stringify({
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": kyvernoWebhook.namespace } },
      }),
    },
  },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: env.METRICS_CONFIG, namespace: systemNamespace } },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: service, namespace: systemNamespace },
    spec: { type: "ExternalName", externalName: "127.0.0.1" },
  },
  // Kyverno registers webhooks only where it finds its Deployment. No controller makes Pods of it here.
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: deployment, namespace: systemNamespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: deployment } },
      template: {
        metadata: { labels: { app: deployment } },
        spec: { containers: [{ name: "kyverno", image: "kyverno" }] },
      },
    },
  },
];
