/**
 * The floors that Postern is compared with, in the listener that Postern uses:
 *
 *     deno run … tests/bench/floor.ts echo|hono|webhook PORT [CERTIFICATES]
 *
 * `echo` answers a body with itself. `hono` is a Hono app that parses the JSON of a review and writes it again, below which no
 * webhook gets. `webhook` allows every review.
 */
import { Hono } from "hono";
import { Listener } from "../../lib/host/mod.ts";
import { madeCertificates } from "../../lib/install/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";

const [kind = "echo", port = "0", folder] = Deno.args;
const inJson = { headers: { "content-type": "application/json" } };
const hono = new Hono();
hono.post("/echo", async (c) => c.json(await c.req.json()));

const handlers: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  echo: async (request) => new Response(await request.text(), inJson),
  hono: hono.fetch,
  webhook: async (request) => {
    const { apiVersion, kind, request: { uid } } = await request.json();
    return Response.json({ apiVersion, kind, response: { uid, allowed: true } });
  },
};

const names = ["127.0.0.1", "localhost", "postern.postern.svc", "postern.postern.svc.cluster.local"];
const listener = await Listener.open({
  hostname: "127.0.0.1",
  port: Number(port),
  handler: handlers[kind]!,
  certificates: madeCertificates({ names, clock: systemClock(), ...(folder !== undefined && { folder }) }),
  problem: (message) => {
    throw new Error(message);
  },
});
if (typeof listener === "string") throw new Error(listener);
