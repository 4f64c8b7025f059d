/** Artifacts that the Notary Project signed, and how long a verdict about its signatures stays. */
import assert from "node:assert/strict";
import { ImageSignatures } from "../../lib/registries/mod.ts";
import type { SignatureAnswer, SignatureQuery } from "../../lib/ports.ts";
import { countingEntropy, fixedClock, type TestClock } from "../adapters/fakes.ts";
import { issue, newKeys, usage } from "./signing/certificates.ts";
import { signNotary } from "./signing/cosign.ts";
import { queryByKey } from "./signing/query.ts";
import { TestRegistry } from "./signing/registry.ts";
import { TimestampSigners } from "./signing/stamped.ts";

const signers = new TimestampSigners();
const issuers = [signers.root];
const sbomType = "application/vnd.acme.sbom+json";

interface Trial {
  readonly registry: TestRegistry;
  readonly clock: TestClock;
  /** The image without signatures. */
  readonly digest: string;
  verify(change?: Partial<SignatureQuery>): Promise<SignatureAnswer>;
}

function notaryTest(title: string, run: (trial: Trial) => Promise<void>): void {
  Deno.test(title, async () => {
    const registry = new TestRegistry();
    const clock = fixedClock();
    const signatures = new ImageSignatures({ clock, entropy: countingEntropy() });
    const digest = registry.image("notary/app:v1");
    const by = { kind: "certificates" as const, certificate: signers.root.pem, chain: "" };
    const query = queryByKey(`${registry.host}/notary/app@${digest}`, "", { layout: "notary", by });
    try {
      await run({ registry, clock, digest, verify: (change) => signatures.verify({ ...query, ...change }) });
    } finally {
      await signatures.close();
      await registry.close();
    }
  });
}

notaryTest(
  "a signed artifact behind an unsigned one counts for an ImageValidatingPolicy alone",
  async ({ registry, digest, verify }) => {
    const put = (content: string) =>
      registry.manifest("", { artifactType: sbomType, subject: digest, layers: [{ content }] });
    put('{"from":"nobody"}');
    signNotary(registry, put('{"from":"a signer"}'), { signer: signers.leaf, issuers });
    const first = await verify({ want: { attestations: sbomType } });
    assert.match(first.ok ? "" : first.message, /no signature is associated with/);
    const any = await verify({ want: { attestations: sbomType, any: true } });
    assert.ok(any.ok);
    assert.deepEqual(any.statements.map(({ predicate }) => predicate), [{ from: "a signer" }]);
    const other = await verify({ want: { attestations: "other", any: true } });
    assert.match(
      other.ok ? "" : other.message,
      /no matching attestations found for image .* with type other$/,
    );
  },
);

notaryTest("the message about an image that is not there", async ({ registry, verify }) => {
  const image = `${registry.host}/notary/app:gone`;
  const head =
    `HEAD http://${registry.host}/v2/notary/app/manifests/gone: unexpected status code 404 Not Found ` +
    "(HEAD responses have no body, use GET for details)";
  const signature = await verify({ image });
  assert.equal(signature.ok ? "" : signature.message, `failed to parse image reference: ${image}: ${head}`);
  const artifact = await verify({ image, want: { attestations: sbomType } });
  assert.equal(artifact.ok ? "" : artifact.message, head);
});

notaryTest(
  "a verdict stays no longer than the signer's certificate",
  async ({ registry, digest, clock, verify }) => {
    const until = new Date(clock.now() + 600_000);
    const signer = issue({
      name: "leaf",
      keys: newKeys("rsa"),
      issuer: signers.root,
      usages: [usage.codeSigning],
      from: new Date(clock.now() - 600_000),
      until,
    });
    signNotary(registry, digest, { signer, issuers });
    assert.ok((await verify()).ok);
    clock.advance(300_000);
    assert.deepEqual([(await verify()).ok, (await verify()).cached], [true, true]);
    clock.advance(300_001);
    const late = await verify();
    assert.match(
      late.ok ? "" : late.message,
      /verification time is after certificate "CN=leaf" validity period/,
    );
  },
);

notaryTest("a verdict stays no longer than the signature", async ({ registry, digest, clock, verify }) => {
  const expiry = new Date(clock.now() + 600_000);
  signNotary(registry, digest, { signer: signers.leaf, issuers, expiry });
  assert.ok((await verify()).ok);
  clock.advance(600_001);
  const late = await verify();
  assert.match(late.ok ? "" : late.message, /digital signature has expired on/);
});
