/** Reads of evaluations that an API server does not answer leave room for other reads on the same connection. */
import assert from "node:assert/strict";
import { systemClock } from "../../lib/adapters/mod.ts";
import { madeCertificates } from "../../lib/certificates/mod.ts";
import { AnswerLifetime } from "../../lib/answer_lifetime.ts";
import { fakeServer, silence } from "./fake_server.ts";
import { connect, found } from "./live_trials.ts";

const made = madeCertificates({ names: ["127.0.0.1"], clock: { now: Date.now } });
const { cert, key, caBundle = "" } = (await made.current()).certificate!;

const hanging: [what: string, path: string][] = [
  ["of an aggregated API", "/apis/metrics.k8s.io/v1beta1/nodes/a"],
  ["of services behind the API server", "/api/v1/namespaces/a/services/b/proxy/c"],
];
for (const [what, path] of hanging) {
  Deno.test(`hundreds of reads ${what} without an answer leave room for others`, async () => {
    const server = fakeServer(
      ({ path: received }) => received.startsWith(path) ? silence() : found(),
      { cert, key },
    );
    const cluster = connect({ server: server.address, ca: atob(caBundle) }, { clock: systemClock() });
    const stop = new AbortController(), { signal } = stop;
    try {
      const calls = Array.from(
        { length: 300 },
        () => cluster.call({ method: "GET", path, signal, lifetime: new AnswerLifetime() }),
      );
      while (server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const other = await cluster.call({
        method: "GET",
        path: "/api/v1/namespaces/a/configmaps/b",
        lifetime: new AnswerLifetime(),
      });
      assert.ok(other.ok);
      const hung = server.received.filter(({ path: received }) => received.startsWith(path)).length;
      assert.ok(hung <= 32, String(hung));
      stop.abort();
      assert.ok((await Promise.all(calls)).every(({ ok }) => !ok));
    } finally {
      cluster.close();
      await server.close();
    }
  });
}
