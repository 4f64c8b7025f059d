import type { Announced, Handler, Listener, ListenerAnswer } from "../listener/mod.ts";
import { type AppOptions, createApp, patienceOf, Reviews } from "../server/mod.ts";
import type { GateOptions } from "./gate_options.ts";
import { isLoopback, slowestRules, slowestRulesPath } from "./slowest_rules.ts";

/** Opens the webhook's port; a text says why it cannot be opened. */
export async function openListener(options: GateOptions, app: AppOptions): Promise<Listener | string> {
  // Loaded when a port is opened: bundles for other platforms have none.
  const { fetchHandler, Listener, plainAnswer } = await import("../listener/mod.ts");
  const { hostname, port, certificates, clientAuthority, lookEvery } = options;
  const { cluster } = app.ports;
  return await Listener.open({
    hostname,
    port,
    serve: { handler: handlerOf(new Reviews(app), fetchHandler(createApp(app).fetch)) },
    ...(certificates !== undefined && { certificates: certificates(cluster) }),
    ...(clientAuthority !== undefined && { clientAuthority }),
    lookEvery,
    patience: patienceOf,
    screen: (announced) => {
      const refusal = refusalOf(announced, options);
      return refusal && plainAnswer(refusal.status, refusal.message);
    },
    problem: (message) => app.log.write("error", "listener", { message }),
  });
}

/** Reviews need no web request, which would cost as much as reading them; all else has the app. */
function handlerOf(reviews: Reviews, rest: Handler): Handler {
  return (incoming) => {
    const answer = reviews.handle(incoming);
    if (answer === undefined) return rest(incoming);
    return answer instanceof Promise ? answer.then(inJson) : inJson(answer);
  };
}

const jsonHeaders = [["Content-Type", "application/json"]] as const;

function inJson({ status, body }: { readonly status: number; readonly body: string }): ListenerAnswer {
  return { status, headers: jsonHeaders, body };
}

/** Why a request is refused before its body is read: nobody shall have to be trusted with memory who is not known. */
function refusalOf(
  { method, target, authenticated }: Announced,
  { secretPath = "", clientAuthority }: GateOptions,
): { readonly status: number; readonly message: string } | undefined {
  if (method === "GET" || method === "HEAD") return undefined;
  if (!target.startsWith(`${secretPath}/`)) return { status: 404, message: "nothing is served here" };
  if (clientAuthority === undefined || authenticated) return undefined;
  return { status: 403, message: "a client certificate is needed here" };
}

/**
 * Opens the port of metrics and health, without TLS: so a kubelet is answered even while thousands of callers want to
 * begin a handshake. A text says why it cannot be opened.
 */
export async function openMetrics(
  options: Pick<GateOptions, "hostname" | "metricsPort">,
  { metrics, log, snapshot }: Pick<AppOptions, "metrics" | "log" | "snapshot">,
): Promise<Listener | string> {
  const { Listener, plainAnswer } = await import("../listener/mod.ts");
  const headers = [["Content-Type", "text/plain; version=0.0.4; charset=utf-8"]] as const;
  const answers: Readonly<Record<string, (query: string) => ListenerAnswer | Promise<ListenerAnswer>>> = {
    "/health/liveness": () => ({ status: 200, headers, body: "ok" }),
    "/health/readiness": () =>
      snapshot() === undefined
        ? { status: 503, headers, body: "loading" }
        : { status: 200, headers, body: "ok" },
    "/metrics": async () => ({ status: 200, headers, body: await metrics.text() }),
    [slowestRulesPath]: (query) => slowestRules(metrics, query),
  };
  return await Listener.open({
    hostname: options.hostname,
    port: options.metricsPort,
    serve: {
      handler: ({ target }) => {
        const [path = "", query = ""] = target.split("?");
        return Object.hasOwn(answers, path)
          ? answers[path]!(query)
          : plainAnswer(404, "metrics are at /metrics, health at /health/liveness and /health/readiness");
      },
    },
    screen: ({ target, address }) =>
      target.startsWith("/debug/") && !isLoopback(address)
        ? plainAnswer(403, "this is answered on the loopback address only")
        : undefined,
    problem: (message) => log.write("error", "metrics listener", { message }),
    limits: { connections: 256, bodyBytes: 0 },
  });
}
