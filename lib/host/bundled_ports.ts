import {
  bundledTrustedRoot,
  ClusterGlobalEntries,
  type Endpoint,
  eventLoopScheduler,
  HttpClient,
  ImageRegistry,
  ImageSignatures,
  inClusterEndpoint,
  LiveCluster,
  registryAddresses,
  serviceAddresses,
  systemClock,
  systemEntropy,
} from "../adapters/mod.ts";
import { compileExpression } from "../jmespath/mod.ts";
import { Fault, isFault, type Json, scopeOf } from "../json/mod.ts";
import type { Answer, Cluster, Ports } from "../ports.ts";
import type { Settings } from "./settings.ts";

/**
 * The ports of a bundle. Its cluster is the API server at `POSTERN_API_SERVER` (with `POSTERN_API_TOKEN`, and
 * `POSTERN_API_CA` in PEM), or that of the pod that it runs in; without either, and on other runtimes than Deno, every look-up fails and says so, and the
 * failurePolicy of the policy that asked decides.
 */
export async function bundledPorts(settings: Settings): Promise<Ports> {
  const clock = systemClock();
  const entropy = systemEntropy();
  const refuses = serviceAddresses();
  const http = new HttpClient(isFault(refuses) ? {} : { refuses });
  const endpoint = givenEndpoint(settings) ?? await podEndpoint(settings);
  const reached = typeof Deno === "undefined"
    ? new Fault("a bundle reaches a cluster on Deno only")
    : endpoint === undefined || isFault(endpoint)
    ? endpoint
    : LiveCluster.connect(endpoint, { clock, entropy });
  const cluster = reached === undefined
    ? noCluster("there is no cluster here: set POSTERN_API_SERVER and POSTERN_API_TOKEN")
    : isFault(reached)
    ? noCluster(reached.message)
    : reached;
  const globals = new ClusterGlobalEntries({
    cluster,
    http,
    clock,
    project: (text, value) => project(text, value),
  });
  const allows = registryAddresses({ loopback: "refused" });
  const registry = new ImageRegistry({ clock, entropy, allows });
  const signatures = new ImageSignatures({
    clock,
    entropy,
    cluster,
    allows,
    trustedRoot: async (mirror) => mirror === "" ? await bundledTrustedRoot() : undefined,
  });
  return { cluster, http, registry, signatures, globals, clock, entropy, scheduler: eventLoopScheduler() };

  function project(text: string, value: Json): Json | Fault {
    const expression = compileExpression(text, { root: "document" });
    if (isFault(expression)) return expression;
    return expression.evaluate(scopeOf(value), { now: () => clock.now(), random: () => entropy.next() });
  }
}

function givenEndpoint(settings: Settings): Endpoint | undefined {
  const server = settings("POSTERN_API_SERVER");
  const token = settings("POSTERN_API_TOKEN");
  const ca = settings("POSTERN_API_CA");
  if (server === undefined) return undefined;
  return {
    server: server.replace(/\/+$/, ""),
    ...(token !== undefined && { token }),
    ...(ca !== undefined && { ca }),
  };
}

async function podEndpoint(settings: Settings): Promise<Endpoint | Fault | undefined> {
  if (settings("KUBERNETES_SERVICE_HOST") === undefined || typeof Deno === "undefined") return undefined;
  return await inClusterEndpoint({ env: settings, readText: Deno.readTextFile });
}

function noCluster(message: string): Cluster {
  const answer: Answer = { ok: false, status: undefined, message };
  return { call: () => Promise.resolve(answer), resource: () => Promise.resolve(undefined) };
}
