import {
  addressesOf,
  AnswerMemory,
  ClusterGlobalEntries,
  type CompileProjection,
  eventLoopScheduler,
  HttpClient,
  serviceAddresses,
  systemClock,
  systemEntropy,
  WatchedGlobalEntries,
} from "../adapters/mod.ts";
import { answerMemory, garbageBound, mostCachedBytes } from "../heap/mod.ts";
import { compileExpression } from "../jmespath/mod.ts";
import { Fault, isFault, scopeOf } from "../json/mod.ts";
import type { Clock, Ports } from "../ports.ts";
import type { ImagePortsOptions, openImagePorts } from "./image_ports.ts";
import { LateImages } from "./late_images.ts";
import {
  type ClusterOptions,
  type ClusterWatches,
  reachCluster,
  type ReachedCluster,
} from "./reached_cluster.ts";

/** The cluster and the options of the ports. */
export interface PortsOptions extends ClusterOptions {
  /** The options of reading image registries. */
  readonly images?: ImagePortsOptions;
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

/** The watches of a running cluster, and what they keep up to date. */
export interface Watching extends ClusterWatches {
  /** The global context, whose entries the caller sets. */
  readonly entries: WatchedGlobalEntries;
}

/** The ports of this process, with a description of their cluster. */
export interface OpenPorts extends Pick<ReachedCluster, "kind" | "about" | "diagnostics"> {
  readonly ports: Ports;
  /** The watches of a running cluster; `undefined` for objects in memory. */
  readonly watching: Watching | undefined;
  /** Loads what reads image registries, for policies that will. Without it the first call does. */
  prepareImages(): void;
  /** Ends what the ports keep open. */
  close(): Promise<void>;
}

/** Opens the ports. {@link reachCluster} says which cluster they have. */
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

function serviceClient(services: ServiceOptions | undefined, memory: AnswerMemory): HttpClient | Fault {
  if (services === undefined) return new HttpClient({ namespaced: true, memory });
  const { allowedAddresses, namespaced } = services;
  const refuses = serviceAddresses({ exempt: allowedAddresses, resolve: addressesOf });
  return isFault(refuses)
    ? new Fault(`--allow-service-address: ${refuses.message}`)
    : new HttpClient({ refuses, namespaced, memory });
}

/** Compiles a projection of a global context entry. */
function compileProjection(text: string, clock: Clock): ReturnType<CompileProjection> {
  const expression = compileExpression(text, { root: "document" });
  if (isFault(expression)) return expression;
  return (value, budget) =>
    expression.evaluate(scopeOf(value), { now: () => clock.now(), random: () => 0, budget });
}
