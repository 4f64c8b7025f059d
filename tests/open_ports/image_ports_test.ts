/** Which registries a server and a command read, with whose names and passwords, and by which root they trust. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { clusterPorts } from "../conformance/ports.ts";
import { type ImagePortsOptions, openImagePorts } from "../../lib/open_ports/image_ports.ts";
import { isFault, type JsonObject } from "../../lib/json/mod.ts";
import type { SignatureQuery } from "../../lib/ports.ts";
import { countingEntropy, fixedClock } from "../adapters/fakes.ts";
import { trustedRootOf } from "../registries/signing/bundle.ts";
import { Signers } from "../registries/signing/fixtures.ts";
import { TestRegistry } from "../registries/signing/registry.ts";
import { queryFor, signingWays } from "../bench/signed_images.ts";

const signers = new Signers();

/** The answer of the ports about an image that is signed in one of the benchmark's ways. */
async function said(
  way: string,
  { options, files = {}, registry = new TestRegistry(), change = {} }: {
    readonly options: ImagePortsOptions & { readonly for: "server" | "command" };
    readonly files?: Readonly<Record<string, string>>;
    readonly registry?: TestRegistry;
    readonly change?: Partial<SignatureQuery>;
  },
): Promise<string> {
  const folder = await Deno.makeTempDir();
  const before = Deno.env.get("DOCKER_CONFIG");
  Deno.env.set("DOCKER_CONFIG", folder);
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    const trustedRoot = options.trustedRoot?.map((each) => each.replace("@", `${folder}/`)) ?? [];
    const ports = await openImagePorts({ ...options, trustedRoot }, {
      clock: fixedClock(),
      entropy: countingEntropy(),
      cluster: clusterPorts([]).cluster,
    });
    if (isFault(ports)) return ports.message.replaceAll(folder, "");
    try {
      const { put, entry } = signingWays(registry, signers).find(({ name }) => name === way)!;
      put(`${way}/app:v1`);
      const answer = await ports.signatures.verify({
        ...queryFor(`${registry.host}/${way}/app:v1`, entry),
        ...change,
      });
      return answer.ok ? "verified" : answer.message;
    } finally {
      await ports.signatures.close();
    }
  } finally {
    if (before === undefined) Deno.env.delete("DOCKER_CONFIG");
    else Deno.env.set("DOCKER_CONFIG", before);
    await registry.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a server refuses registries on its machine unless it allows them, a command does not", async () => {
  assert.match(await said("key", { options: { for: "server" } }), /the address is not allowed/);
  assert.equal(await said("key", { options: { for: "server", localRegistries: true } }), "verified");
  assert.equal(await said("key", { options: { for: "command" } }), "verified");
});

const root = trustedRootOf(signers), otherRoot = trustedRootOf(new Signers());
const mirror = "https://tuf.example";
/** Trusted roots that are named, the mirror that the policy names, and what becomes of a bundle with a log entry. */
const roots: readonly (readonly [what: string, named: readonly string[], tufMirror: string, said: RegExp])[] =
  [
    ["none", [], "", /no matching signatures found/],
    ["the right one", ["@root.json"], "", /^verified$/],
    ["another one", ["@stranger.json"], "", /no matching signatures found/],
    ["that of the policy's mirror", [`${mirror}=@root.json`], mirror, /^verified$/],
    [
      "that of the policy's mirror beside another",
      ["@stranger.json", `${mirror}=@root.json`],
      mirror,
      /^verified$/,
    ],
    [
      "none of the policy's mirror",
      ["@root.json"],
      mirror,
      /there is no trusted root of the mirror https:\/\/tuf\.example/,
    ],
    ["an invalid file", ["@broken.json"], "", /^\/broken\.json: this is no trusted root/],
    ["a missing file", ["@missing.json"], "", /^cannot read the trusted root \/missing\.json/],
  ];
for (const [what, named, tufMirror, expected] of roots) {
  Deno.test(`bundles are verified with the given trusted root: ${what}`, async () => {
    const { entry } = signingWays({ host: "r.io" } as TestRegistry, signers).find(({ name }) =>
      name === "bundle"
    )!;
    const log = { ...queryFor("r.io/a:v1", entry).log, tufMirror };
    const files = { "root.json": root, "stranger.json": otherRoot, "broken.json": "{}" };
    const options = { for: "command", trustedRoot: named } as const;
    assert.match(await said("bundle", { options, files, change: { log } }), expected);
  });
}

const login = `Basic ${btoa("me:pass")}`;
/** The docker configuration for a registry, and what becomes of an image that wants a login. */
const configurations:
  readonly (readonly [what: string, auths: (host: string) => JsonObject, said: RegExp])[] = [
    ["a login", (host) => ({ [host]: { auth: btoa("me:pass") } }), /^verified$/],
    ["another registry's login", () => ({ "ghcr.io": { auth: btoa("me:pass") } }), /UNAUTHORIZED/],
    ["a wrong password", (host) => ({ [host]: { auth: btoa("me:word") } }), /UNAUTHORIZED|401/],
  ];
for (const [what, auths, expected] of configurations) {
  for (const who of ["command", "server"] as const) {
    Deno.test(`a ${who} and a docker configuration with ${what}`, async () => {
      const registry = new TestRegistry();
      const headers = { "www-authenticate": 'Basic realm="x"' };
      registry.intercept((received) =>
        received.headers.get("authorization") === login
          ? undefined
          : new Response("", { status: 401, headers })
      );
      const files = { "config.json": JSON.stringify({ auths: auths(registry.host) }) };
      const options = { for: who, localRegistries: true };
      // A server has the logins of Secrets alone.
      assert.match(
        await said("key", { options, files, registry }),
        who === "server" ? /UNAUTHORIZED/ : expected,
      );
    });
  }
}
