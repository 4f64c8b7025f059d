/** Whoever names an image, or has a registry, cannot make Postern ask an address that only Postern can reach. */
import assert from "node:assert/strict";
import { type AddressRule, ImageSignatures, registryAddresses } from "../../lib/registries/mod.ts";
import { type AddressLookup, systemClock } from "../../lib/adapters/mod.ts";
import { Fault } from "../../lib/json/mod.ts";
import type { SignatureAnswer } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { type FakeServer, fakeServer } from "../adapters/fake_server.ts";
import { newKeys } from "../registries/signing/certificates.ts";
import { TestRegistry } from "../registries/signing/registry.ts";
import { queryFor } from "../bench/signed_images.ts";

/** The addresses of host names. */
const names: Readonly<Record<string, readonly string[]>> = {
  "registry.invalid": ["203.0.113.7"],
  "inside.test": ["127.0.0.1"],
  "metadata.test": ["169.254.169.254"],
  "private.test": ["10.0.0.5"],
  "several.test": ["203.0.113.7", "fe80::1"],
};
const resolve: AddressLookup = (host) => Promise.resolve(names[host] ?? new Fault("its name has no address"));

interface Trial {
  /** Counts as a registry elsewhere, also under the name `registry.invalid`. */
  readonly registry: TestRegistry;
  /** A server that only this machine should reach. */
  readonly secret: FakeServer;
  verify(image: string): Promise<SignatureAnswer>;
}

async function tried(
  loopback: "allowed" | "refused",
  run: (trial: Trial) => Promise<void>,
): Promise<void> {
  const registry = new TestRegistry();
  const secret = fakeServer(() => new Response("secret"));
  const rule = registryAddresses({ loopback, resolve });
  const elsewhere = (url: URL): URL =>
    url.host === registry.host ? new URL(url.pathname, "http://203.0.113.7/") : url;
  const allows: AddressRule = async (url, from) => {
    const verdict = await rule(elsewhere(url), from && elsewhere(from));
    return url.hostname === "registry.invalid" ? { ...verdict, address: "127.0.0.1" } : verdict;
  };
  const signatures = new ImageSignatures({
    clock: systemClock(),
    entropy: countingEntropy(),
    firstDelay: 1,
    allows,
  });
  const keys = { publicKeys: newKeys().pem, rekor: { ignoreTlog: true }, ctlog: { ignoreSCT: true } };
  const entry = { imageReferences: ["*"], attestors: [{ entries: [{ keys }] }] };
  try {
    await run({
      registry,
      secret,
      verify: (image) =>
        signatures.verify({ ...queryFor(image, entry), credentials: { allowInsecureRegistry: true } }),
    });
    assert.deepEqual(secret.received, []);
  } finally {
    await signatures.close();
    await registry.close();
    await secret.close();
  }
}

const portOf = (address: string): string => new URL(address).port;

/** Where a registry elsewhere may not lead, not even for a command, which reads registries on its own machine. */
const targets: readonly (readonly [what: string, host: string])[] = [
  ["a loopback address", "127.0.0.1"],
  ["a loopback address in IPv6", "[::1]"],
  ["a loopback address as a number", "2130706433"],
  ["localhost", "localhost"],
  ["no address", "0.0.0.0"],
  ["a name for a loopback address", "inside.test"],
  ["a link-local address", "169.254.169.254"],
  ["a name for a link-local address", "metadata.test"],
  ["a name for a link-local address among others", "several.test"],
  ["a private address", "10.0.0.5"],
  ["a name for a private address", "private.test"],
];
for (const [what, host] of targets) {
  for (const loopback of ["allowed", "refused"] as const) {
    const who = loopback === "allowed" ? "a command" : "a server";
    Deno.test(`${who} follows no redirect of a registry elsewhere to ${what}`, () =>
      tried(loopback, async ({ registry, secret, verify }) => {
        const location = `http://${host}:${portOf(secret.address)}/v2/app/manifests/v1`;
        registry.intercept(() => new Response(null, { status: 307, headers: { location } }));
        const answer = await verify(`${registry.host}/app:v1`);
        assert.match(answer.ok ? "" : answer.message, /the redirect to \S+ is not allowed/);
        assert.ok(registry.received.length > 0, "the client calls the registry itself");
      }));
    Deno.test(`${who} fetches no token for a registry elsewhere from ${what}`, () =>
      tried(loopback, async ({ registry, secret, verify }) => {
        const realm = `http://${host}:${portOf(secret.address)}/token`;
        const headers = { "www-authenticate": `Bearer realm="${realm}",service="x"` };
        registry.intercept(() => new Response("", { status: 401, headers }));
        const answer = await verify(`${registry.host}/app:v1`);
        assert.match(answer.ok ? "" : answer.message, /the address is not allowed/);
        assert.ok(registry.received.length > 0, "the client calls the registry itself");
      }));
  }
}

/** Whoever creates a Pod chooses these. */
const closed = [
  "127.0.0.1",
  "localhost",
  "[::1]",
  "inside.test",
  "169.254.169.254",
  "metadata.test",
  "several.test",
];
for (const host of closed) {
  Deno.test(`a server reads no image of ${host}`, () =>
    tried("refused", async ({ secret, verify }) => {
      const answer = await verify(`${host}:${portOf(secret.address)}/app:v1`);
      assert.match(answer.ok ? "" : answer.message, /the address is not allowed/);
    }));
}

for (const loopback of ["allowed", "refused"] as const) {
  const who = loopback === "allowed" ? "a command" : "a server";
  Deno.test(`${who} calls no name without TLS that had no address when it was checked: it may have got a loopback one`, async () => {
    const rule = registryAddresses({ loopback, resolve });
    const from = new URL("https://203.0.113.7/");
    for (const path of ["v2/", "token"]) {
      const { refused } = await rule(
        new URL(path, "http://later.test/"),
        path === "token" ? from : undefined,
      );
      assert.equal(refused, "its name has no address");
    }
    // The certificate proves the name.
    assert.deepEqual(await rule(new URL("https://later.test/v2/")), { address: undefined });
  });
}

Deno.test("a registry is called at the address that was checked, without a second look-up", () =>
  tried("refused", async ({ registry, verify }) => {
    // This name is none that the machine itself could look up.
    registry.image("app:v1");
    const answer = await verify(`registry.invalid:${portOf(`http://${registry.host}`)}/app:v1`);
    assert.equal(answer.ok ? "" : answer.message, "no signatures found");
  }));
