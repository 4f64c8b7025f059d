import type { Json } from "../json/mod.ts";
import type { Answer, ApiCall, ApiResource, Clock, Cluster, Entropy, Log, Scheduler } from "../ports.ts";
import { parseApiPath, versionPath } from "../kube/mod.ts";
import type { Recovery } from "./recovery.ts";
import { type Following, WatchedKind } from "./watched_kind.ts";

/** A cluster whose collections can be watched. */
export interface FollowedCluster extends Cluster {
  follow(path: string, signal: AbortSignal, accept?: string): Promise<Following>;
}

/** The ports of a {@link WatchedCluster}, and the collections that it watches. */
export interface WatchedClusterOptions {
  readonly cluster: FollowedCluster;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log?: Log;
  /** Lets others work between events; nothing pauses without one. */
  readonly scheduler?: Scheduler | undefined;
  /** Says when the API server answers again. */
  readonly recovery?: Recovery | undefined;
  /**
   * The paths of the collections to watch, over all namespaces, from their first read on; {@link admissionPaths} when
   * absent.
   */
  readonly paths?: readonly string[];
  /** The most bytes of objects in each collection: 32,000,000. */
  readonly maxBytes?: number;
}

/**
 * The collections that nearly every admission request reads: namespaces for their labels, and the bindings that give
 * users their roles.
 */
const admissionPaths: readonly string[] = [
  "/api/v1/namespaces",
  "/apis/rbac.authorization.k8s.io/v1/rolebindings",
  "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
];

/**
 * A cluster that watches some collections and answers reads of them from memory. It passes all other calls on: other
 * paths, writes, reads with a query, objects that it does not have, and reads of a collection whose watch is not open.
 * It needs the verbs list and watch; without them it passes every call on.
 */
export class WatchedCluster implements Cluster {
  readonly #cluster: FollowedCluster;
  readonly #options: WatchedClusterOptions;
  readonly #paths: readonly string[];
  readonly #kinds = new Map<string, WatchedKind>();
  #closed = false;

  constructor(options: WatchedClusterOptions) {
    this.#options = options;
    this.#cluster = options.cluster;
    this.#paths = options.paths ?? admissionPaths;
  }

  call(call: ApiCall): Promise<Answer> {
    const answer = call.method === "GET" ? this.inMemory(call.path) : undefined;
    return answer === undefined ? this.#cluster.call(call) : Promise.resolve(answer);
  }

  inMemory(path: string): Answer | undefined {
    const body = this.#cached(path);
    return body === undefined ? undefined : { ok: true, status: 200, body };
  }

  resource(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    return this.#cluster.resource(apiVersion, kind);
  }

  /** Ends the watches. It does not close the cluster to which it passes calls on. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#kinds.values()].map((kind) => kind.close()));
  }

  #cached(path: string): Json | undefined {
    if (this.#paths.includes(path)) return this.#kindAt(path)?.list();
    if (path.includes("?")) return undefined;
    const parsed = parseApiPath(path)?.path;
    if (parsed?.at !== "resource") return undefined;
    const { plural, namespace, name, subresource } = parsed.resource;
    if (name === undefined || subresource !== undefined) return undefined;
    return this.#kindAt(`${versionPath(parsed.resource)}/${plural}`)?.get(namespace ?? "", name);
  }

  /** Returns the objects of a path. The first read starts the watch: without one no right to it is needed. */
  #kindAt(path: string): WatchedKind | undefined {
    const watchedKind = this.#kinds.get(path);
    if (watchedKind !== undefined || this.#closed || !this.#paths.includes(path)) return watchedKind;
    const { cluster, maxBytes = 32_000_000, clock, entropy, log, scheduler, recovery } = this.#options;
    const kind = new WatchedKind({
      path,
      call: (call) => cluster.call(call),
      follow: (watched, signal) => cluster.follow(watched, signal),
      clock,
      entropy,
      scheduler,
      recovery,
      maxBytes,
      ...(log === undefined ? {} : { log }),
    });
    this.#kinds.set(path, kind);
    return kind;
  }
}
