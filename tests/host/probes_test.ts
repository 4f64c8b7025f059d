/** The port of metrics, which anybody in the cluster reaches. */
import assert from "node:assert/strict";
import { openProbes } from "../../lib/host/listeners.ts";

async function written(text: string): Promise<{ readonly times: number; readonly bodies: Set<string> }> {
  let times = 0;
  const metrics = {
    text: async () => {
      times++;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return `${text}${times}`;
    },
  };
  const app = { metrics, log: { write: () => {} }, snapshot: () => undefined } as unknown;
  const probes = await openProbes(
    { hostname: "127.0.0.1", metricsPort: 0 },
    app as Parameters<typeof openProbes>[1],
  );
  assert.ok(typeof probes !== "string");
  const bodies = new Set<string>();
  for (let index = 0; index < 6; index++) {
    bodies.add((await (await fetch(`http://127.0.0.1:${probes.port}/metrics?${index}`)).text()).slice(-1));
  }
  await probes.close();
  return { times, bodies };
}

Deno.test("callers share one text of a long metrics page, not of a short one", async () => {
  assert.equal((await written("x".repeat(300_000))).times, 1);
  const short = await written("x");
  assert.equal(short.times, 6);
  assert.equal(short.bodies.size, 6);
});
