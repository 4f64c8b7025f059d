/**
 * Signed JSON that two programs may read differently counts for nothing: the one that signed it may have read the other
 * value.
 */
import assert from "node:assert/strict";
import { ImageSignatures } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import type { SignatureAnswer, SignatureQuery } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { issue, type Keys, newKeys, usage } from "../registries/signing/certificates.ts";
import {
  attest,
  envelopeOf,
  payloadFor,
  putBundle,
  putSignatures,
  signatureLayer,
  signNotary,
} from "../registries/signing/cosign.ts";
import { queryByKey } from "../registries/signing/query.ts";
import { TestRegistry } from "../registries/signing/registry.ts";

interface Trial {
  readonly registry: TestRegistry;
  readonly keys: Keys;
  /** The digest of the image `app:v1`, and that of another image. */
  readonly digest: string;
  readonly other: string;
  verify(more?: Partial<SignatureQuery>): Promise<SignatureAnswer>;
}

async function tried(run: (trial: Trial) => Promise<void>): Promise<void> {
  const registry = new TestRegistry();
  const signatures = new ImageSignatures({ clock: systemClock(), entropy: countingEntropy() });
  const keys = newKeys();
  try {
    await run({
      registry,
      keys,
      digest: registry.image("app:v1"),
      other: registry.image("app:other"),
      verify: (more = {}) => signatures.verify(queryByKey(`${registry.host}/app:v1`, keys.pem, more)),
    });
  } finally {
    await signatures.close();
    await registry.close();
  }
}

function messageOf(answer: SignatureAnswer): string {
  return answer.ok ? "verified" : answer.message;
}

/** Payloads of signatures with a name twice: the image's digest `A`, and another `B`. */
const payloads: readonly (readonly [what: string, payload: string])[] = [
  [
    "the digest, first that of the image",
    '{"critical":{"image":{"docker-manifest-digest":"A","docker-manifest-digest":"B"}}}',
  ],
  [
    "the digest, last that of the image",
    '{"critical":{"image":{"docker-manifest-digest":"B","docker-manifest-digest":"A"}}}',
  ],
  [
    "the digest, once with an escape",
    String.raw`{"critical":{"image":{"docker-manifest\u002ddigest":"B","docker-manifest-digest":"A"}}}`,
  ],
  [
    "the image",
    '{"critical":{"image":{"docker-manifest-digest":"B"},"image":{"docker-manifest-digest":"A"}}}',
  ],
  [
    "the critical part",
    '{"critical":{"image":{"docker-manifest-digest":"B"}},"critical":{"image":{"docker-manifest-digest":"A"}}}',
  ],
  [
    "an annotation",
    '{"critical":{"image":{"docker-manifest-digest":"A"}},"optional":{"env":"dev","env":"prod"}}',
  ],
];
for (const [what, payload] of payloads) {
  Deno.test(`a signed payload that has ${what} twice verifies no image`, () =>
    tried(async ({ registry, keys, digest, other, verify }) => {
      const text = payload.replace('"A"', `"${digest}"`).replace('"B"', `"${other}"`);
      putSignatures(registry, "app:v1", digest, [signatureLayer(text, { keys })]);
      assert.equal(
        messageOf(await verify()),
        "no matching signatures: invalid or missing digest in claim: the payload has a name twice in one object",
      );
    }));
}

Deno.test("names that are in different objects of a payload, or only in texts, are no ambiguity", () =>
  tried(async ({ registry, keys, digest, verify }) => {
    const annotations = {
      "a": '{"a":1,"a":2}',
      'b\\"': ':{"b":[{"a":"1"},{"a":"2"}]}',
      "__proto__": "x",
      "constructor": "x",
      "1": "x",
    };
    const payload = payloadFor(
      digest,
      Object.fromEntries([...Object.entries(annotations), ["__proto__", "x"]]),
    );
    putSignatures(registry, "app:v1", digest, [signatureLayer(payload, { keys })]);
    assert.equal(messageOf(await verify({ annotations: { "1": "x" } })), "verified");
  }));

const repeated = "the attestation has a name twice in one object";

/** Statements with a name twice; the digests are in hex. */
const statements: readonly (readonly [what: string, statement: string])[] = [
  [
    "its subject",
    '{"predicateType":"t","subject":[{"digest":{"sha256":"B"}}],"subject":[{"digest":{"sha256":"A"}}],"predicate":{}}',
  ],
  [
    "the digest of its subject",
    '{"predicateType":"t","subject":[{"digest":{"sha256":"B","sha256":"A"}}],"predicate":{}}',
  ],
  [
    "its type",
    '{"predicateType":"s","predicateType":"t","subject":[{"digest":{"sha256":"A"}}],"predicate":{}}',
  ],
  [
    "its predicate",
    '{"predicateType":"t","subject":[{"digest":{"sha256":"A"}}],"predicate":{"ok":false},"predicate":{"ok":true}}',
  ],
  [
    "a field of its predicate",
    '{"predicateType":"t","subject":[{"digest":{"sha256":"A"}}],"predicate":{"ok":false,"ok":true}}',
  ],
];
for (const [what, statement] of statements) {
  Deno.test(`a signed statement that has ${what} twice attests nothing`, () =>
    tried(async ({ registry, keys, digest, other, verify }) => {
      const hex = (name: string): string => `"${name.slice("sha256:".length)}"`;
      const content = envelopeOf(statement.replace('"A"', hex(digest)).replace('"B"', hex(other)), keys);
      attest(registry, "app:v1", [{ content }]);
      const want = { attestations: "t" };
      assert.equal(messageOf(await verify({ want })), `no matching attestations: ${repeated}`);
    }));
}

Deno.test("a bundle whose statement has a name twice attests nothing", () =>
  tried(async ({ registry, keys, digest, verify }) => {
    const statement = `{"predicateType":"s","predicateType":"t","subject":[{"digest":{"sha256":"${
      digest.slice(7)
    }"}}],"predicate":{}}`;
    putBundle(registry, digest, envelopeOf(statement, keys));
    const bundle = await verify({ want: { attestations: "t" }, layout: "bundle" });
    assert.deepEqual(bundle.tried.map(({ why }) => why), [repeated]);
  }));

Deno.test("an envelope that has its payload twice attests nothing", () =>
  tried(async ({ registry, keys, digest, other, verify }) => {
    const about = (image: string) =>
      envelopeOf(
        `{"predicateType":"t","subject":[{"digest":{"sha256":"${image.slice(7)}"}}],"predicate":{}}`,
        keys,
      );
    const content = about(digest).replace(
      "{",
      `{"payload":${JSON.stringify(JSON.parse(about(other)).payload)},`,
    );
    attest(registry, "app:v1", [{ content }]);
    assert.equal(
      messageOf(await verify({ want: { attestations: "t" } })),
      `no matching attestations: ${repeated}`,
    );
  }));

Deno.test("a Notary payload that has the digest of its target twice verifies no image", () =>
  tried(async ({ registry, digest, other, verify }) => {
    const root = issue({ name: "root", keys: newKeys("rsa"), authority: true });
    const signer = issue({ name: "leaf", keys: newKeys("rsa"), issuer: root, usages: [usage.codeSigning] });
    signNotary(registry, digest, {
      signer,
      issuers: [root],
      change: (payload) => payload.replace('"digest"', `"digest":"${other}","digest"`),
    });
    const by = { kind: "certificates" as const, certificate: root.pem, chain: "" };
    const answer = await verify({ layout: "notary", by });
    assert.match(
      messageOf(answer),
      /content descriptor mismatch: the payload has a name twice in one object$/,
    );
  }));
