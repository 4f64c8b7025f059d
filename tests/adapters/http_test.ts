/** Calls to services: bounds, headers, redirects, certificates. */
import assert from "node:assert/strict";
import { addressesOf, HttpClient, type HttpOptions, serviceAddresses } from "../../lib/adapters/mod.ts";
import { Fault, isFault } from "../../lib/json/mod.ts";
import { madeCertificates } from "../../lib/certificates/mod.ts";
import { type Answering, type FakeServer, fakeServer, silence } from "./fake_server.ts";

function httpTest(
  title: string,
  { answer, options, run }: {
    readonly answer: Answering;
    readonly options?: HttpOptions;
    readonly run: (http: HttpClient, server: FakeServer) => Promise<void>;
  },
): void {
  Deno.test(`service call: ${title}`, async () => {
    const server = fakeServer(answer);
    try {
      await run(new HttpClient(options), server);
    } finally {
      await server.close();
    }
  });
}

async function messageOf(http: HttpClient, url: string, signal?: AbortSignal): Promise<string> {
  const answer = await http.call({ method: "GET", url, ...(signal === undefined ? {} : { signal }) });
  return answer.ok ? "no failure" : answer.message;
}

httpTest("GET sends headers and no body, and reads JSON", {
  answer: () => Response.json({ a: [1] }),
  async run(http, { address, received }) {
    const answer = await http.call({
      method: "GET",
      url: `${address}/x?y=1`,
      headers: { "X-Key": "k" },
      body: { a: 1 },
    });
    assert.deepEqual(answer, { ok: true, status: 200, body: { a: [1] } });
    assert.deepEqual(received.map(({ method, path, body }) => [method, path, body]), [["GET", "/x?y=1", ""]]);
    assert.equal(received[0]?.headers.get("x-key"), "k");
  },
});

httpTest("POST sends JSON, with the given content type if there is one", {
  answer: () => Response.json(true),
  async run(http, { address, received }) {
    await http.call({ method: "POST", url: address, body: { a: "b" } });
    await http.call({ method: "POST", url: address, body: 1, headers: { "Content-Type": "text/x" } });
    assert.deepEqual(received.map(({ body, headers }) => [body, headers.get("content-type")]), [
      ['{"a":"b"}', "application/json"],
      ["1", "text/x"],
    ]);
  },
});

httpTest(
  "answers other than 2xx are failures with the status, and without the body, which users must not see",
  {
    answer: () => new Response("s3cret of the service", { status: 404 }),
    async run(http, { address }) {
      assert.deepEqual(await http.call({ method: "GET", url: address }), {
        ok: false,
        status: 404,
        message: `Get "${address}": HTTP 404 Not Found`,
      });
    },
  },
);

httpTest("an answer that is too long, no JSON, or missing is a failure", {
  answer: ({ path }) => {
    if (path === "/long") return new Response(`"${"x".repeat(200)}"`);
    return path === "/text" ? new Response("hello") : silence();
  },
  options: { maxBytes: 100, timeout: 50 },
  async run(http, { address }) {
    assert.equal(
      await messageOf(http, `${address}/long`),
      "response length must be less than max allowed response length of 100",
    );
    assert.equal(await messageOf(http, `${address}/text`), `Get "${address}/text": the answer is not JSON`);
    assert.equal(await messageOf(http, `${address}/never`), `Get "${address}/never": timed out`);
    assert.equal(
      await messageOf(http, `${address}/never`, AbortSignal.timeout(5)),
      `Get "${address}/never": the request's deadline passed`,
    );
  },
});

httpTest("allowed redirects are followed, without credentials to other hosts", {
  answer: ({ path }, index) => {
    const port = path.slice(1);
    if (index === 0) return new Response(null, { status: 302, headers: { location: `/${port}` } });
    if (index === 1) {
      return new Response(null, { status: 307, headers: { location: `http://localhost:${port}/end` } });
    }
    return Response.json("end");
  },
  async run(http, { address, received }) {
    const { port } = new URL(address);
    const headers = { Authorization: "Bearer t" };
    const answer = await http.call({ method: "GET", url: `${address}/${port}`, headers });
    assert.deepEqual(answer.ok && answer.body, "end");
    assert.deepEqual(received.map(({ headers }) => headers.get("authorization")), [
      "Bearer t",
      "Bearer t",
      null,
    ]);
  },
});

httpTest("address rules apply to redirects too, and circular redirects end", {
  answer: ({ path }) => {
    const location = path === "/out" ? "http://localhost:1/" : "/circle";
    return new Response(null, { status: 302, headers: { location } });
  },
  options: {
    refuses: ({ hostname }) =>
      Promise.resolve(hostname === "127.0.0.1" ? {} : { refused: "it is elsewhere" }),
  },
  async run(http, { address, received }) {
    assert.match(
      await messageOf(http, `${address}/out`),
      /the redirect to http:\/\/localhost:1 is not allowed$/,
    );
    assert.match(await messageOf(http, `${address}/circle`), /stopped after 10 redirects$/);
    assert.equal(received.length, 12);
    for (const url of ["http://localhost:1/", "file:///etc/passwd", "nowhere", "data:text/plain,x"]) {
      assert.match(await messageOf(http, url), /is not allowed: |not an absolute URL$/, url);
    }
    assert.equal(received.length, 12);
  },
});

httpTest("policies of namespaces call services only when that is enabled", {
  answer: () => Response.json(1),
  async run(http, { address, received }) {
    const call = { method: "GET", url: address, namespace: "team" } as const;
    const answer = await http.call(call);
    assert.match(answer.ok ? "" : answer.message, /policies of namespaces may not call services/);
    assert.equal(received.length, 0);
    assert.equal((await new HttpClient({ namespaced: true }).call(call)).ok, true);
  },
});

const addresses: [url: string, exempt: readonly string[], refused: boolean][] = [
  ["http://127.0.0.1:8000/", [], true],
  ["http://[::1]/", [], true],
  ["http://2130706433/", [], true],
  ["http://localhost:8000/", [], true],
  ["http://169.254.169.254/latest/meta-data", [], true],
  ["http://[fe80::1]/", [], true],
  ["http://[::ffff:127.0.0.1]/", [], true],
  ["http://inside.example.com/", [], true],
  ["http://10.96.0.10/", [], false],
  ["http://service.namespace.svc/", [], false],
  ["http://unknown.example.com/", [], true],
  ["http://127.0.0.1:8000/", ["127.0.0.1/32"], false],
  ["http://localhost:8000/", ["localhost"], false],
  ["http://inside.example.com/", ["inside.example.com"], false],
  ["http://169.254.169.254/", ["127.0.0.0/8"], true],
];
for (const [url, exempt, refused] of addresses) {
  const why = exempt.length === 0 ? "" : ` with ${exempt.join(", ")} allowed`;
  Deno.test(`service call: ${url} is ${refused ? "refused" : "made"}${why}`, async () => {
    const addresses: Readonly<Record<string, string>> = {
      "inside.example.com": "127.0.0.1",
      "service.namespace.svc": "10.96.0.10",
    };
    const refuses = serviceAddresses({
      exempt,
      resolve: (host) =>
        Promise.resolve(
          addresses[host] === undefined ? new Fault("its name has no address") : [addresses[host]],
        ),
    });
    assert.ok(!isFault(refuses));
    const verdict = await refuses(new URL(url));
    assert.equal(verdict.refused !== undefined, refused);
  });
}

Deno.test("service call: a name that resolves to another address after the check is not called there", async () => {
  const checked = fakeServer(() => Response.json("checked"));
  const { port } = new URL(checked.address);
  const refuses = serviceAddresses({
    exempt: ["127.0.0.2/32"],
    resolve: () => Promise.resolve(["127.0.0.2"]),
  });
  assert.ok(!isFault(refuses));
  try {
    assert.deepEqual(await refuses(new URL("http://rebound.invalid/")), { address: "127.0.0.2" });
    const pinned = new HttpClient({ refuses: () => Promise.resolve({ address: "127.0.0.1" }) });
    const answer = await pinned.call({ method: "GET", url: `http://rebound.invalid:${port}/` });
    assert.deepEqual(answer, { ok: true, status: 200, body: "checked" });
  } finally {
    await checked.close();
  }
});

Deno.test({
  name: "service call: an address that the process may not call is a failure, not an exception",
  permissions: { net: ["rebound.invalid"] },
  async fn() {
    const http = new HttpClient({ refuses: () => Promise.resolve({ address: "127.0.0.1" }) });
    assert.match(
      await messageOf(http, "http://rebound.invalid/"),
      /^Get "\S+": Requires net access to "127.0.0.1:80"/,
    );
  },
});

Deno.test("service call: a CA bundle makes a private authority trusted", async () => {
  const { certificate } = await madeCertificates({ names: ["127.0.0.1"], clock: { now: Date.now } })
    .current();
  assert.ok(certificate !== undefined);
  const server = fakeServer(() => Response.json("safe"), certificate);
  const http = new HttpClient(), call = { method: "GET", url: server.address } as const;
  try {
    const caBundle = atob(certificate.caBundle ?? "");
    assert.deepEqual(await http.call({ ...call, caBundle }), { ok: true, status: 200, body: "safe" });
    assert.match(await messageOf(http, server.address), /invalid peer certificate: UnknownIssuer/);
    const broken = await http.call({ ...call, caBundle: "nonsense" });
    assert.equal(broken.ok ? "" : broken.message, "failed to parse PEM CA bundle");
  } finally {
    await server.close();
  }
});

Deno.test("service call: an invalid header name is a failure, not an exception", async () => {
  const answer = await new HttpClient().call({
    method: "GET",
    url: "http://127.0.0.1:9/",
    headers: { "bad name": "x" },
  });
  assert.equal(answer.ok, false);
});

/** Deno looks a name up when the permission has it without a port. */
const lookUps: readonly (readonly [permission: string, expected: string])[] = [
  ["registry.invalid", "its name has no address"],
  [
    "registry.invalid:443",
    "the process may not look its name up: allow it with --allow-net=registry.invalid",
  ],
];
for (const [permission, expected] of lookUps) {
  Deno.test({
    name: `the look-up of a name without addresses, with --allow-net=${permission}: ${expected}`,
    permissions: { net: [permission] },
    async fn() {
      const addresses = await addressesOf("registry.invalid");
      assert.equal(isFault(addresses) && addresses.message, expected);
    },
  });
}
