/** A replica that starts with the policies of a cluster: before it has them, it admits nothing and is not ready. */
import assert from "node:assert/strict";
import { admissionReview } from "../server/review.ts";
import { ListingCluster } from "./listing_cluster.ts";
import { silence } from "../adapters/fake_server.ts";

const root = new URL("../../", import.meta.url).pathname;
/** Milliseconds for which the replica is tried: it listens after some 300. */
const tried = 5_000;

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}

/** The status and the text of an answer; nothing while the port is closed. */
async function answerOf(url: string, init?: RequestInit): Promise<string | undefined> {
  try {
    const answer = await fetch(url, init);
    return `${answer.status} ${await answer.text()}`;
  } catch {
    return undefined;
  }
}

Deno.test("a replica that has not read the cluster's policies admits nothing and is not ready", async () => {
  // The API server serves all kinds of policies, and does not answer their lists.
  await using cluster = await ListingCluster.start(
    {},
    (path) => /^\/apis\/[a-z.]*kyverno\.io\//.test(path) ? silence() : undefined,
  );
  const port = freePort(), metricsPort = freePort();
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--allow-read", "--allow-env", "--allow-net=127.0.0.1", "main.ts", "serve"],
      ...[
        "--no-tls",
        "--port",
        `${port}`,
        "--metrics-port",
        `${metricsPort}`,
        "--kubeconfig",
        cluster.kubeconfig,
      ],
      ...["--watch-policies", "--service", "postern/postern"],
    ],
    cwd: root,
    stdout: "null",
    stderr: "null",
  }).spawn();
  const answers = new Set<string>(), readiness = new Set<string>();
  try {
    const body = JSON.stringify(admissionReview());
    const review = { method: "POST", headers: { "content-type": "application/json" }, body };
    for (const end = performance.now() + tried; performance.now() < end;) {
      const reviewed = await answerOf(`http://127.0.0.1:${port}/validate/fail`, review);
      if (reviewed !== undefined) answers.add(reviewed);
      for (const each of [port, metricsPort]) {
        const probed = await answerOf(`http://127.0.0.1:${each}/health/readiness`);
        if (probed !== undefined) readiness.add(probed);
      }
    }
  } finally {
    process.kill("SIGKILL");
    await process.status;
  }
  assert.deepEqual([...readiness], ["503 loading"]);
  assert.equal(answers.size, 1, [...answers].join("\n"));
  assert.match([...answers][0]!, /"allowed":false.*policies are still being loaded/);
});
