/** Images are read from registries: their records, who gets credentials, and answers that are refused. */
import assert from "node:assert/strict";
import { ImageRegistry, type ImageRegistryOptions } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { dig, field, type Json } from "../../lib/json/mod.ts";
import { countingEntropy, fixedClock, type TestClock } from "../adapters/fakes.ts";
import { type FakeServer, fakeServer, type ReceivedRequest } from "../adapters/fake_server.ts";

const indexType = "application/vnd.oci.image.index.v1+json",
  MANIFEST = "application/vnd.oci.image.manifest.v1+json";

async function digestOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256:${new Uint8Array(hash).toHex()}`;
}

/** The contents of the fake registry: one image, alone under `single` and within an index under `latest`. */
const config = { architecture: "amd64", config: { User: "1000", Labels: { a: "b" } } };

const configText = JSON.stringify(config), configDigest = await digestOf(configText);

const manifest = {
  schemaVersion: 2,
  mediaType: MANIFEST,
  config: { digest: configDigest },
  layers: [{ size: 7 }],
};

const manifestText = JSON.stringify(manifest), manifestDigest = await digestOf(manifestText);

const index = {
  schemaVersion: 2,
  mediaType: indexType,
  manifests: [
    { digest: `sha256:${"0".repeat(64)}`, platform: { os: "linux", architecture: "arm64" } },
    { digest: manifestDigest, platform: { os: "linux", architecture: "amd64" } },
  ],
};

const indexText = JSON.stringify(index), indexDigest = await digestOf(indexText);

const contents: Readonly<Record<string, [type: string, text: string]>> = {
  "/v2/org/app/manifests/latest": [indexType, indexText],
  "/v2/org/app/manifests/single": [MANIFEST, manifestText],
  [`/v2/org/app/manifests/${manifestDigest}`]: [MANIFEST, manifestText],
  [`/v2/org/app/manifests/${indexDigest}`]: [indexType, indexText],
  [`/v2/org/app/blobs/${configDigest}`]: ["application/json", configText],
  [`/v2/org/app/manifests/sha256:${"1".repeat(64)}`]: [MANIFEST, manifestText],
  "/v2/org/app/manifests/arm": [indexType, JSON.stringify({ manifests: index.manifests.slice(0, 1) })],
};

function serveContents({ path }: ReceivedRequest): Response {
  const content = contents[path];
  if (content !== undefined) return new Response(content[1], { headers: { "content-type": content[0] } });
  const errors = [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown" }];
  return Response.json({ errors }, { status: 404 });
}

interface Trial {
  readonly registry: ImageRegistry;
  readonly server: FakeServer;
  readonly host: string;
  readonly clock: TestClock;
}

function registryTest(
  title: string,
  { answer = serveContents, options, run }: {
    readonly answer?: (received: ReceivedRequest, index: number, address: string) => Response;
    readonly options?: Partial<ImageRegistryOptions>;
    readonly run: (trial: Trial) => Promise<void>;
  },
): void {
  Deno.test(`registry: ${title}`, async () => {
    const clock = fixedClock();
    const server: FakeServer = fakeServer((received, nth) => answer(received, nth, server.address));
    const registry = new ImageRegistry({ clock, entropy: countingEntropy(), firstDelay: 1, ...options });
    try {
      await run({ registry, server, host: server.address.replace("http://", ""), clock });
    } finally {
      await server.close();
    }
  });
}

async function record(registry: ImageRegistry, reference: string): Promise<Json> {
  const answer = await registry.image(reference);
  assert.ok(answer.ok, answer.ok ? "" : answer.message);
  return answer.body;
}

async function problem(registry: ImageRegistry, reference: string): Promise<string> {
  const answer = await registry.image(reference);
  return answer.ok ? "no problem" : answer.message;
}

registryTest("an image within an index: all of the record", {
  async run({ registry, host }) {
    assert.deepEqual(await record(registry, `${host}/org/app`), {
      image: `${host}/org/app`,
      resolvedImage: `${host}/org/app@${indexDigest}`,
      registry: host,
      repository: "org/app",
      identifier: "latest",
      manifestList: index,
      manifest,
      configData: config,
    });
  },
});

registryTest("a single image has no manifest list; tag and digest both identify it", {
  async run({ registry, host }) {
    const single = await record(registry, `${host}/org/app:single`);
    assert.deepEqual([field(single, "identifier"), field(single, "manifestList")], ["single", undefined]);
    const both = await record(registry, `${host}/org/app:other@${manifestDigest}`);
    assert.equal(field(both, "identifier"), `other@${manifestDigest}`);
    assert.equal(dig(both, "configData", "config", "User"), "1000");
  },
});

registryTest("a missing image is reported in the registry's words, and cached for a while", {
  async run({ registry, host, server, clock }) {
    const reference = `${host}/org/app:gone`;
    const expected = `failed to fetch image reference: ${reference}, error: ` +
      `GET http://${host}/v2/org/app/manifests/gone: MANIFEST_UNKNOWN: manifest unknown`;
    assert.equal(await problem(registry, reference), expected);
    const received = server.received.length;
    assert.equal(await problem(registry, reference), expected);
    assert.equal(server.received.length, received);
    clock.advance(10_000);
    await problem(registry, reference);
    assert.ok(server.received.length > received);
  },
});

registryTest("content that does not match its digest is refused", {
  async run({ registry, host }) {
    const digest = `sha256:${"1".repeat(64)}`;
    assert.match(
      await problem(registry, `${host}/org/app@${digest}`),
      new RegExp(`manifests/${digest}: the content does not match its digest: got ${manifestDigest}$`),
    );
  },
});

registryTest("an index without an image for linux/amd64 is refused", {
  async run({ registry, host }) {
    assert.match(
      await problem(registry, `${host}/org/app:arm`),
      /no child with platform linux\/amd64 in index$/,
    );
  },
});

registryTest("a token is fetched without a login where the registry requires one, and used again", {
  answer(received, _, address) {
    if (received.path.startsWith("/token")) return Response.json({ token: "anonymous" });
    if (received.headers.get("authorization") === "Bearer anonymous") return serveContents(received);
    const challenge = `Bearer realm="${address}/token",service="the registry"`;
    return new Response("", { status: 401, headers: { "www-authenticate": challenge } });
  },
  async run({ registry, host, server }) {
    await record(registry, `${host}/org/app`);
    const tokens = server.received.filter(({ path }) => path.startsWith("/token"));
    assert.deepEqual(tokens.map(({ path }) => path), [
      "/token?service=the+registry&scope=repository%3Aorg%2Fapp%3Apull",
    ]);
    assert.equal(server.received.filter(({ path }) => path.startsWith("/v2/")).length, 4);
  },
});

registryTest("a login goes to the token server alone, or to the registry when that requires it", {
  answer(received) {
    if (received.headers.get("authorization") === `Basic ${btoa("me:pass")}`) return serveContents(received);
    return new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="x"' } });
  },
  options: { login: () => Promise.resolve({ username: "me", password: "pass" }) },
  async run({ registry, host, server }) {
    assert.equal(field(await record(registry, `${host}/org/app`), "identifier"), "latest");
    assert.equal(server.received[0]?.headers.get("authorization"), null);
  },
});

registryTest("a registry that requires a login refuses a call without one", {
  answer: () => new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="x"' } }),
  async run({ registry, host }) {
    assert.match(await problem(registry, `${host}/org/app`), /UNAUTHORIZED: authentication required$/);
  },
});

registryTest("credentials are not sent to another host that has the blobs", {
  answer(received, _, address) {
    if (received.path.startsWith("/storage")) return new Response(configText);
    if (received.path.includes("/blobs/")) {
      const elsewhere = address.replace("127.0.0.1", "localhost");
      return new Response(null, { status: 307, headers: { location: `${elsewhere}/storage` } });
    }
    if (received.headers.has("authorization")) return serveContents(received);
    return new Response("", { status: 401, headers: { "www-authenticate": "Basic" } });
  },
  options: { login: () => Promise.resolve({ username: "me", password: "pass" }) },
  async run({ registry, host, server }) {
    await record(registry, `${host}/org/app:single`);
    const last = server.received.at(-1);
    assert.deepEqual([last?.path, last?.headers.has("authorization")], ["/storage", false]);
  },
});

registryTest("forbidden addresses are neither called nor followed in redirects", {
  answer: ({ path }, _, address) =>
    path.startsWith("/v2/")
      ? new Response(null, {
        status: 302,
        headers: { location: `${address.replace("127.0.0.1", "localhost")}/x` },
      })
      : new Response("secret"),
  options: {
    allows: ({ hostname }) =>
      Promise.resolve(hostname === "127.0.0.1" ? {} : { refused: "the address is not allowed" }),
  },
  async run({ registry, host, server }) {
    assert.match(
      await problem(registry, `${host}/org/app`),
      /the redirect to http:\/\/localhost:\d+ is not allowed$/,
    );
    assert.match(
      await problem(registry, `${host.replace("127.0.0.1", "localhost")}/org/app`),
      /the address is not allowed$/,
    );
    assert.equal(server.received.length, 1);
  },
});

registryTest("server errors are retried, and then final", {
  answer: (received, nth) => nth === 0 ? new Response("", { status: 503 }) : serveContents(received),
  async run({ registry, host }) {
    assert.equal(field(await record(registry, `${host}/org/app:single`), "identifier"), "single");
  },
});

registryTest("all callers for one image wait for one load; a deadline ends the wait of its caller alone", {
  async run({ registry, host, server, clock }) {
    const reference = `${host}/org/app`;
    const [late, ...others] = await Promise.all([
      registry.image(reference, {}, AbortSignal.abort()),
      registry.image(reference),
      registry.image(reference),
    ]);
    assert.match(late.ok ? "" : late.message, /the request's deadline passed$/);
    assert.deepEqual(others.map(({ ok }) => ok), [true, true]);
    const received = server.received.length;
    clock.advance(59_000);
    await record(registry, reference);
    assert.equal(server.received.length, received);
    clock.advance(1_000);
    await record(registry, reference);
    assert.ok(server.received.length > received);
  },
});

const realRegistry = Deno.env.get("TEST_REGISTRY") ?? "";

if (realRegistry === "") {
  // deno-lint-ignore no-console -- a test that does not run must say so
  console.warn("SKIPPED: a real registry; TEST_REGISTRY names no HOST:PORT");
} else {
  Deno.test("a real registry returns the image that was pushed", async () => {
    const api = `http://${realRegistry}/v2/postern/test`;
    const begun = await fetch(`${api}/blobs/uploads/`, { method: "POST" });
    await begun.body?.cancel();
    const upload = new URL(begun.headers.get("location") ?? "", api);
    upload.searchParams.set("digest", configDigest);
    const mediaType = "application/vnd.oci.image.config.v1+json";
    const pushed = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType, digest: configDigest, size: configText.length },
      layers: [],
    };
    const pushes: [url: string, type: string, text: string][] = [
      [upload.href, "application/octet-stream", configText],
      [`${api}/manifests/v1`, MANIFEST, JSON.stringify(pushed)],
    ];
    for (const [url, type, body] of pushes) {
      const put = await fetch(url, { method: "PUT", headers: { "content-type": type }, body });
      assert.equal(put.status, 201, await put.text());
    }
    const registry = new ImageRegistry({ clock: systemClock(), entropy: countingEntropy() });
    const body = await record(registry, `${realRegistry}/postern/test:v1`);
    assert.deepEqual([field(body, "configData"), field(body, "manifest")], [config, pushed]);
    assert.match(
      await problem(registry, `${realRegistry}/postern/test:no`),
      /MANIFEST_UNKNOWN: manifest unknown$/,
    );
  });
}
