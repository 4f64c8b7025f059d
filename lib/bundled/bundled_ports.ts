import {
  type AddressLookup,
  ClusterGlobalEntries,
  type CompileProjection,
  type Endpoint,
  HttpClient,
  inClusterEndpoint,
  LiveCluster,
  serviceAddresses,
  systemClock,
  systemEntropy,
} from "../adapters/mod.ts";
import { compileExpression } from "../jmespath/mod.ts";
import { Fault, isFault, scopeOf, withoutEnding } from "../json/mod.ts";
import type { Answer, Cluster, Ports, Scheduler } from "../ports.ts";
import type { Settings } from "./settings.ts";

/** Opens the ports that read image registries. Without `resolve` they look no host names up. */
export type BundledImages = (
  ports: Pick<Ports, "clock" | "entropy" | "cluster"> & { readonly resolve: AddressLookup | undefined },
) => Pick<Ports, "registry" | "signatures">;

/**
 * Opens the ports of a bundle. Its cluster is the API server at `POSTERN_API_SERVER` (with `POSTERN_API_TOKEN`, and
 * `POSTERN_API_CA` in PEM), or that of the pod that the bundle runs in. Without either, every look-up fails with a
 * message that says so, and the policy's failurePolicy decides.
 */
export async function bundledPorts(
  settings: Settings,
  { images, resolve, scheduler }: {
    readonly images: BundledImages | undefined;
    readonly resolve: AddressLookup | undefined;
    readonly scheduler: Scheduler;
  },
): Promise<Ports> {
  const clock = systemClock();
  const entropy = systemEntropy();
  const refuses = serviceAddresses({ resolve });
  const http = new HttpClient(isFault(refuses) ? {} : { refuses });
  const endpoint = givenEndpoint(settings) ?? await podEndpoint(settings);
  const reached = endpoint === undefined || isFault(endpoint)
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
    entropy,
    compile,
  });
  const { registry, signatures } = images?.({ clock, entropy, cluster, resolve }) ?? { registry: noRegistry };
  return {
    cluster,
    http,
    registry,
    ...(signatures !== undefined && { signatures }),
    globals,
    clock,
    entropy,
    scheduler,
  };

  function compile(text: string): ReturnType<CompileProjection> {
    const expression = compileExpression(text, { root: "document" });
    if (isFault(expression)) return expression;
    return (value, budget) =>
      expression.evaluate(scopeOf(value), {
        now: () => clock.now(),
        random: () => entropy.next(),
        budget,
      });
  }
}

function givenEndpoint(settings: Settings): Endpoint | undefined {
  const server = settings("POSTERN_API_SERVER");
  const token = settings("POSTERN_API_TOKEN");
  const ca = settings("POSTERN_API_CA");
  if (server === undefined) return undefined;
  return {
    server: withoutEnding(server, "/"),
    ...(token !== undefined && { token }),
    ...(ca !== undefined && { ca }),
  };
}

async function podEndpoint(settings: Settings): Promise<Endpoint | Fault | undefined> {
  if (settings("KUBERNETES_SERVICE_HOST") === undefined) return undefined;
  if (typeof Deno === "undefined") {
    return new Fault(
      "a pod's service account is used on Deno only: set POSTERN_API_SERVER and POSTERN_API_TOKEN",
    );
  }
  return await inClusterEndpoint({ env: settings, readText: Deno.readTextFile });
}

function noCluster(message: string): Cluster {
  return { call: () => failed(message), resource: () => Promise.resolve(undefined) };
}

/** The registry port of bundles whose policies mention no images. */
const noRegistry: Ports["registry"] = {
  image: () => failed("this bundle was made without access to image registries"),
};

function failed(message: string): Promise<Answer> {
  return Promise.resolve({ ok: false, status: undefined, message });
}
