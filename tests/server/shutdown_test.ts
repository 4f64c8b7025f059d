/** A real listener: requests under way are answered before it closes. */
import assert from "node:assert/strict";
import type { Cluster } from "../../lib/ports.ts";
import { served } from "../cli/served.ts";
import { admissionReview } from "./review.ts";
import { loadingPolicy, portsOf, serving } from "./serving.ts";
import { withFolder } from "../support/folder.ts";

const headers = { "content-type": "application/json" };

Deno.test("close() answers pending requests and accepts no new ones", async () => {
  const started = Promise.withResolvers<void>(), answer = Promise.withResolvers<void>();
  const cluster: Cluster = {
    call: async () => {
      started.resolve();
      await answer.promise;
      return { ok: true, status: 200, body: { data: { allowed: "yes" } } };
    },
    resource: () => Promise.resolve(undefined),
  };
  const { app } = serving(loadingPolicy("asks"), { ports: portsOf({ cluster }) });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  const url = `http://127.0.0.1:${server.addr.port}/validate/fail`;
  const pending = fetch(url, { method: "POST", headers, body: JSON.stringify(admissionReview()) });
  await started.promise;
  const closed = server.shutdown();
  answer.resolve();
  const { response } = await (await pending).json();
  assert.deepEqual([response.uid, response.allowed], ["review-1", true]);
  await closed;
  await assert.rejects(fetch(url, { method: "POST", headers, body: "{}" }));
});

Deno.test("`serve` stops on SIGTERM with code 0", async () => {
  await withFolder({ "policy.yaml": loadingPolicy("asks") }, async (folder) => {
    const main = new URL("../../main.ts", import.meta.url).pathname;
    const permissions = ["--no-prompt", "--allow-net=127.0.0.1", `--allow-read=${folder}`, "--allow-env"];
    const args = ["serve", "--no-tls", "--policies", folder, "--port", "0", "--metrics-port", "0"];
    await using server = await served(["run", ...permissions, main, ...args]);
    const ready = await fetch(`${server.address}/health/readiness`);
    assert.equal(await ready.text(), "ok");
    server.process.kill("SIGTERM");
    const { code } = await server.process.status;
    assert.equal(code, 0);
    assert.match(await server.until(/stopping/), /requests under way are answered first/);
  });
});
