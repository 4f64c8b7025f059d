import { jsonLog, type LogLevel, systemClock } from "../adapters/mod.ts";
import type { Snapshot } from "../engine/mod.ts";
import { isFault } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { BackgroundWorker, followPolicyChange, ownUsername } from "../background/mod.ts";
import {
  type Certificates,
  clusterCertificates,
  givenCertificates,
  madeCertificates,
} from "../install/mod.ts";
import type { Cluster } from "../ports.ts";
import { type Installation, LivePolicies, WebhookRoutes } from "../live/mod.ts";
import { loadDocuments } from "../sources/mod.ts";
import { AuditQueue, createApp, Metrics } from "../server/mod.ts";
import { Listener } from "../host/mod.ts";
import { diagnosticLines, type LoadedPolicies, PolicyFiles } from "../sources/mod.ts";
import { openPorts } from "../host/mod.ts";
import type { Terminal } from "./terminal.ts";

/** The options of `serve`. */
export interface ServeArguments {
  readonly policies: readonly string[];
  readonly exceptions: readonly string[];
  readonly cluster: readonly string[];
  readonly kubeconfig?: string;
  readonly host: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly certDir?: string;
  /** `namespace/name`, as the two below. */
  readonly service: string;
  readonly certificateSecret?: string;
  readonly webhooks?: string;
  readonly tls: boolean;
  readonly secretPath?: string;
  readonly trustedRoot?: string;
  readonly searchLogs: boolean;
  readonly localRegistries: boolean;
  readonly watchPolicies?: boolean;
  readonly installNames: "postern" | "kyverno";
  readonly servicePort?: number;
  readonly serveAdmissionPolicies: boolean;
  readonly scanPreprocessors: boolean;
  readonly allowServiceAddress: readonly string[];
  readonly namespacedServiceCalls: boolean;
  readonly dialect: Dialect;
  readonly logLevel: LogLevel;
}

/** `serve`: answers admission reviews until it is told to stop. Exit code 2 when it cannot start. */
export async function serve(args: ServeArguments, terminal: Terminal): Promise<number> {
  const log = jsonLog({ clock: systemClock(), write: terminal.err, level: args.logLevel });
  const { trustedRoot, searchLogs, localRegistries } = args;
  const opened = await openPorts({
    cluster: args.cluster,
    kubeconfig: args.kubeconfig,
    watch: log,
    services: { allowedAddresses: args.allowServiceAddress, namespaced: args.namespacedServiceCalls },
    images: { trustedRoot, searchLogs, localRegistries },
  });
  if (isFault(opened)) return refuse(opened.message, terminal);
  if (!args.tls && args.secretPath === undefined && !isLoopback(args.host)) {
    return refuse("--no-tls on a public address needs --secret-path, or everyone can ask", terminal);
  }

  const metrics = new Metrics();
  const { ports } = opened;
  let live: LivePolicies | undefined;
  const snapshot = () => live === undefined ? files.snapshot : live.snapshot;
  // Only a live cluster asks about what Postern itself changes, and only there triggers are stored.
  const self = opened.kind === "live" ? await ownUsername(ports.cluster) : undefined;
  const effects = new BackgroundWorker({
    snapshot,
    ports,
    log,
    triggers: opened.kind === "live" ? "as-stored" : "as-admitted",
    ...(self !== undefined && { self }),
  });
  let before: Snapshot | undefined;
  const files: PolicyFiles = new PolicyFiles({
    paths: [...args.policies, ...args.exceptions],
    compiling: {
      dialect: args.dialect,
      admissionPolicies: args.serveAdmissionPolicies ? "served" : "left",
    },
    loaded: (policies) => {
      report(policies, terminal);
      metrics.loaded(policies.snapshot);
      void followPolicyChange({ before, after: policies.snapshot, worker: effects, ports, log });
      before = policies.snapshot;
    },
  });
  for (const line of diagnosticLines(opened.diagnostics)) terminal.err(line);
  await files.load();
  if (args.watchPolicies === true && opened.watching === undefined) {
    return refuse(
      "--watch-policies needs a live cluster: --kubeconfig, or a pod's service account",
      terminal,
    );
  }
  const routes = new WebhookRoutes(snapshot);
  const audit = new AuditQueue({ snapshot, ports, log, metrics });
  const app = createApp({
    snapshot: () => live === undefined ? snapshot() : routes.classic(),
    routes: (path) => live === undefined ? undefined : routes.find(path),
    ports,
    log,
    metrics,
    audit,
    effects,
    scanPreprocessors: args.scanPreprocessors,
    ...(args.secretPath !== undefined && { secretPath: args.secretPath }),
  });

  const certificates = args.tls ? certificatesOf(args, ports.cluster) : undefined;
  const listener = await Listener.open({
    hostname: args.host,
    port: args.port,
    handler: app.fetch,
    ...(certificates !== undefined && { certificates }),
    ...(args.certificateSecret !== undefined && { lookEvery: 30_000 }),
    problem: (message) => log.write("error", "certificate not renewed", { message }),
  });
  if (typeof listener === "string") return refuse(listener, terminal);
  if (args.watchPolicies === true && opened.watching !== undefined) {
    const written = await loadDocuments([...args.policies, ...args.exceptions]);
    live = new LivePolicies({
      ...opened.watching,
      cluster: ports.cluster,
      clock: systemClock(),
      log,
      installation: installationOf(args, listener.caBundle),
      compiling: { dialect: args.dialect },
      files: () => written.documents,
      loaded: (policies) => {
        metrics.loaded(policies);
        void followPolicyChange({ before, after: policies, worker: effects, ports, log });
        before = policies;
      },
      leads: () => true,
    });
    await live.start();
    live.serve();
  }
  const stop = new AbortController();
  const metricsServer = Deno.serve(
    { hostname: args.host, port: args.metricsPort, onListen: () => {}, signal: stop.signal },
    async (request) =>
      new URL(request.url).pathname === "/metrics"
        ? new Response(await metrics.text())
        : new Response("not found", { status: 404 }),
  );
  greet({ args, listener, metricsPort: metricsServer.addr.port, about: opened.about }, terminal);
  void files.watch();
  await untilTold();
  terminal.err("stopping: requests under way are answered first");
  files.close();
  await live?.close();
  await listener.close();
  await audit.drain();
  await effects.close();
  await opened.close();
  stop.abort();
  await metricsServer.finished;
  return 0;
}

/** The names that the installation has in the cluster: Kyverno's, for users who look at its objects, or Postern's own. */
function installationOf(args: ServeArguments, caBundle: string | undefined): Installation {
  const [namespace = "", service = ""] = args.service.split("/");
  const isKyverno = args.installNames === "kyverno";
  const account = (name: string): string => `system:serviceaccount:${namespace}:${name}`;
  const own = account("postern");
  return {
    namespace,
    service,
    servicePort: args.servicePort ?? 443,
    prefix: args.installNames,
    path: args.secretPath ?? "",
    caBundle,
    configMap: args.installNames,
    accounts: isKyverno
      ? {
        background: account("kyverno-background-controller"),
        reports: account("kyverno-reports-controller"),
        cleanup: account("kyverno-cleanup-controller"),
      }
      : { background: own, reports: own, cleanup: own },
  };
}

function certificatesOf(args: ServeArguments, cluster: Cluster): Certificates {
  const { tlsCert, tlsKey, certDir, host, certificateSecret, webhooks } = args;
  const clock = systemClock();
  if (tlsCert !== undefined || tlsKey !== undefined) {
    return givenCertificates({ certFile: tlsCert ?? "", keyFile: tlsKey ?? "", clock });
  }
  const service = namesOfService(args.service);
  if (certificateSecret !== undefined) {
    const [namespace = "", name = ""] = certificateSecret.split("/");
    const names = [...service, "localhost", "127.0.0.1"];
    return clusterCertificates({
      cluster,
      clock,
      names,
      secret: { namespace, name },
      ...(webhooks !== undefined && { webhooks }),
    });
  }
  const names = [
    ...new Set([host === "0.0.0.0" ? "127.0.0.1" : host, "127.0.0.1", "localhost", ...service]),
  ];
  return madeCertificates({ names, clock, ...(certDir !== undefined && { folder: certDir }) });
}

/** How the API server calls a service (`namespace/name`). */
function namesOfService(service: string): string[] {
  const [namespace = "", name = ""] = service.split("/");
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
}

function refuse(problem: string, terminal: Terminal): number {
  terminal.err(`error: ${problem}`);
  return 2;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

function report({ snapshot, diagnostics }: LoadedPolicies, terminal: Terminal): void {
  for (const line of diagnosticLines(diagnostics)) terminal.err(line);
  const names = snapshot.policies.map(({ policy, broken }) =>
    broken === undefined ? policy.key : `${policy.key} (broken)`
  );
  terminal.err(`loaded ${names.length} ${names.length === 1 ? "policy" : "policies"}: ${names.join(", ")}`);
}

interface Greeting {
  readonly args: ServeArguments;
  readonly listener: Listener;
  readonly metricsPort: number;
  readonly about: string;
}

function greet({ args, listener, metricsPort, about }: Greeting, terminal: Terminal): void {
  const url = `${args.tls ? "https" : "http"}://${args.host}:${listener.port}${args.secretPath ?? ""}`;
  terminal.err(
    `\nPostern listens on ${url} (metrics: http://${args.host}:${metricsPort}/metrics), with the ${about}.`,
  );
  if (listener.caBundle !== undefined) terminal.err(`caBundle of its certificate: ${listener.caBundle}`);
  terminal.err(
    `\nTry it:\n\n  curl -sk ${url}/validate/fail -H 'Content-Type: application/json' -d '${sampleReview}'\n`,
  );
}

/** A review of a Pod that most policies refuse. */
const sampleReview = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "try-it",
    kind: { group: "", version: "v1", kind: "Pod" },
    resource: { group: "", version: "v1", resource: "pods" },
    namespace: "default",
    name: "web",
    operation: "CREATE",
    userInfo: { username: "you" },
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default" },
      spec: {
        hostNetwork: true,
        containers: [{ name: "web", image: "nginx:latest", securityContext: { privileged: true } }],
      },
    },
  },
});

/** Waits for SIGINT or SIGTERM. */
function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    const told = (): void => {
      for (const signal of signals) Deno.removeSignalListener(signal, told);
      resolve();
    };
    for (const signal of signals) Deno.addSignalListener(signal, told);
  });
}

const signals: readonly Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
