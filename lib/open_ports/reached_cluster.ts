import {
  AggregatedDiscovery,
  type AnswerMemory,
  type Endpoint,
  eventLoopScheduler,
  inClusterEndpoint,
  kubeconfigEndpoint,
  LiveCluster,
  LiveCollections,
  ObjectBudget,
  Recovery,
  WatchedCluster,
} from "../adapters/mod.ts";
import type { Patch } from "../embedded/mod.ts";
import { type Diagnostic, fileProblem } from "../diagnostics/mod.ts";
import { Fault, isFault, isObject, type JsonObject } from "../json/mod.ts";
import { parseJsonPatch, planStrategicMerge } from "../patch/mod.ts";
import type { ApiCall, Cluster, Collections, Discovery, Log, Ports } from "../ports.ts";
import { dirname } from "node:path";
import { mostObjectBytes } from "../heap/mod.ts";
import { LateCluster } from "./late_cluster.ts";

/** The cluster that a command or a server reads. */
export interface ClusterOptions {
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
  /** Set to watch the objects that nearly every admission reads and keep them in memory; for a server. */
  readonly watch?: Log;
  /** Called for each call to a running cluster. */
  readonly called?: (call: ApiCall) => void;
}

/** The watches of a running cluster. */
export interface ClusterWatches {
  readonly collections: Collections;
  /** Bounds the objects of the collections, and what the global context keeps. */
  readonly budget: ObjectBudget;
  readonly discovery: Discovery;
}

/** The cluster that was opened, before the other ports are built on it. */
export interface ReachedCluster {
  readonly cluster: Cluster;
  /** Whether the cluster is a running one, or objects in memory. */
  readonly kind: "live" | "embedded";
  readonly about: string;
  readonly watching: ClusterWatches | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Ends what the cluster keeps open. */
  close(): Promise<void>;
}

/** The clock, the random numbers and the memory of adapters. */
type Sources = Pick<Ports, "clock" | "entropy"> & { readonly memory: AnswerMemory };

/**
 * Opens the cluster of the files, otherwise that of the named kubeconfig, otherwise that of the pod's service account,
 * otherwise an embedded one with the objects of a new cluster.
 */
export async function reachCluster(
  { cluster = [], kubeconfig, context, serviceAccount = true, objects, watch, called }: ClusterOptions,
  sources: Sources,
): Promise<ReachedCluster | Fault> {
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
  { watch, called }: { readonly watch: Log | undefined; readonly called: ClusterOptions["called"] },
  { clock, entropy, memory }: Sources,
): ReachedCluster | Fault {
  const recovery = new Recovery(entropy), answered = () => recovery.answered();
  const live = LiveCluster.connect(endpoint, { clock, entropy, memory, answered, ...(called && { called }) });
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
  const watched = new WatchedCluster({ cluster: live, clock, entropy, log: watch, scheduler, recovery });
  const close = async (): Promise<void> => {
    await watched.close();
    live.close();
  };
  const budget = new ObjectBudget(mostObjectBytes());
  const watching = {
    budget,
    collections: new LiveCollections({
      cluster: live,
      clock,
      entropy,
      log: watch,
      budget,
      scheduler,
      recovery,
    }),
    discovery: new AggregatedDiscovery(live, clock),
  };
  return { cluster: watched, kind: "live", about, watching, diagnostics: [], close };
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
