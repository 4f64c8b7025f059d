/** Connections to a live API server: whom they trust, and which protocol they speak. */
import assert from "node:assert/strict";
import { createServer } from "node:tls";
import { LiveCluster } from "../../lib/adapters/mod.ts";
import { isFault } from "../../lib/json/mod.ts";
import { madeCertificates } from "../../lib/certificates/mod.ts";
import { countingEntropy, fixedClock } from "./fakes.ts";
import { fakeServer } from "./fake_server.ts";
import { connect, found, path } from "./live_trials.ts";

Deno.test("live cluster: the server is trusted by the endpoint's authority alone", async () => {
  const { certificate } = await madeCertificates({ names: ["127.0.0.1"], clock: { now: Date.now } })
    .current();
  assert.ok(certificate !== undefined);
  const server = fakeServer(found, certificate);
  const trusting = connect({ server: server.address, ca: atob(certificate.caBundle ?? "") });
  const wary = connect({ server: server.address }, { attempts: 1 });
  try {
    assert.ok((await trusting.call({ method: "GET", path })).ok);
    const answer = await wary.call({ method: "GET", path });
    assert.equal(
      answer.ok ? "" : answer.message,
      `GET ${path}: cannot connect: invalid peer certificate: UnknownIssuer`,
    );
  } finally {
    trusting.close();
    wary.close();
    await server.close();
  }
});

Deno.test("live cluster: a call with a body goes over HTTP/1.1, where it leaves in one piece, others over HTTP/2", async () => {
  const { certificate } = await madeCertificates({ names: ["127.0.0.1"], clock: { now: Date.now } })
    .current();
  const { cert, key, caBundle = "" } = certificate!;
  const spoken: (string | false | null)[] = [];
  const server = createServer({ cert, key, ALPNProtocols: ["h2", "http/1.1"] }, (socket) => {
    spoken.push(socket.alpnProtocol);
    socket.on("error", () => {});
    if (socket.alpnProtocol === "h2") socket.destroy();
    else socket.end("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const cluster = connect({ server: `https://127.0.0.1:${port}`, ca: atob(caBundle) }, { attempts: 1 });
  assert.ok((await cluster.call({ method: "POST", path: reviews, body: { spec: {} } })).ok);
  await cluster.call({ method: "GET", path });
  assert.deepEqual(spoken, ["http/1.1", "h2"]);
  cluster.close();
  server.close();
});

const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

Deno.test("live cluster: a watch that is refused with a text without end is refused", async () => {
  const pull = (controller: ReadableStreamDefaultController): void =>
    controller.enqueue(new Uint8Array(65_536).fill(120));
  const server = fakeServer(() => new Response(new ReadableStream({ pull }), { status: 403 }));
  const cluster = LiveCluster.connect({ server: server.address }, {
    clock: fixedClock(),
    entropy: countingEntropy(),
  });
  assert.ok(!isFault(cluster));
  try {
    const following = await cluster.follow("/api/v1/pods?watch=true", new AbortController().signal);
    assert.equal(following.ok || following.status, 403);
  } finally {
    cluster.close();
    await server.close();
  }
});
