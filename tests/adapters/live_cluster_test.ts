/** Calls to a live API server: what is tried again, what is refused, and tokens. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import {
  type Endpoint,
  kubeconfigEndpoint,
  type LiveCluster,
  type LiveClusterOptions,
  systemClock,
} from "../../lib/adapters/mod.ts";
import { isFault } from "../../lib/json/mod.ts";
import { clusterContract } from "../contract/cluster.ts";
import { fixedClock, type TestClock } from "./fakes.ts";
import { type Answering, type FakeServer, fakeServer, silence } from "./fake_server.ts";
import { connect, date, dateText, found, path } from "./live_trials.ts";

const kubeconfig = Deno.env.get("TEST_KUBECONFIG") ?? "";

if (kubeconfig === "") {
  // deno-lint-ignore no-console -- a test that does not run must say so
  console.warn("SKIPPED: the contract of the live cluster; TEST_KUBECONFIG names no kubeconfig file");
} else {
  clusterContract("live cluster", async () => {
    const endpoint = await kubeconfigEndpoint({
      text: await Deno.readTextFile(kubeconfig),
      folder: dirname(kubeconfig),
      readText: Deno.readTextFile,
    });
    assert.ok(!isFault(endpoint), isFault(endpoint) ? endpoint.message : "");
    const cluster = connect(endpoint, { clock: systemClock() });
    return { cluster, close: () => cluster.close() };
  });
}

interface Trial {
  readonly cluster: LiveCluster;
  readonly server: FakeServer;
  readonly clock: TestClock;
}

function liveTest(
  title: string,
  { answer, endpoint, options, run }: {
    readonly answer: Answering;
    readonly endpoint?: Partial<Endpoint>;
    readonly options?: Partial<LiveClusterOptions>;
    readonly run: (trial: Trial) => Promise<void>;
  },
): void {
  Deno.test(`live cluster: ${title}`, async () => {
    const server = fakeServer(answer), clock = fixedClock();
    const cluster = connect({ server: server.address, ...endpoint }, { clock, ...options });
    try {
      await run({ cluster, server, clock });
    } finally {
      cluster.close();
      await server.close();
    }
  });
}

const busy = (headers: Record<string, string> = {}) =>
  Response.json({ kind: "Status", message: "busy", code: 429 }, { status: 429, headers });

for (const status of [500, 502, 503, 504, 429]) {
  liveTest(`a read is tried again after ${status}`, {
    answer: (_, index) => index < 2 ? new Response("oh", { status }) : found(),
    async run({ cluster, server }) {
      assert.deepEqual(await cluster.call({ method: "GET", path }), {
        ok: true,
        status: 200,
        body: { kind: "ConfigMap" },
        date,
      });
      assert.equal(server.received.length, 3);
    },
  });
}

liveTest("retries of a read end, and its failure names method, path and status", {
  answer: () => new Response("upstream is away", { status: 502 }),
  async run({ cluster, server }) {
    assert.deepEqual(await cluster.call({ method: "GET", path }), {
      ok: false,
      status: 502,
      message: `GET ${path}: HTTP 502 Bad Gateway: upstream is away`,
    });
    assert.equal(server.received.length, 4);
  },
});

liveTest("a body that no API server takes is not sent, and not written as text", {
  answer: () => found(),
  async run({ cluster, server }) {
    const text = "a".repeat(2_000_000);
    const shared = Array.from({ length: 1_000 }, () => text);
    assert.deepEqual(await cluster.call({ method: "POST", path, body: { shared } }), {
      ok: false,
      status: 413,
      message: `POST ${path}: HTTP 413 Payload Too Large: Request entity too large: limit is 3145728`,
    });
    assert.equal((await cluster.call({ method: "POST", path, body: { text } })).ok, true);
    assert.equal(server.received.length, 1);
  },
});

for (const status of [400, 403, 404, 409, 501]) {
  liveTest(`${status} is final`, {
    answer: () => new Response("", { status }),
    async run({ cluster, server }) {
      const answer = await cluster.call({ method: "GET", path });
      assert.deepEqual([answer.ok, answer.status, server.received.length], [false, status, 1]);
    },
  });
}

for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
  liveTest(`a ${method} that may have been done is not repeated`, {
    answer: () => new Response("", { status: 500 }),
    async run({ cluster, server }) {
      assert.equal((await cluster.call({ method, path, body: {} })).status, 500);
      assert.equal(server.received.length, 1);
    },
  });
  liveTest(`a ${method} that the server did not take is repeated`, {
    answer: (_, index) => index === 0 ? busy({ "retry-after": "0" }) : found(),
    async run({ cluster, server }) {
      assert.ok((await cluster.call({ method, path, body: { a: 1 } })).ok);
      assert.deepEqual(server.received.map(({ body }) => body), ['{"a":1}', '{"a":1}']);
    },
  });
}

liveTest("a write without the name of its object is not sent: it would be one of all objects", {
  answer: () => found(),
  async run({ cluster, server }) {
    for (const method of ["DELETE", "PUT", "PATCH"] as const) {
      for (const path of ["/api/v1/namespaces/a/configmaps/", "/api/v1/nodes/?dryRun=All"]) {
        const answer = await cluster.call({ method, path, body: {} });
        assert.deepEqual([answer.ok, answer.status], [false, 404]);
      }
    }
    assert.equal(server.received.length, 0);
  },
});

liveTest("a Retry-After longer than the longest pause ends the retries", {
  answer: () => busy({ "retry-after": "60" }),
  async run({ cluster, server }) {
    assert.equal((await cluster.call({ method: "GET", path })).status, 429);
    assert.equal(server.received.length, 1);
  },
});

liveTest("a hanging attempt is ended and repeated, and the call ends too", {
  answer: silence,
  options: { attemptTimeout: 20, attempts: 2 },
  async run({ cluster, server }) {
    const answer = await cluster.call({ method: "GET", path });
    assert.deepEqual(answer, {
      ok: false,
      status: undefined,
      message: `GET ${path}: no answer within 20 ms`,
    });
    assert.equal(server.received.length, 2);
  },
});

liveTest("an unfinished answer ends too", {
  answer: () =>
    new Response(
      new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"a":')) }),
      { headers: { "content-type": "application/json" } },
    ),
  options: { attemptTimeout: 30, attempts: 1 },
  async run({ cluster }) {
    const answer = await cluster.call({ method: "GET", path });
    assert.equal(answer.ok ? "" : answer.message, `GET ${path}: no answer within 30 ms`);
  },
});

liveTest("the caller's deadline ends the call at once", {
  answer: silence,
  async run({ cluster, server }) {
    const signal = AbortSignal.timeout(20);
    const answer = await cluster.call({ method: "GET", path, signal });
    assert.equal(answer.ok ? "" : answer.message, `GET ${path}: the request's deadline passed`);
    assert.equal(server.received.length, 1);
  },
});

liveTest("an answer beyond the limit is a failure", {
  answer: () => new Response("x".repeat(1_001), { headers: { "content-type": "application/json" } }),
  options: { maxBytes: 1_000 },
  async run({ cluster }) {
    const answer = await cluster.call({ method: "GET", path });
    assert.equal(answer.ok ? "" : answer.message, `GET ${path}: the answer is longer than 1000 bytes`);
    assert.equal(answer.ok ? undefined : answer.isTooLong, true);
  },
});

liveTest("a broken answer and a redirect are failures; text is text", {
  answer: ({ path }) => {
    if (path === "/healthz") return new Response("ok", { headers: { date: dateText } });
    if (path === "/api") return new Response("{", { headers: { "content-type": "application/json" } });
    return new Response(null, { status: 302, headers: { location: "/healthz" } });
  },
  async run({ cluster, server }) {
    assert.deepEqual(await cluster.call({ method: "GET", path: "/healthz" }), {
      ok: true,
      status: 200,
      body: "ok",
      date,
    });
    const broken = await cluster.call({ method: "GET", path: "/api" });
    assert.equal(broken.ok ? "" : broken.message, "GET /api: the answer is not JSON");
    assert.equal((await cluster.call({ method: "GET", path: "/apis" })).status, 302);
    assert.equal(server.received.length, 3);
  },
});

liveTest("paths that leave the API are not sent", {
  answer: found,
  async run({ cluster, server }) {
    for (
      const bad of ["/api/../x", "/api/%2E%2e/x", "api/v1", "//evil.example/x", "/api\\x", "/a b", "/api/%zz"]
    ) assert.equal((await cluster.call({ method: "GET", path: bad })).status, 404, bad);
    assert.equal(server.received.length, 0);
    await cluster.call({ method: "GET", path: "/api/v1/pods?labelSelector=a in (b)#c" });
    assert.deepEqual(server.received.map(({ path }) => path), [
      "/api/v1/pods?labelSelector=a%20in%20(b)%23c",
    ]);
  },
});

liveTest("a refused connection names method and path", {
  answer: found,
  async run({ cluster, server }) {
    await server.close();
    const answer = await cluster.call({ method: "GET", path });
    assert.equal(answer.status, undefined);
    assert.match(answer.ok ? "" : answer.message, /^GET \/api\/v1\/\S+: cannot connect: .*refused/);
  },
});

let tokenText = "first";

const tokenFile = { tokenFile: "/token" };

const readText = () => Promise.resolve(`${tokenText}\n`);

liveTest("a token file is read again after a while", {
  answer: found,
  endpoint: tokenFile,
  options: { readText },
  async run({ cluster, server, clock }) {
    tokenText = "first";
    await cluster.call({ method: "GET", path });
    tokenText = "second";
    await cluster.call({ method: "GET", path });
    clock.advance(10_000);
    await cluster.call({ method: "GET", path });
    assert.deepEqual(server.received.map(({ headers }) => headers.get("authorization")), [
      "Bearer first",
      "Bearer first",
      "Bearer second",
    ]);
  },
});

liveTest("a refused token is read again at once, and a second refusal is final", {
  answer: ({ headers }) =>
    headers.get("authorization") === "Bearer second"
      ? found()
      : Response.json({ kind: "Status", message: "Unauthorized", code: 401 }, { status: 401 }),
  endpoint: tokenFile,
  options: { readText },
  async run({ cluster, server }) {
    tokenText = "first";
    const refused = await cluster.call({ method: "GET", path });
    assert.equal(refused.ok ? "" : refused.message, `GET ${path}: HTTP 401 Unauthorized: Unauthorized`);
    assert.equal(server.received.length, 1);
    tokenText = "second";
    assert.ok((await cluster.call({ method: "GET", path })).ok);
    assert.equal(server.received.length, 3);
  },
});

liveTest("discovery is read once for all callers, and again only when a kind is missing for a while", {
  answer: () =>
    Response.json({
      resources: [
        { name: "pods/log", kind: "Pod", namespaced: true },
        { name: "pods", kind: "Pod", namespaced: true },
        { name: "nodes", kind: "Node", namespaced: false },
      ],
    }),
  async run({ cluster, server, clock }) {
    const [pod, node] = await Promise.all([cluster.resource("v1", "Pod"), cluster.resource("v1", "Node")]);
    assert.deepEqual([pod?.plural, node?.namespaced], ["pods", false]);
    assert.equal(await cluster.resource("v1", "Thing"), undefined);
    assert.equal(server.received.length, 1);
    clock.advance(10_000);
    assert.equal(await cluster.resource("v1", "Thing"), undefined);
    assert.deepEqual(server.received.map(({ path }) => path), ["/api/v1", "/api/v1"]);
    clock.advance(9_000);
    await cluster.resource("v1", "Pod");
    assert.equal(server.received.length, 2);
  },
});
