/** Timestamps of Notary Project signatures (RFC 3161), as Kyverno 1.19's ImageValidatingPolicies check them. */
import assert from "node:assert/strict";
import { systemClock } from "../../lib/adapters/mod.ts";
import { ImageSignatures } from "../../lib/registries/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { issue, type Issued, newKeys, timestampToken, usage } from "./signing/certificates.ts";
import { signNotary } from "./signing/cosign.ts";
import { type Stamped, stampedImages, TimestampSigners } from "./signing/stamped.ts";
import { queryByKey } from "./signing/query.ts";
import { TestRegistry } from "./signing/registry.ts";

const signers = new TimestampSigners();

/** Verifies an image with the given roots of timestamp authorities; "" when it verifies, otherwise why not. */
async function verify(image: Stamped, timestampRoots: string): Promise<string> {
  const registry = new TestRegistry();
  const signatures = new ImageSignatures({ clock: systemClock(), entropy: countingEntropy() });
  try {
    const digest = registry.image("notary/app:v1");
    signNotary(registry, digest, { issuers: [signers.root], ...image });
    const by = {
      kind: "certificates" as const,
      certificate: signers.root.pem,
      chain: "",
      timestampRoots,
    };
    const query = queryByKey(`${registry.host}/notary/app@${digest}`, "", { layout: "notary", by });
    const answer = await signatures.verify(query);
    return answer.ok ? "" : answer.message;
  } finally {
    await signatures.close();
    await registry.close();
  }
}

for (const { title, image, refused } of stampedImages(signers)) {
  Deno.test(`a policy with timestamp authorities: ${title}`, async () => {
    const why = await verify(image, signers.authorityRoot.pem);
    if (refused === undefined) assert.equal(why, "");
    else assert.match(why, refused);
  });
}

Deno.test("without timestamp authorities a timestamp is not read, and an ended certificate is refused", async () => {
  const ended = { signer: signers.ended, timestamp: signers.stamp() };
  assert.match(
    await verify(ended, ""),
    /verification time is after certificate "CN=ended leaf" validity period, it was expired at "Sun, 01 Mar 2026 12:10:00 \+0000"$/,
  );
  assert.equal(await verify({ signer: signers.leaf, timestamp: () => new Uint8Array([1]) }, ""), "");
});

Deno.test("an authority without the root that the policy names is no authority", async () => {
  const ended = { signer: signers.ended, timestamp: signers.stamp() };
  const other = issue({ name: "other", keys: newKeys(), authority: true });
  assert.match(await verify(ended, other.pem), /signed by unknown authority$/);
  // Its certificate alone is no root: a chain ends with a certificate that signed itself.
  assert.match(
    await verify(ended, signers.authority.pem),
    /must end with a valid self-signed root certificate$/,
  );
  assert.match(await verify(ended, "nonsense"), /error during PEM decoding$/);
});

Deno.test("an authority that signed its own certificate needs no other", async () => {
  const authority: Issued = issue({
    name: "own",
    keys: newKeys(),
    usages: [usage.timeStamping],
    critical: ["2.5.29.37"],
  });
  const timestamp = (signature: Uint8Array) =>
    timestampToken(signature, authority, { issuer: authority, certificate: authority });
  assert.equal(await verify({ signer: signers.ended, timestamp }, authority.pem), "");
});
