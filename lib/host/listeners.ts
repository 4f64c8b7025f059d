import { isFault } from "../json/mod.ts";
import {
  type Announced,
  fetchHandler,
  type Handler,
  type HandlerAnswer,
  Listener,
  openProbePort,
  plainAnswer,
  type Probes,
} from "../listener/mod.ts";
import {
  answerTimeOf,
  type AppOptions,
  createApp,
  ParentKinds,
  type ReviewAnswer,
  Reviews,
} from "../server/mod.ts";
import type { GateOptions } from "./gate_options.ts";
import { garbageBound } from "../heap/mod.ts";
import { isLoopback, slowestRules, slowestRulesPath } from "./slowest_rules.ts";

/** Opens the webhook's port; a text says why it cannot be opened. */
export async function openListener(options: GateOptions, app: AppOptions): Promise<Listener | string> {
  const { hostname, port, certificates, clientAuthority, readClientAuthority, checkEvery } = options;
  const { cluster } = app.ports, reviews = new Reviews({ ...app, parents: new ParentKinds(app.ports) });
  return await Listener.open({
    hostname,
    port,
    serve: { handler: handlerOf(reviews, fetchHandler(createApp(app, reviews).fetch)) },
    ...(certificates !== undefined && { certificates: certificates(cluster) }),
    ...(clientAuthority !== undefined && { clientAuthority }),
    nextClientAuthority: readClientAuthority && (async () => {
      const read = await readClientAuthority();
      return isFault(read) ? { problem: read.message } : read;
    }),
    checkEvery,
    answerTime: answerTimeOf,
    collectGarbage: garbageBound(),
    screen: (announced) => {
      const refusal = refusalOf(announced, options);
      return refusal && plainAnswer(refusal.status, refusal.message);
    },
    problem: (cause) => app.log.write("error", "listener", { cause }),
  });
}

/**
 * Reviews skip the conversion to a web request, which would cost as much as parsing them. All other requests go to
 * the app.
 */
function handlerOf(reviews: Reviews, rest: Handler): Handler {
  return (incoming) => {
    const answer = reviews.handle(incoming);
    if (answer === undefined) return rest(incoming);
    return answer instanceof Promise ? answer.then(inJson) : inJson(answer);
  };
}

const jsonHeaders = [["Content-Type", "application/json"]] as const;

function inJson({ status, body, afterwards }: ReviewAnswer): HandlerAnswer {
  return { status, headers: jsonHeaders, body, afterwards };
}

/** Refuses a request before its body is read: an unauthenticated caller must not use memory. */
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
 * Opens the port of metrics and health, on a separate thread where the runtime may read its code. A text says why the
 * port cannot be opened.
 */
export async function openProbes(
  { hostname, metricsPort }: Pick<GateOptions, "hostname" | "metricsPort">,
  { metrics, log, snapshot }: Pick<AppOptions, "metrics" | "log" | "snapshot">,
): Promise<Probes | string> {
  const headers = [["Content-Type", "text/plain; version=0.0.4; charset=utf-8"]] as const;
  const text = throttledText(() => metrics.text());
  return await openProbePort({
    hostname,
    port: metricsPort,
    isReady: () => snapshot() !== undefined,
    async answer({ target, address }) {
      const [path = "", query = ""] = target.split("?");
      switch (path) {
        case "/metrics":
          return { status: 200, headers, body: await text() };
        case slowestRulesPath:
          return isLoopback(address)
            ? slowestRules(metrics, query)
            : plainAnswer(403, "this path is available on the loopback address only");
        default:
          return plainAnswer(
            404,
            "metrics are at /metrics, health at /health/liveness and /health/readiness",
          );
      }
    },
    problem: (cause) => log.write("warn", "probes", { cause }),
  });
}

/** Characters from which a text counts as long. */
const longText = 256 * 1024;

/** A long text is answered again for this many times as long as it took to write. */
const reuseFactor = 20;

/**
 * Writes a text for each call, but a long one again only after a pause, so that callers of the open port cannot keep
 * the process busy with it.
 */
function throttledText(write: () => Promise<string>): () => Promise<string> {
  let kept = "", until = 0;
  return async () => {
    const started = performance.now();
    if (started < until) return kept;
    kept = await write();
    const now = performance.now();
    until = kept.length > longText ? now + (now - started) * reuseFactor : 0;
    return kept;
  };
}
