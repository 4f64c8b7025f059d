/** The client of a live API server, when its connection goes silent without an end, as when a node or a link breaks. */
import assert from "node:assert/strict";
import { LiveCluster, systemClock } from "../../lib/adapters/mod.ts";
import { isFault } from "../../lib/json/mod.ts";
import { madeCertificates } from "../../lib/certificates/mod.ts";
import { countingEntropy, fixedClock } from "./fakes.ts";
import { fakeServer, silence } from "./fake_server.ts";
import { type Relay, relayTo } from "./relay.ts";

const path = "/api/v1/namespaces/a";
const watch = "/api/v1/namespaces?watch=true";

/** An answer whose lines never end. */
function endless(): Response {
  const line = new TextEncoder().encode("{}\n");
  return new Response(new ReadableStream({ start: (controller) => controller.enqueue(line) }));
}

interface Trial {
  readonly cluster: LiveCluster;
  readonly relay: Relay;
}

/** Runs with a client whose connections, over TLS and HTTP/2, go through a relay. */
async function behindRelay(run: (trial: Trial) => Promise<void>, clock = systemClock()): Promise<void> {
  const { certificate } = await madeCertificates({ names: ["127.0.0.1"], clock: { now: Date.now } })
    .current();
  const { cert, key, caBundle = "" } = certificate!;
  const server = fakeServer(
    (received) =>
      received.path === watch ? endless() : received.path === path ? Response.json({}) : silence(),
    { cert, key },
  );
  const relay = relayTo(Number(new URL(server.address).port));
  const endpoint = { server: `https://127.0.0.1:${relay.port}`, ca: atob(caBundle) };
  const cluster = LiveCluster.connect(endpoint, {
    clock,
    entropy: countingEntropy(),
    firstDelay: 1,
    attemptTimeout: 1_100,
  });
  assert.ok(!isFault(cluster));
  try {
    await run({ cluster, relay });
  } finally {
    cluster.close();
    await relay.close();
    await server.close();
  }
}

/** How a watch ended, after the lines that it had. */
async function endOf(following: Awaited<ReturnType<LiveCluster["follow"]>>): Promise<string> {
  assert.ok(following.ok);
  try {
    for await (const _ of following.lines);
    return "ended";
  } catch {
    return "broken";
  }
}

Deno.test("a read whose connection went silent is answered over another connection", async () => {
  await behindRelay(async ({ cluster, relay }) => {
    assert.ok((await cluster.call({ method: "GET", path })).ok);
    relay.silence();
    const answer = await cluster.call({ method: "GET", path });
    assert.ok(answer.ok, answer.ok ? "" : answer.message);
    assert.ok((await cluster.call({ method: "GET", path })).ok);
    assert.equal(relay.connections, 2);
  });
});

Deno.test("a watch breaks when its connection went silent and another connection is answered", async () => {
  await behindRelay(async ({ cluster, relay }) => {
    const end = endOf(await cluster.follow(watch, new AbortController().signal));
    relay.silence();
    assert.ok((await cluster.call({ method: "GET", path })).ok);
    assert.equal(await end, "broken");
  });
});

Deno.test("a read that the API server does not answer breaks no watch", async () => {
  await behindRelay(async ({ cluster }) => {
    const stop = new AbortController();
    const following = await cluster.follow(watch, stop.signal);
    const end = endOf(following);
    await cluster.call({ method: "GET", path: "/api/v1/namespaces/slow" });
    const raced = await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 200, "open"))]);
    assert.equal(raced, "open");
    stop.abort();
    await end;
  });
});

Deno.test("a watch that was ended after minutes of silence is opened again over another connection", async () => {
  const clock = fixedClock();
  await behindRelay(async ({ cluster, relay }) => {
    const stop = new AbortController();
    const end = endOf(await cluster.follow(watch, stop.signal));
    relay.silence();
    clock.advance(150_000);
    stop.abort();
    assert.equal(await end, "ended");
    const again = new AbortController();
    const following = await cluster.follow(watch, again.signal);
    assert.ok(following.ok);
    assert.equal(relay.connections, 2);
    again.abort();
    await endOf(following);
  }, clock);
});

Deno.test("a caller that gives up after a second leads later reads to another connection", async () => {
  await behindRelay(async ({ cluster, relay }) => {
    assert.ok((await cluster.call({ method: "GET", path })).ok);
    relay.silence();
    const signal = AbortSignal.timeout(1_100);
    assert.equal((await cluster.call({ method: "GET", path: "/api/v1/nodes", signal })).ok, false);
    assert.ok((await cluster.call({ method: "GET", path, signal: AbortSignal.timeout(1_000) })).ok);
  });
});
