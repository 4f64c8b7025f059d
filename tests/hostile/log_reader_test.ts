/** The reader of the log stops, as when a node's container runtime hangs: the pipe fills, and requests go on. */
import assert from "node:assert/strict";
import { admissionReview } from "../server/review.ts";
import { denies } from "../server/serving.ts";
import { eventually, type ServerProcess, startServer } from "../support/server_process.ts";

const policies = denies("denying", "validationFailureAction: Enforce", "kinds: [ConfigMap]");
/** Denials, of which each writes some 300 bytes: five times what a pipe holds. */
const denials = 1_000;

async function deny(server: ServerProcess, index: number): Promise<number> {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `map-${index}`, namespace: "team" },
  };
  const parts = {
    uid: `review-${index}`,
    kind: "ConfigMap",
    resource: "configmaps",
    namespace: "team",
    object,
  };
  const answer = await fetch(`${server.address}/validate/fail`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(admissionReview(parts)),
    signal: AbortSignal.timeout(10_000),
  });
  await answer.text();
  return answer.status;
}

Deno.test("requests are answered while nobody reads the log, which goes on without a gap when somebody does", async () => {
  await using server = await startServer({ policies, args: ["--no-tls"] });
  const resume = server.pauseLog();
  for (let index = 0; index < denials; index++) assert.equal(await deny(server, index), 200);
  const probe = await fetch(`http://127.0.0.1:${server.metricsPort}/health/liveness`, {
    signal: AbortSignal.timeout(10_000),
  });
  assert.equal(probe.status, 200);
  await probe.text();
  resume();
  await eventually("the log goes on", () => server.log().includes(`"review-${denials - 1}"`));
  const lines = server.log().split("\n").filter((line) => line.startsWith("{")).map((line) =>
    JSON.parse(line)
  );
  const reviews = lines.filter(({ message }) => message === "denied").map(({ uid }) => uid);
  assert.deepEqual(reviews, Array.from({ length: denials }, (_, index) => `review-${index}`));
});

Deno.test("the server ends while nobody reads the log", async () => {
  await using server = await startServer({ policies, args: ["--no-tls"] });
  server.pauseLog();
  for (let index = 0; index < denials; index++) assert.equal(await deny(server, index), 200);
  server.signal("SIGTERM");
  await eventually("the process ends", () => !server.running());
});
