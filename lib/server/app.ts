import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Snapshot } from "../engine/mod.ts";
import type { BackgroundWorker } from "../background/mod.ts";
import type { Log, Ports } from "../ports.ts";
import type { AdmissionRequest } from "../kube/mod.ts";
import { type AdmissionResponse, admissionReview } from "../report/mod.ts";
import { type Asked, decide, failed, type Route } from "./decide.ts";
import { readBody } from "./body.ts";
import { compileFilters, type FilterConfig } from "./filters.ts";
import type { Metrics } from "./metrics.ts";
import { maxReviewBytes, policyRequest, readReview, type Refusal } from "./review.ts";
import type { AuditQueue } from "./audit.ts";
import { answerScan } from "./scan.ts";

/** What the app serves, and with what. */
export interface AppOptions {
  /** The policies now; asked for at each request, so that a new snapshot takes effect at once. */
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: Ports;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly audit?: AuditQueue;
  /** Carries out what rules do to other objects, once a request was allowed. */
  readonly effects?: BackgroundWorker;
  readonly filters?: FilterConfig;
  /** Asked first with the path of a request that the app does not know itself: what other webhooks ask about. */
  readonly routes?: (path: string) => PathRoute | undefined;
  /** Whether callers of `/scan` may bring expressions of their own; no by default. */
  readonly scanPreprocessors?: boolean;
  /** Requests must come below this path, which only the API server knows: `/s3cret`. */
  readonly secretPath?: string;
}

/** What the webhook at a path asks: some of the policies, in one phase. */
export interface PathRoute {
  readonly snapshot: Snapshot;
  readonly route: Route;
}

/** Makes the webhook's HTTP app. It starts nothing and holds no state beside what it is given. */
export function createApp(options: AppOptions): Hono {
  const { snapshot, metrics } = options;
  const unseen = compileFilters(options.filters);
  const app = new Hono().basePath(options.secretPath ?? "/");
  app.get("/health/liveness", (c) => c.text("ok"));
  app.get("/health/readiness", (c) => snapshot() === undefined ? c.text("loading", 503) : c.text("ok"));
  for (const phase of ["validate", "mutate"] as const) {
    app.post(`/${phase}`, (c) => review(c, { phase }));
    for (const failurePolicy of ["Fail", "Ignore"] as const) {
      const path = `/${phase}/${failurePolicy.toLowerCase()}`;
      app.post(path, (c) => review(c, { phase, failurePolicy }));
      app.post(
        `${path}/finegrained/:policy`,
        (c) => review(c, { phase, failurePolicy, policy: c.req.param("policy") }),
      );
      app.post(
        `${path}/finegrained/:namespace/:policy`,
        (c) =>
          review(c, { phase, failurePolicy, policy: `${c.req.param("namespace")}/${c.req.param("policy")}` }),
      );
    }
  }
  app.use("/scan", bodyLimit({ maxSize: maxReviewBytes, onError: (c) => refuse(c, tooLarge) }));
  app.post("/scan", async (c) => await answerScan(c, options) ?? notServed(c));
  app.post("/*", (c) => {
    const found = options.routes?.(c.req.path.slice(options.secretPath?.length ?? 0));
    return found === undefined ? notServed(c) : review(c, found.route, found.snapshot);
  });
  app.notFound(notServed);
  app.onError((cause, c) => {
    options.log.write("error", "request failed", { path: c.req.path, cause: String(cause) });
    return c.json({ message: "internal error" }, 500);
  });
  return app;

  async function review(c: Context, route: Route, among = snapshot()): Promise<Response> {
    const started = performance.now();
    if (!isJson(c.req.header("content-type"))) return refuse(c, wrongType);
    const body = await readBody(c.req.raw);
    if (body === undefined) return refuse(c, tooLarge);
    const read = readReview(body);
    if ("status" in read) return refuse(c, read);
    const { request } = read;
    try {
      const response = respond(request, {
        ...route,
        snapshot: among,
        started,
        timeout: timeoutOf(c),
        bytes: body.length,
      });
      return answer(response instanceof Promise ? await response : response);
    } catch (cause) {
      // Whatever else is wrong inside: the API server gets its uid back, and what failurePolicy says.
      options.log.write("error", "request failed", { uid: request.uid, cause: textOf(cause) });
      return answer(failed(request, route.failurePolicy ?? "Fail", `internal error: ${textOf(cause)}`));
    }
  }

  function respond(
    request: AdmissionRequest,
    asked: Route & Pick<Asked, "started" | "timeout"> & {
      readonly snapshot: Snapshot | undefined;
      readonly bytes: number;
    },
  ): AdmissionResponse | Promise<AdmissionResponse> {
    const { snapshot: current, started, timeout, bytes, ...route } = asked;
    if (current === undefined) {
      return failed(request, route.failurePolicy ?? "Fail", "policies are still being loaded");
    }
    if (unseen(request)) return { uid: request.uid, allowed: true };
    const subject = policyRequest(request);
    const response = decide(subject, { ...route, snapshot: current, started, timeout }, options);
    return response instanceof Promise ? response.then(followed) : followed(response);

    /** What an answer sets off, and is not changed by. */
    function followed(response: AdmissionResponse): AdmissionResponse {
      if (route.phase === "validate") {
        options.audit?.add(subject, route, bytes);
        if (response.allowed) options.effects?.add(subject, { asked: route });
      }
      metrics.reviewed(request, response.allowed, performance.now() - started);
      return response;
    }
  }

  function refuse(c: Context, { status, message, uid }: Refusal): Response {
    options.log.write("warn", "request refused", { path: c.req.path, status, message });
    if (uid === "") return c.json({ message }, status);
    const response = { uid, allowed: false, status: { status: "Failure", message, code: status } } as const;
    return c.json(admissionReview(response), status);
  }
}

function notServed(c: Context): Response {
  return c.json({ message: `nothing is served at ${c.req.method} ${c.req.path}` }, 404);
}

const tooLarge: Refusal = {
  status: 413,
  message: `the body is larger than ${maxReviewBytes} bytes`,
  uid: "",
};
const wrongType: Refusal = {
  status: 415,
  message: "invalid Content-Type: expected application/json",
  uid: "",
};

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === "application/json") return contentType !== undefined;
  return contentType.split(";")[0]!.trim().toLowerCase() === "application/json";
}

function answer(response: AdmissionResponse): Response {
  return new Response(JSON.stringify(admissionReview(response)), inJson);
}

const inJson = { headers: { "content-type": "application/json" } };

/** The API server says how long it waits (`?timeout=10s`); the answer must be there before. */
function timeoutOf(c: Context): number {
  const { url } = c.req;
  const known = timeouts.get(url);
  if (known !== undefined) return known;
  const match = /^(\d+)s$/.exec(c.req.query("timeout") ?? "");
  const seconds = match === null ? 10 : Math.min(Number(match[1]), 30);
  const timeout = Math.max(100, seconds * 1000 - 500);
  if (timeouts.size < maxTimeouts && url.length <= maxUrl) timeouts.set(url, timeout);
  return timeout;
}

/** By URL: an API server asks the same few again and again. */
const timeouts = new Map<string, number>();
const maxTimeouts = 256, maxUrl = 1024;
