import type { Context } from "hono";
import { Hono } from "hono/tiny";
import type { AppOptions } from "./app_options.ts";
import { BodyReader } from "./body.ts";
import { timeoutOf } from "./review_route.ts";
import { Reviews } from "./reviews.ts";
import { answerScan } from "./scan.ts";

/**
 * Makes the webhook's HTTP app. It starts nothing, and has no state besides its options and reviews. It serves reviews
 * and `/scan` below the secret path only, and health everywhere, because the kubelet does not have the path.
 */
export function createApp(options: AppOptions, reviews: Reviews = new Reviews(options)): Hono {
  const { snapshot, secretPath = "" } = options, { texts } = reviews, bodies = new BodyReader();
  const app = new Hono();
  for (const base of new Set(["", secretPath])) {
    app.get(`${base}/health/liveness`, (c) => c.text("ok"));
    app.get(
      `${base}/health/readiness`,
      (c) => snapshot() === undefined ? c.text("loading", 503) : c.text("ok"),
    );
  }
  app.post(
    `${secretPath}/scan`,
    async (c) => await answerScan(c, { ...options, bodies, texts }) ?? notServed(c),
  );
  app.post("*", async (c) => await review(c) ?? notServed(c));
  app.notFound(notServed);
  app.onError((cause, c) => {
    options.log.write("error", "request failed", { path: withoutSecret(c.req.path), cause: String(cause) });
    return c.json({ message: "internal error" }, 500);
  });
  return app;

  async function review(c: Context): Promise<Response | undefined> {
    if (!c.req.path.startsWith(secretPath)) return undefined;
    const path = withoutSecret(c.req.path);
    const endpoint = reviews.route(path);
    if (endpoint === undefined) return undefined;
    const { status, body, afterwards } = await reviews.answer({
      endpoint,
      path,
      contentType: c.req.header("content-type"),
      body: await bodies.read(c.req.raw),
      timeout: timeoutOf(new URL(c.req.url).search.slice(1)),
    });
    // The platform does not say when it has written the answer.
    afterwards?.();
    const retry = status === 503 ? { "retry-after": "1" } : undefined;
    return new Response(body, { status, headers: { "content-type": "application/json", ...retry } });
  }

  /** Logs never contain the secret path, so that their readers cannot forge reviews. */
  function withoutSecret(path: string): string {
    return path.startsWith(secretPath) ? path.slice(secretPath.length) : path;
  }
}

function notServed(c: Context): Response {
  return c.json({ message: `nothing is served at ${c.req.method} ${c.req.path}` }, 404);
}
