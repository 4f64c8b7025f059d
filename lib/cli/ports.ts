import {
  clusterFromFiles,
  EmbeddedCluster,
  HttpClient,
  inClusterEndpoint,
  kubeconfigEndpoint,
  LiveCluster,
  systemClock,
  systemEntropy,
} from "../adapters/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { Fault, isFault, type JsonObject } from "../json/mod.ts";
import type { Answer, Cluster, GlobalEntries, Ports, Registry } from "../ports.ts";
import { dirname } from "node:path";

/** Where the cluster is. */
export interface ClusterSetting {
  /** Files or folders of objects: the embedded cluster. */
  readonly cluster?: readonly string[] | undefined;
  /** A kubeconfig file: the live cluster. */
  readonly kubeconfig?: string | undefined;
  /** Further objects of the embedded cluster. */
  readonly objects?: readonly JsonObject[];
}

/** The ports of this process, with a word about the cluster that they reach. */
export interface OpenPorts {
  readonly ports: Ports;
  /** Whether the cluster is a running one, or objects in memory. */
  readonly kind: "live" | "embedded";
  readonly about: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Opens the ports. Files come first, then a kubeconfig that is named, then the service account that a pod has; without
 * any of them an embedded cluster stands in, which holds what every cluster holds.
 */
export async function openPorts(setting: ClusterSetting): Promise<OpenPorts | Fault> {
  const clock = systemClock();
  const entropy = systemEntropy();
  const reached = await reachCluster(setting);
  if (isFault(reached)) return reached;
  const { cluster, about, diagnostics } = reached;
  const ports = { cluster, http: new HttpClient(), registry: noRegistry, globals: noGlobals, clock, entropy };
  return { ports, kind: cluster instanceof LiveCluster ? "live" : "embedded", about, diagnostics };

  async function reachCluster(
    { cluster = [], kubeconfig, objects = [] }: ClusterSetting,
  ): Promise<{ cluster: Cluster; about: string; diagnostics: readonly Diagnostic[] } | Fault> {
    if (cluster.length > 0) {
      const read = await clusterFromFiles(cluster, { clock, entropy });
      return { ...read, about: `embedded cluster of ${cluster.join(", ")}` };
    }
    const endpoint = kubeconfig === undefined ? await podEndpoint() : await namedEndpoint(kubeconfig);
    if (isFault(endpoint)) return endpoint;
    if (endpoint !== undefined) {
      const live = LiveCluster.connect(endpoint, { clock, entropy });
      return isFault(live)
        ? live
        : { cluster: live, about: `cluster at ${endpoint.server}`, diagnostics: [] };
    }
    return {
      cluster: new EmbeddedCluster({ objects, intake: "verbatim", clock, entropy }),
      about: "embedded cluster",
      diagnostics: [],
    };
  }
}

async function namedEndpoint(path: string): ReturnType<typeof kubeconfigEndpoint> {
  try {
    return await kubeconfigEndpoint({
      text: await Deno.readTextFile(path),
      folder: dirname(path),
      readText: Deno.readTextFile,
    });
  } catch (cause) {
    return new Fault(
      `cannot read kubeconfig ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** The endpoint of the pod that this process runs in, if it runs in one. */
function podEndpoint(): ReturnType<typeof inClusterEndpoint> | undefined {
  if (Deno.env.get("KUBERNETES_SERVICE_HOST") === undefined) return undefined;
  return inClusterEndpoint({ env: (name: string) => Deno.env.get(name), readText: Deno.readTextFile });
}

const unavailable = (what: string): Promise<Answer> =>
  Promise.resolve({ ok: false, status: undefined, message: `${what} is not configured` });
const noRegistry: Registry = { image: () => unavailable("an image registry") };
const noGlobals: GlobalEntries = { entry: () => unavailable("the global context") };
