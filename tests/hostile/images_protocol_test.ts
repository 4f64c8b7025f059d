/** Registries that speak another protocol than they should, or send content of another kind. */
import assert from "node:assert/strict";
import { type AddressRule, ImageRegistry, ImageSignatures } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { fakeServer } from "../adapters/fake_server.ts";
import { newKeys } from "../registries/signing/certificates.ts";
import { attest, signImage } from "../registries/signing/cosign.ts";
import { queryByKey } from "../registries/signing/query.ts";
import { digestOf, TestRegistry } from "../registries/signing/registry.ts";

interface Trial {
  readonly registry: TestRegistry;
  readonly key: string;
  readonly signatures: ImageSignatures;
  readonly images: ImageRegistry;
}

async function tried(run: (trial: Trial) => Promise<void>, allows?: AddressRule): Promise<void> {
  const registry = new TestRegistry(), keys = newKeys();
  signImage(registry, "app:v1", { keys });
  const options = {
    clock: systemClock(),
    entropy: countingEntropy(),
    firstDelay: 1,
    attempts: 1,
    ...(allows !== undefined && { allows }),
  };
  const signatures = new ImageSignatures(options);
  try {
    await run({ registry, key: keys.pem, signatures, images: new ImageRegistry(options) });
  } finally {
    await signatures.close();
    await registry.close();
  }
}

/** A public name whose address is this machine's. */
const publicName: AddressRule = () => Promise.resolve({ address: "127.0.0.1" });

for (const allowed of [false, true]) {
  const what = allowed ? "is read where the policy allows it" : "gets no request";
  Deno.test(`a registry without TLS under a public name ${what}`, () =>
    tried(async ({ registry, key, signatures }) => {
      const image = `registry.invalid:${registry.host.split(":")[1]}/app:v1`;
      const credentials = { allowInsecureRegistry: allowed };
      const answer = await signatures.verify(queryByKey(image, key, { credentials }));
      if (allowed) assert.equal(answer.ok ? "verified" : answer.message, "verified");
      else {
        assert.match(
          answer.ok ? "verified" : answer.message,
          /^Get "https:\/\/registry\.invalid:\d+\/v2\/": /,
        );
        assert.equal(answer.ok ? "" : answer.why, "no connection");
        assert.deepEqual(registry.received, []);
      }
    }, publicName));
}

Deno.test("a host that a registry redirects to for a tag decides which image it is, and not whether that is signed", async () => {
  const other = fakeServer(() => new Response("{}"));
  try {
    await tried(async ({ registry, key, signatures }) => {
      registry.intercept(() =>
        new Response(null, { status: 302, headers: { location: `${other.address}/v2/app/manifests/v1` } })
      );
      const answer = await signatures.verify(queryByKey(`${registry.host}/app:v1`, key));
      assert.equal(answer.ok ? "verified" : answer.message, "no signatures found");
      assert.equal(answer.digest, digestOf("{}"));
    });
  } finally {
    await other.close();
  }
});

/** Indexes whose image for linux/amd64 is an index, and in how many levels. */
const indexes: readonly (readonly [what: string, levels: number])[] = [
  ["an index of an index", 1],
  ["a hundred indexes in each other", 100],
];
for (const [what, levels] of indexes) {
  Deno.test(`the data of ${what} are an error after the second`, () =>
    tried(async ({ registry, images }) => {
      let digest = registry.image("inner:v1");
      for (let level = 0; level <= levels; level++) {
        digest = registry.blob(
          JSON.stringify({
            level,
            manifests: [{ digest, platform: { os: "linux", architecture: "amd64" } }],
          }),
        );
      }
      const answer = await images.image(`${registry.host}/app@${digest}`);
      assert.match(answer.ok ? "data" : answer.message, /the manifest names no configuration$/);
      assert.equal(registry.received.length, 2);
    }));
}

Deno.test("an index of a million images is refused unparsed", () =>
  tried(async ({ registry, images }) => {
    const digest = registry.blob(`{"manifests":[${"{},".repeat(1_200_000)}{}]}`);
    const answer = await images.image(`${registry.host}/app@${digest}`);
    assert.match(answer.ok ? "data" : answer.message, /takes too much memory$/);
    assert.equal(registry.received.length, 1);
  }));

Deno.test("an attestation of 50 MB is refused when 10 MB of it have come", () =>
  tried(async ({ registry, key, signatures }) => {
    attest(registry, "att:v1", [{ content: "" }]);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent >= 50_000_000) return controller.close();
        sent += 100_000;
        controller.enqueue(new Uint8Array(100_000).fill(32));
      },
    });
    registry.intercept(({ path }) => path.includes("/blobs/") ? new Response(body) : undefined);
    const query = queryByKey(`${registry.host}/att:v1`, key, { want: { attestations: "t" } });
    const answer = await signatures.verify(query);
    assert.match(answer.ok ? "verified" : answer.message, /the answer is longer than 10000000 bytes$/);
    assert.ok(sent < 40_000_000, `${sent} bytes`);
  }));

/** Types that a registry names for the manifest of an image, which is what its digest says. */
for (const type of ["text/html", "application/vnd.oci.image.index.v1+json", ""]) {
  Deno.test(`a registry that names the type "${type}" for manifests changes no verdict`, () =>
    tried(async ({ registry, key, signatures, images }) => {
      const digest = registry.image("app:v1"), text = registry.text(digest);
      registry.intercept(({ path }) =>
        path.endsWith("/manifests/v1") ? new Response(text, { headers: { "content-type": type } }) : undefined
      );
      const answer = await signatures.verify(queryByKey(`${registry.host}/app:v1`, key));
      assert.deepEqual([answer.ok, answer.digest], [true, digest]);
      const data = await images.image(`${registry.host}/app:v1`);
      assert.equal(data.ok, true);
    }));
}
