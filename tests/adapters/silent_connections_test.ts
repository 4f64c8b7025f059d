/** Calls whose kept connections go silent without an end: one call waits for nothing, and the next one is answered. */
import assert from "node:assert/strict";
import { HttpClient, LiveCluster, RenewedClient, systemClock } from "../../lib/adapters/mod.ts";
import { madeCertificates } from "../../lib/certificates/mod.ts";
import { isFault } from "../../lib/json/mod.ts";
import { ImageRegistry } from "../../lib/registries/mod.ts";
import { searchLog } from "../../lib/registries/signatures/log_search.ts";
import { countingEntropy } from "./fakes.ts";
import { fakeServer } from "./fake_server.ts";
import { relayTo } from "./relay.ts";

/** A server's port on the loopback address, and the authority of its certificate. */
interface Target {
  readonly port: number;
  readonly ca: string;
}

/** A client of the server: `call` returns whether the server answered. */
interface Caller {
  call(nth: number): Promise<boolean>;
  close(): void;
}

/** Longer than a second: a call that is given up sooner says nothing about its connection. */
const timeout = 1_100;

const common = { clock: systemClock(), entropy: countingEntropy(), firstDelay: 1 };

/** A client over TLS, by default with HTTP/2. */
function trusting(ca: string, http2 = true): RenewedClient {
  const make = () => Deno.createHttpClient({ caCerts: [ca], http2 });
  return new RenewedClient(make, make());
}

const callers: readonly (readonly [what: string, tls: boolean, open: (target: Target) => Caller])[] = [
  ["a service over HTTP/1.1", false, ({ port }) => service("http", port)],
  ["a service over HTTP/2", true, ({ port, ca }) => service("https", port, trusting(ca))],
  ["a registry over HTTP/2", true, ({ port, ca }) => {
    const client = trusting(ca);
    const registry = new ImageRegistry({ ...common, client, timeout });
    return {
      async call(nth) {
        const answer = await registry.image(`127.0.0.1:${port}/app:v${nth}`);
        return !answer.ok && answer.status === 404;
      },
      close: () => client.close(),
    };
  }],
  ["a log of signatures over HTTP/2", true, ({ port, ca }) => {
    const client = trusting(ca);
    const search = { payload: new Uint8Array(), signature: "", signer: "" };
    return {
      async call() {
        const allows = () => Promise.resolve({});
        const found = await searchLog(`https://127.0.0.1:${port}`, search, { timeout, client, allows });
        return /\[404\]/.test(String(found));
      },
      close: () => client.close(),
    };
  }],
  ["the API server, with a body", true, ({ port, ca }) => {
    const endpoint = { server: `https://127.0.0.1:${port}`, ca };
    const cluster = LiveCluster.connect(endpoint, { ...common, timeout });
    assert.ok(!isFault(cluster));
    return {
      async call() {
        const answer = await cluster.call({ method: "POST", path: "/api/v1/namespaces", body: {} });
        return !answer.ok && answer.status === 404;
      },
      close: () => cluster.close(),
    };
  }],
];

function service(scheme: string, port: number, client = RenewedClient.ofRuntime()): Caller {
  const http = new HttpClient({ timeout, client });
  return {
    async call(nth) {
      const answer = await http.call({ method: "GET", url: `${scheme}://127.0.0.1:${port}/${nth}` });
      return !answer.ok && answer.status === 404;
    },
    close: () => http.close(),
  };
}

for (const [what, tls, open] of callers) {
  Deno.test(`after one call without an answer, calls of ${what} take another connection`, async () => {
    const { certificate } = await madeCertificates({ names: ["127.0.0.1"], clock: { now: Date.now } })
      .current();
    const { cert, key, caBundle = "" } = certificate!;
    // The first calls come together, so that several connections of HTTP/1.1 are kept.
    const together = Promise.withResolvers<void>();
    const server = fakeServer(async (_, index) => {
      if (index === 2) together.resolve();
      await together.promise;
      return Response.json({}, { status: 404 });
    }, tls ? { cert, key } : undefined);
    const relay = relayTo(Number(new URL(server.address).port));
    const caller = open({ port: relay.port, ca: atob(caBundle) });
    try {
      assert.deepEqual(await Promise.all([0, 1, 2].map((nth) => caller.call(nth))), [true, true, true]);
      relay.silence();
      assert.equal(await caller.call(3), false);
      assert.deepEqual(await Promise.all([4, 5].map((nth) => caller.call(nth))), [true, true]);
    } finally {
      caller.close();
      await relay.close();
      await server.close();
    }
  });
}
