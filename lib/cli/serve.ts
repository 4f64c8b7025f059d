import { fileProblem } from "../diagnostics/mod.ts";
import { environmentVariable, type LogLevel, systemClock } from "../adapters/mod.ts";
import { type Gate, type GateOptions, openGate, type RecorderOptions } from "../host/mod.ts";
import {
  type Certificates,
  clusterCertificates,
  givenCertificates,
  madeCertificates,
} from "../install/mod.ts";
import { Fault, isFault } from "../json/mod.ts";
import { eventReasons, type Installation, openReports, policyReports, rowResults } from "../live/mod.ts";
import type { Dialect } from "../match/mod.ts";
import type { Cluster } from "../ports.ts";
import { secretPathProblem } from "../server/mod.ts";
import { diagnosticLines, type LoadedPolicies } from "../sources/mod.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

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
  readonly tlsCa?: string;
  readonly certDir?: string;
  /** `namespace/name`, like the next two options. */
  readonly service: string;
  readonly certificateSecret?: string;
  readonly webhooks?: string;
  readonly tls: boolean;
  readonly trustedRoot: readonly string[];
  readonly searchLogs: boolean;
  readonly localRegistries: boolean;
  readonly watchPolicies?: boolean;
  readonly ttlInterval: number;
  /** Reasons of events, separated by commas. */
  readonly omitEvents: string;
  readonly openReports?: boolean;
  /** Results, separated by commas. */
  readonly reportResults: string;
  readonly forceFailurePolicyIgnore?: boolean;
  readonly exceptionNamespace: string;
  readonly installNames: "postern" | "kyverno";
  readonly servicePort?: number;
  readonly clientCa?: string;
  readonly secretPath?: string | undefined;
  readonly serveAdmissionPolicies: boolean;
  readonly scanPreprocessors: boolean;
  readonly allowServiceAddress: readonly string[];
  readonly namespacedServiceCalls: boolean;
  /** The folder to which the server records reviews. */
  readonly record?: string;
  readonly recordReviews: number;
  readonly recordMegabytes: number;
  readonly dialect: Dialect;
  readonly logLevel: LogLevel;
}

/** Milliseconds between two checks for a newer certificate, in a Secret of the cluster or in files. */
const lookEvery = { secret: 30_000, files: 60_000 };

/** `serve`: answers admission reviews until it is stopped. Exit code 2 when it cannot start. */
export async function serve(args: ServeArguments, terminal: Terminal): Promise<number> {
  const clientAuthority = args.clientCa === undefined ? undefined : await readAuthority(args.clientCa);
  if (isFault(clientAuthority)) return refuse(clientAuthority.message, terminal);
  const secretPath = args.secretPath ?? environmentVariable("POSTERN_SECRET_PATH");
  const problem = wordProblem(args) ?? accessProblem({ ...args, secretPath });
  if (problem !== undefined) return refuse(problem, terminal);
  const gate = await openGate({
    ...args,
    version,
    ignoreFailures: args.forceFailurePolicyIgnore === true,
    policies: [...args.policies, ...args.exceptions],
    services: { allowedAddresses: args.allowServiceAddress, namespaced: args.namespacedServiceCalls },
    images: args,
    ...(args.watchPolicies === true && { live: liveSetting({ ...args, secretPath }) }),
    record: recordSetting(args),
    lease: namespacedName(args.service),
    ...(args.webhooks !== undefined &&
      { registration: { name: args.webhooks, service: namespacedName(args.service) } }),
    hostname: args.host,
    ...(args.tls && { certificates: (cluster) => certificatesOf(args, cluster) }),
    lookEvery: args.certificateSecret === undefined ? lookEvery.files : lookEvery.secret,
    clientAuthority,
    secretPath,
    write: terminal.err,
    loaded: (policies) => report(policies, terminal),
    diagnosed: (diagnostics) => diagnosticLines(diagnostics).forEach(terminal.err),
  });
  if (typeof gate === "string") return refuse(gate, terminal);
  const stopped = untilStopped(() => void gate.renew());
  greet({ args, gate, secretPath }, terminal);
  await stopped;
  terminal.err("stopping: requests under way are answered first");
  await gate.close();
  return 0;
}

function recordSetting(
  { record, recordReviews, recordMegabytes }: ServeArguments,
): RecorderOptions | undefined {
  return record === undefined
    ? undefined
    : { folder: record, maxReviews: recordReviews, maxBytes: recordMegabytes * 1_000_000 };
}

/** The error about an unknown word in an option's list; `undefined` when there is none. */
function wordProblem({ omitEvents, reportResults }: ServeArguments): string | undefined {
  const reason = unknownWord(omitEvents, eventReasons);
  if (reason !== undefined) return `--omit-events: "${reason}" is none of ${eventReasons.join(", ")}`;
  const result = unknownWord(reportResults, rowResults);
  return result && `--report-results: "${result}" is none of ${rowResults.join(", ")}`;
}

/** The error about options that let unauthenticated clients send reviews; `undefined` when there is none. */
function accessProblem({ tls, host, secretPath }: ServeArguments): string | undefined {
  const access = isLoopback(host) ? "loopback" : "public";
  if (secretPath !== undefined) {
    const problem = secretPathProblem(secretPath, access);
    return problem && `--secret-path ${problem}`;
  }
  return access === "public" && !tls
    ? "--no-tls on a public address needs --secret-path, or everyone can send reviews"
    : undefined;
}

async function readAuthority(file: string): Promise<string | Fault> {
  try {
    const text = await Deno.readTextFile(file);
    return text.includes("-----BEGIN CERTIFICATE-----")
      ? text
      : new Fault(`--client-ca ${file}: it holds no PEM certificate`);
  } catch (cause) {
    return new Fault(`--client-ca ${file}: ${fileProblem(cause)}`);
  }
}

function liveSetting(args: ServeArguments): NonNullable<GateOptions["live"]> {
  return {
    installation: installationOf(args),
    lookForExpired: args.ttlInterval * 1000,
    omittedEvents: new Set(wordsOf(args.omitEvents, eventReasons)),
    reports: args.openReports === true ? openReports : policyReports,
    reportedResults: new Set(wordsOf(args.reportResults, rowResults)),
    ignoreFailures: args.forceFailurePolicyIgnore === true,
    exceptionNamespace: args.exceptionNamespace,
  };
}

/** The accepted words in a list with commas. */
function wordsOf<Word extends string>(text: string, words: readonly Word[]): Word[] {
  const written = text.split(",").map((each) => each.trim());
  return words.filter((word) => written.includes(word));
}

/** The first word in a list with commas that is not accepted; `undefined` when all are. */
function unknownWord(text: string, words: readonly string[]): string | undefined {
  return text.split(",").map((each) => each.trim()).find((each) => each !== "" && !words.includes(each));
}

/** The names of the installation's objects: Postern's, or Kyverno's for users who look for those. */
function installationOf(args: ServeArguments): Omit<Installation, "caBundle"> {
  const { namespace, name: service } = namespacedName(args.service);
  const isKyverno = args.installNames === "kyverno";
  const account = (name: string): string => `system:serviceaccount:${namespace}:${name}`;
  const posternAccount = account("postern");
  return {
    namespace,
    service,
    servicePort: args.servicePort ?? 443,
    prefix: args.installNames,
    path: args.secretPath ?? "",
    configMap: args.installNames,
    accounts: isKyverno
      ? {
        background: account("kyverno-background-controller"),
        reports: account("kyverno-reports-controller"),
        cleanup: account("kyverno-cleanup-controller"),
      }
      : { background: posternAccount, reports: posternAccount, cleanup: posternAccount },
  };
}

function certificatesOf(args: ServeArguments, cluster: Cluster): Certificates {
  const { tlsCert, tlsKey, tlsCa, certDir, host, certificateSecret, webhooks } = args;
  const clock = systemClock();
  if (tlsCert !== undefined || tlsKey !== undefined) {
    return givenCertificates({
      certFile: tlsCert ?? "",
      keyFile: tlsKey ?? "",
      ...(tlsCa !== undefined && { caFile: tlsCa }),
      clock,
    });
  }
  const service = namesOfService(args.service);
  if (certificateSecret !== undefined) {
    const names = [...service, "localhost", "127.0.0.1"];
    return clusterCertificates({
      cluster,
      clock,
      names,
      secret: namespacedName(certificateSecret),
      ...(webhooks !== undefined && { webhooks }),
    });
  }
  const names = [
    ...new Set([host === "0.0.0.0" ? "127.0.0.1" : host, "127.0.0.1", "localhost", ...service]),
  ];
  return madeCertificates({ names, clock, ...(certDir !== undefined && { folder: certDir }) });
}

/** Splits the value of an option in the form `namespace/name`. */
function namespacedName(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = text.split("/");
  return { namespace, name };
}

/** The DNS names under which the API server calls a service (`namespace/name`). */
function namesOfService(service: string): string[] {
  const { namespace, name } = namespacedName(service);
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
  readonly gate: Gate;
  readonly secretPath: string | undefined;
}

function greet({ args, gate, secretPath }: Greeting, terminal: Terminal): void {
  const { port, metricsPort, caBundle, about } = gate;
  // Never write the secret itself: a reader of the log could then send forged reviews.
  const below = secretPath === undefined ? "" : "/$SECRET_PATH";
  const url = `${args.tls ? "https" : "http"}://${args.host}:${port}${below}`;
  terminal.err(
    `\nPostern listens on ${url} (metrics: http://${args.host}:${metricsPort}/metrics), with the ${about}.`,
  );
  if (caBundle !== undefined) terminal.err(`caBundle of its certificate: ${caBundle}`);
  // In a container, which listens on every address, no user at this terminal could run the command below.
  if (!isLoopback(args.host)) return;
  terminal.err(
    `\nTry it:\n\n  curl -sk ${url}/validate/fail -H 'Content-Type: application/json' -d '${sampleReview}'\n`,
  );
}

/** A review of a Pod that most policies deny. */
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

/** Waits for SIGINT or SIGTERM. SIGHUP makes the server load its certificate and policies again. */
async function untilStopped(renew: () => void): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  for (const signal of stopSignals) Deno.addSignalListener(signal, stop);
  if (!isWindows) Deno.addSignalListener("SIGHUP", renew);
  await stopped;
  // A second signal ends the process at once.
  for (const signal of stopSignals) Deno.removeSignalListener(signal, stop);
  if (!isWindows) Deno.removeSignalListener("SIGHUP", renew);
}

const isWindows = Deno.build.os === "windows";
const stopSignals: readonly Deno.Signal[] = isWindows ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
