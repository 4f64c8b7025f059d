/**
 * What Postern is compared with: a bare Hono app that reads the JSON of a request and answers it (the floor, below which
 * no webhook gets), and one that only takes the body and says "ok" (how much the load generator can make).
 */
import { Hono } from "hono";

const app = new Hono();
app.post("/echo", async (c) => c.json(await c.req.json()));
app.post("/ok", async (c) => {
  await c.req.text();
  return c.text("ok");
});

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.args[0]), onListen() {} }, app.fetch);
