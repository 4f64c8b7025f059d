/** Each size of RSA keys and each curve signs with one algorithm (signature specification of the Notary Project). */
import assert from "node:assert/strict";
import { ImageSignatures } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { issue, type KeyKind, newKeys } from "./signing/certificates.ts";
import { type NotaryAlgorithmName, signNotary } from "./signing/cosign.ts";
import { queryByKey } from "./signing/query.ts";
import { TestRegistry } from "./signing/registry.ts";

const root = issue({ name: "root", keys: newKeys(), authority: true });
const envelopes = ["jws", "cose"] as const;

/** Verifies an image that a new key signed, and returns why the signature does not count; empty when it does. */
async function triedWith(
  kind: KeyKind,
  algorithms: readonly NotaryAlgorithmName[],
): Promise<Record<string, string>> {
  const signer = issue({ name: "leaf", keys: newKeys(kind), issuer: root });
  const tried: Record<string, string> = {};
  for (const algorithm of algorithms) {
    for (const envelope of envelopes) {
      const registry = new TestRegistry();
      const signatures = new ImageSignatures({ clock: systemClock(), entropy: countingEntropy() });
      const digest = registry.image("app:v1");
      signNotary(registry, digest, { signer, issuers: [root], envelope, algorithm });
      const by = { kind: "certificates" as const, certificate: root.pem, chain: "" };
      const query = queryByKey(`${registry.host}/app:v1`, "", { layout: "notary", by });
      const answer = await signatures.verify(query);
      await signatures.close();
      await registry.close();
      const why = answer.tried[0]?.why ?? (answer.ok ? "" : answer.message);
      assert.equal(answer.ok, why === "", why);
      tried[`${algorithm} ${envelope}`] = why;
    }
  }
  return tried;
}

const pss = ["PS256", "PS384", "PS512"] as const, ecdsa = ["ES256", "ES384", "ES512"] as const;

const kinds:
  readonly (readonly [kind: KeyKind, tryable: readonly NotaryAlgorithmName[], only: NotaryAlgorithmName])[] =
    [
      ["rsa", pss, "PS256"],
      ["rsa 3072", pss, "PS384"],
      ["rsa 4096", pss, "PS512"],
      ["P-256", ecdsa, "ES256"],
      ["P-384", ecdsa, "ES384"],
      // Deno signs no digest of 32 bytes with such a key.
      ["P-521", ["ES384", "ES512"], "ES512"],
    ];

for (const [kind, tryable, only] of kinds) {
  Deno.test(`a key of kind ${kind} signs for the Notary Project with ${only} alone`, async () => {
    const tried = await triedWith(kind, tryable);
    assert.ok(Object.keys(tried).length >= tryable.length);
    for (const [how, why] of Object.entries(tried)) {
      if (how.startsWith(only)) assert.equal(why, "", how);
      else assert.match(why, new RegExp(`algorithm ${how.slice(0, 5)}, and the key .* is for ${only}`), how);
    }
  });
}

Deno.test("an RSA key of another size signs nothing for the Notary Project", async () => {
  const tried = Object.values(await triedWith("rsa 1024", ["PS256"]));
  assert.ok(tried.length > 0);
  for (const why of tried) {
    assert.match(why, /certificate with subject "CN=leaf": rsa key size 1024 bits is not supported/);
  }
});
