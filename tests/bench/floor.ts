/**
 * The floors that Postern is compared with, in the listener that Postern uses:
 *
 *     deno run … tests/bench/floor.ts tls|echo|hono|allow|patch PORT [CERTIFICATES]
 *
 * `tls` is no listener: it answers with the same bytes each time. `echo` answers a body with itself. `hono` is a Hono
 * app that parses the JSON of a review and writes it again, which every webhook must do. `allow` allows every review,
 * and `patch` also answers with the same twelve labels each time.
 */
import { Hono } from "hono";
import { fetchHandler, type Handler, Listener } from "../../lib/listener/mod.ts";
import { madeCertificates } from "../../lib/certificates/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { serveBareTls } from "./bare_tls.ts";

const [kind = "echo", port = "0", folder] = Deno.args;
const hono = new Hono();
hono.post("/echo", async (c) => c.json(await c.req.json()));

const twelveLabels = btoa(JSON.stringify(
  Array.from({ length: 12 }, (_, index) => ({
    op: "add",
    path: `/metadata/labels/example.com~1label-${index}`,
    value: `value-${index}`,
  })),
));

async function reviewed(request: Request, more: Readonly<Record<string, string>>): Promise<Response> {
  const { apiVersion, kind, request: { uid } } = await request.json();
  return Response.json({ apiVersion, kind, response: { uid, allowed: true, ...more } });
}

const handlers: Readonly<Record<string, Handler>> = {
  echo: ({ body }) => ({ status: 200, headers: [["Content-Type", "application/json"]], body }),
  hono: fetchHandler(hono.fetch),
  allow: fetchHandler((request) => reviewed(request, {})),
  patch: fetchHandler((request) => reviewed(request, { patchType: "JSONPatch", patch: twelveLabels })),
};

const names = ["127.0.0.1", "localhost", "postern.postern.svc", "postern.postern.svc.cluster.local"];
const certificates = madeCertificates({
  names,
  clock: systemClock(),
  ...(folder !== undefined && { folder }),
});
if (kind === "tls") {
  const { certificate } = await certificates.current();
  serveBareTls(certificate!, Number(port));
} else {
  const listener = await Listener.open({
    hostname: "127.0.0.1",
    port: Number(port),
    serve: { handler: handlers[kind]! },
    certificates,
    problem: (message) => {
      throw new Error(message);
    },
  });
  if (typeof listener === "string") throw new Error(listener);
}
