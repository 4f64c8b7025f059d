/** The harness of hostile tests itself. */
import assert from "node:assert/strict";
import { startServer } from "./server_process.ts";

Deno.test("a server process starts, is measured, answers with metrics, and ends", async () => {
  await using server = await startServer({ policies: "", args: ["--no-tls"] });
  assert.equal(await (await fetch(`${server.address}/health/liveness`)).text(), "ok");
  const metrics = await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`);
  assert.match(await metrics.text(), /kyverno_policy_changes_total/);
  const { now, most } = await server.memory();
  assert.ok(now > 10 && most >= now, `${now} of at most ${most} MiB`);
  assert.ok(await server.processorTime() > 0);
  server.signal("SIGTERM");
  assert.equal((await server.status).code, 0);
  assert.equal(server.running(), false);
});

Deno.test("a server process that cannot start gives the reason", async () => {
  await assert.rejects(
    startServer({ policies: "", args: ["--tls-cert", "/nowhere"] }),
    /the server ended: .*error/s,
  );
});
