import {
  addressesOf,
  AggregatedDiscovery,
  AnswerMemory,
  ClusterGlobalEntries,
  type CompileProjection,
  type Endpoint,
  eventLoopScheduler,
  HttpClient,
  inClusterEndpoint,
  kubeconfigEndpoint,
  LiveCluster,
  LiveCollections,
  ObjectBudget,
  serviceAddresses,
  systemClock,
  systemEntropy,
  WatchedCluster,
  WatchedGlobalEntries,
} from "../adapters/mod.ts";
import type { Patch } from "../embedded/mod.ts";
import { type Diagnostic, fileProblem } from "../diagnostics/mod.ts";
import { compileExpression } from "../jmespath/mod.ts";
import { Fault, isFault, isObject, type JsonObject, scopeOf } from "../json/mod.ts";
import { parseJsonPatch, planStrategicMerge } from "../patch/mod.ts";
import type { ApiCall, Clock, Cluster, Collections, Discovery, Log, Ports } from "../ports.ts";
import { dirname } from "node:path";
import { answerMemory, garbageBound, mostCachedBytes, mostObjectBytes } from "../heap/mod.ts";
import type { ImagePortsOptions, openImagePorts } from "./image_ports.ts";
import { LateCluster } from "./late_cluster.ts";
import { LateImages } from "./late_images.ts";

/** The cluster and the options of the ports. */
export interface PortsOptions {
  /** The files or folders of objects of an embedded cluster. */
  readonly cluster?: readonly string[] | undefined;
  /** A kubeconfig file of a live cluster. */
  readonly kubeconfig?: string | undefined;
  /** The context of the kubeconfig; the current one by default. */
  readonly context?: string | undefined;
  /** Whether a pod's service account is used when no cluster is named; true by default. */
  readonly serviceAccount?: boolean;
  /** Reads the objects of the embedded cluster at its first call, when there are no files. */
  readonly objects?: () => Promise<readonly JsonObject[]>;
  /** The options of reading image registries. */
  readonly images?: ImagePortsOptions;
  /** Set to watch the objects that nearly every admission reads and keep them in memory; for a server. */
  readonly watch?: Log;
  /** Called for each call to a running cluster. */
  readonly called?: (call: ApiCall) => void;
  /** The services that policies may call; without it they may call any, as the user of a command may. */
  readonly services?: ServiceOptions;
}

/** The rules for calls to services. */
export interface ServiceOptions {
  /** The networks and host names at which this machine and link-local addresses may be called. */
  readonly allowedAddresses: readonly string[];
  /** Whether namespaced policies may call services. */
  readonly namespaced: boolean;
}

/** The watches of a running cluster. */
export interface Watching {
  readonly collections: Collections;
  /** Bounds the objects of the collections, and what the global context keeps. */
  readonly budget: ObjectBudget;
  readonly discovery: Discovery;
  /** The global context, whose entries the caller sets. */
  readonly entries: WatchedGlobalEntries;
}

/** The ports of this process, with a description of their cluster. */
export interface OpenPorts {
  readonly ports: Ports;
  /** Whether the cluster is a running one, or objects in memory. */
  readonly kind: "live" | "embedded";
  readonly about: string;
  /** The watches of a running cluster; `undefined` for objects in memory. */
  readonly watching: Watching | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Loads what reads image registries, for policies that will. Without it the first call does. */
  prepareImages(): void;
  /** Ends what the ports keep open. */
  close(): Promise<void>;
}

/** The cluster that was opened, before the other ports are built on it. */
type Reached = Pick<OpenPorts, "kind" | "about" | "diagnostics" | "close"> & {
  readonly cluster: Cluster;
  readonly watching: Omit<Watching, "entries"> | undefined;
};

/**
 * Opens the ports. The cluster is that of the files, otherwise that of the named kubeconfig, otherwise that of the
 * pod's service account, otherwise an embedded one with the objects of a new cluster.
 */
export async function openPorts(options: PortsOptions): Promise<OpenPorts | Fault> {
  const clock = systemClock();
  const entropy = systemEntropy(), isServer = options.watch !== undefined;
  const collect = garbageBound();
  const memory = isServer ? answerMemory(collect) : new AnswerMemory();
  const reached = await reachCluster(options, { clock, entropy, memory });
  if (isFault(reached)) return reached;
  const { cluster, ...rest } = reached;
  const http = serviceClient(options.services, memory);
  if (isFault(http)) {
    await reached.close();
    return http;
  }
  const images = lateImages(options, { clock, entropy, cluster, ...(isServer && { beforeMore: collect }) });
  // The files that they read must be there at the start; a server that names none waits for a policy about images.
  const namesFiles = (options.images?.trustedRoot ?? []).length > 0;
  const problems = isServer && !namesFiles ? [] : await images.prepare();
  if (isFault(problems)) {
    await rest.close();
    return problems;
  }
  const compile = (text: string): ReturnType<CompileProjection> => compileProjection(text, clock);
  const calling = { cluster, http, clock, entropy, compile };
  const others = new ClusterGlobalEntries({
    ...calling,
    ...(isServer ? { cacheBytes: mostCachedBytes() } : { mostWait: longestTimer }),
  });
  const entries = rest.watching && new WatchedGlobalEntries({ ...calling, ...rest.watching, others });
  const ports = {
    cluster,
    http,
    registry: images.registry,
    signatures: images.signatures,
    globals: entries ?? others,
    clock,
    entropy,
    // Nobody waits for a command, and the account of `explain` would lack what was evaluated before a pause.
    ...(isServer && { scheduler: eventLoopScheduler(collect) }),
  };
  const close = async (): Promise<void> => {
    await images.close();
    http.close();
    entries?.close();
    await rest.close();
  };
  const watching = rest.watching && entries && { ...rest.watching, entries };
  const prepareImages = (): void => void images.prepare();
  return {
    ...rest,
    watching,
    ports,
    prepareImages,
    close,
    diagnostics: [...rest.diagnostics, ...problems],
  };
}

/** Milliseconds of the longest timer: nobody waits for a command. */
const longestTimer = 2 ** 31 - 1;

/** The ports about images, whose code is loaded when they are first needed. */
function lateImages(
  { images, watch }: PortsOptions,
  setting: Parameters<typeof openImagePorts>[1],
): LateImages {
  return new LateImages(async () => {
    const { openImagePorts } = await import("./image_ports.ts");
    return await openImagePorts({ ...images, for: watch === undefined ? "command" : "server" }, setting);
  });
}

/** The clock, the random numbers and the memory of adapters. */
type Sources = Pick<Ports, "clock" | "entropy"> & { readonly memory: AnswerMemory };

async function reachCluster(
  { cluster = [], kubeconfig, context, serviceAccount = true, objects, watch, called }: PortsOptions,
  sources: Sources,
): Promise<Reached | Fault> {
  if (cluster.length > 0) {
    const { clusterFromFiles } = await import("./cluster_files.ts");
    const read = await clusterFromFiles(cluster, { ...sources, patches });
    return {
      ...read,
      kind: "embedded",
      watching: undefined,
      about: `embedded cluster of ${cluster.join(", ")}`,
      close: nothingToClose,
    };
  }
  const pod = serviceAccount ? podEndpoint : () => undefined;
  const endpoint = kubeconfig === undefined ? await pod() : await namedEndpoint(kubeconfig, context);
  if (isFault(endpoint)) return endpoint;
  if (endpoint === undefined) {
    const embedded = async () => {
      const { EmbeddedCluster } = await import("../embedded/mod.ts");
      return new EmbeddedCluster({
        objects: await objects?.() ?? [],
        intake: "verbatim",
        ...sources,
        patches,
      });
    };
    return {
      cluster: new LateCluster(embedded),
      kind: "embedded",
      watching: undefined,
      about: "embedded cluster",
      diagnostics: [],
      close: nothingToClose,
    };
  }
  return connect(endpoint, { watch, called }, sources);
}

/** Connects to a running cluster. A server watches the objects that nearly every admission reads. */
function connect(
  endpoint: Endpoint,
  { watch, called }: { readonly watch: Log | undefined; readonly called: PortsOptions["called"] },
  { clock, entropy, memory }: Sources,
): Reached | Fault {
  const live = LiveCluster.connect(endpoint, { clock, entropy, memory, ...(called && { called }) });
  if (isFault(live)) return live;
  const about = `cluster at ${endpoint.server}`;
  if (watch === undefined) {
    return {
      cluster: live,
      kind: "live",
      watching: undefined,
      about,
      diagnostics: [],
      close: () => Promise.resolve(live.close()),
    };
  }
  // To collect the garbage of large events between slices would take longer than the slices.
  const scheduler = eventLoopScheduler();
  const watched = new WatchedCluster({ cluster: live, clock, entropy, log: watch, scheduler });
  const close = async (): Promise<void> => {
    await watched.close();
    live.close();
  };
  const budget = new ObjectBudget(mostObjectBytes());
  const watching = {
    budget,
    collections: new LiveCollections({ cluster: live, clock, entropy, log: watch, budget, scheduler }),
    discovery: new AggregatedDiscovery(live, clock),
  };
  return { cluster: watched, kind: "live", about, watching, diagnostics: [], close };
}

function serviceClient(services: ServiceOptions | undefined, memory: AnswerMemory): HttpClient | Fault {
  if (services === undefined) return new HttpClient({ namespaced: true, memory });
  const { allowedAddresses, namespaced } = services;
  const refuses = serviceAddresses({ exempt: allowedAddresses, resolve: addressesOf });
  return isFault(refuses)
    ? new Fault(`--allow-service-address: ${refuses.message}`)
    : new HttpClient({ refuses, namespaced, memory });
}

const nothingToClose = (): Promise<void> => Promise.resolve();

/** The patch types of the embedded cluster besides merge patch and apply. */
const patches: Readonly<Record<string, Patch>> = {
  "application/json-patch+json": (object, patch) => {
    const plan = parseJsonPatch(patch);
    return isFault(plan) ? plan : plan.apply(object);
  },
  "application/strategic-merge-patch+json": (object, patch) => {
    const plan = planStrategicMerge(patch);
    if (isFault(plan)) return plan;
    return isObject(object) ? plan.apply(object) : new Fault("only objects can be merged");
  },
};

/** Compiles a projection of a global context entry. */
function compileProjection(text: string, clock: Clock): ReturnType<CompileProjection> {
  const expression = compileExpression(text, { root: "document" });
  if (isFault(expression)) return expression;
  return (value, budget) =>
    expression.evaluate(scopeOf(value), { now: () => clock.now(), random: () => 0, budget });
}

async function namedEndpoint(
  path: string,
  context: string | undefined,
): ReturnType<typeof kubeconfigEndpoint> {
  try {
    return await kubeconfigEndpoint({
      ...(context !== undefined && { context }),
      text: await Deno.readTextFile(path),
      folder: dirname(path),
      readText: Deno.readTextFile,
    });
  } catch (cause) {
    return new Fault(
      `cannot read kubeconfig ${path}: ${fileProblem(cause)}; name another one with --kubeconfig`,
    );
  }
}

/** The endpoint of the pod that this process runs in, if it runs in one. */
function podEndpoint(): ReturnType<typeof inClusterEndpoint> | undefined {
  if (Deno.env.get("KUBERNETES_SERVICE_HOST") === undefined) return undefined;
  return inClusterEndpoint({ env: (name: string) => Deno.env.get(name), readText: Deno.readTextFile });
}
