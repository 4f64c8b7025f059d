/** A registry that does what it wants: it gets no image verified, and costs no more than its own question. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { ImageSignatures, registryAddresses } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { AuthorityCertificates } from "../../lib/registries/signatures/authority_certificates.ts";
import { readCertificate } from "../../lib/registries/signatures/certificate.ts";
import { readEnvelope } from "../../lib/registries/signatures/envelope.ts";
import { readLogBundle } from "../../lib/registries/signatures/log_entry.ts";
import { readNotaryEnvelope } from "../../lib/registries/signatures/notary_envelope.ts";
import { PublicKey } from "../../lib/registries/signatures/public_key.ts";
import { timestampOf } from "../../lib/registries/signatures/timestamp.ts";
import { readTrustedRoot } from "../../lib/registries/signatures/trust.ts";
import type { SignatureAnswer, SignatureQuery } from "../../lib/ports.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { silence } from "../adapters/fake_server.ts";
import { issue, type Keys, newKeys, usage } from "../registries/signing/certificates.ts";
import {
  attest,
  payloadFor,
  putBundle,
  putSignatures,
  signatureLayer,
  signImage,
  signNotary,
} from "../registries/signing/cosign.ts";
import { queryByKey } from "../registries/signing/query.ts";
import { TestRegistry } from "../registries/signing/registry.ts";

const indexType = "application/vnd.oci.image.index.v1+json";

interface Trial {
  readonly registry: TestRegistry;
  readonly signatures: ImageSignatures;
  readonly keys: Keys;
  queryFor(name: string, more?: Partial<SignatureQuery>): SignatureQuery;
}

function hostile(title: string, run: (trial: Trial) => Promise<void>): void {
  Deno.test(`the client withstands a hostile registry: ${title}`, async () => {
    const registry = new TestRegistry();
    const signatures = new ImageSignatures({
      clock: systemClock(),
      entropy: countingEntropy(),
      firstDelay: 1,
      allows: registryAddresses({ loopback: "allowed" }),
    });
    const keys = newKeys();
    try {
      await run({
        registry,
        signatures,
        keys,
        queryFor: (name, more = {}) => queryByKey(`${registry.host}/${name}`, keys.pem, more),
      });
    } finally {
      await signatures.close();
      await registry.close();
    }
  });
}

function refused(answer: SignatureAnswer, why: RegExp): void {
  assert.ok(!answer.ok, "it was verified");
  assert.match(answer.message, why);
}

hostile("content under the digest of other content", async ({ registry, signatures, keys, queryFor }) => {
  const signed = registry.image("app:v1");
  const layer = signatureLayer(payloadFor(signed), { keys });
  const list = putSignatures(registry, "app:v1", signed, [layer]);
  const text = registry.text(list);
  registry.intercept(({ path }) => {
    // Any payload, signature and digest header; the digests asked for say something else.
    if (path.includes("/blobs/")) return new Response("{}", { headers: { "docker-content-digest": signed } });
    return path.endsWith(`/manifests/${signed}`) ? new Response(text) : undefined;
  });
  refused(await signatures.verify(queryFor("app:v1")), /content does not match its digest: got sha256:/);
  const notary = queryFor(`app@${signed}`, {
    layout: "notary",
    by: { kind: "certificates", certificate: issue({ name: "a", keys }).pem, chain: "" },
  });
  refused(await signatures.verify(notary), /content does not match its digest: got sha256:/);
});

hostile("a tag that moves between two calls", async ({ registry, signatures, keys, queryFor }) => {
  signImage(registry, "app:v1", { keys });
  const first = await signatures.verify(queryFor("app:v1"));
  assert.ok(first.ok);
  registry.manifest("app:v1", { layers: [{ content: "another image" }] });
  const second = await signatures.verify(queryFor("app:v1"));
  // The digest that is written into the object is the one whose signature was verified, whatever the registry answers
  // later.
  assert.ok(second.ok);
  assert.equal(second.digest, first.digest);
});

const redirects: readonly [title: string, target: string][] = [
  ["a link-local address", "http://169.254.169.254/latest/meta-data"],
  ["a link-local address in IPv6", "http://[fe80::1]/"],
  ["a link-local address inside IPv6", "http://[::ffff:169.254.169.254]/"],
  ["metadata by name", "http://metadata.google.internal/"],
  ["a file", "file:///etc/passwd"],
];
for (const [title, target] of redirects) {
  hostile(`redirects to ${title}`, async ({ registry, signatures, queryFor }) => {
    registry.intercept(() => new Response(null, { status: 307, headers: { location: target } }));
    refused(await signatures.verify(queryFor("app:v1")), /the redirect to \S+ is not allowed$/);
  });
  hostile(`a token server at ${title}`, async ({ registry, signatures, queryFor }) => {
    const headers = { "www-authenticate": `Bearer realm="${target}",service="x"` };
    registry.intercept(() => new Response("", { status: 401, headers }));
    refused(await signatures.verify(queryFor("app:v1")), /the address is not allowed$/);
  });
}

hostile("endless redirects", async ({ registry, signatures, queryFor }) => {
  const answer = () => new Response(null, { status: 302, headers: { location: "/v2/again" } });
  registry.intercept(answer);
  refused(await signatures.verify(queryFor("app:v1")), /stopped after 10 redirects$/);
  assert.ok(registry.received.length < 40, `${registry.received.length} requests`);
});

hostile("a manifest that decompresses to 200 MB", async ({ registry, signatures, queryFor }) => {
  const bomb = new Uint8Array(gzipSync(new Uint8Array(200_000_000)));
  registry.intercept(() => new Response(bomb, { headers: { "content-encoding": "gzip" } }));
  refused(await signatures.verify(queryFor("app:v1")), /the answer is longer than 4000000 bytes$/);
});

hostile("an endless manifest", async ({ registry, signatures, queryFor }) => {
  const chunk = new Uint8Array(100_000).fill(32);
  const body = () => new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  registry.intercept(() => new Response(body()));
  refused(await signatures.verify(queryFor("app:v1")), /the answer is longer than 4000000 bytes$/);
});

hostile("endlessly nested JSON", async ({ registry, signatures, keys, queryFor }) => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const digest = registry.image("app:v1");
  const layer = signatureLayer(payloadFor(digest), { keys });
  const annotations = {
    ...layer.annotations,
    "dev.sigstore.cosign/bundle": deep,
    "dev.sigstore.cosign/rfc3161timestamp": deep,
    "dev.sigstore.cosign/certificate": deep,
  };
  putSignatures(registry, "app:v1", digest, [{ ...layer, annotations }, { content: deep }]);
  attest(registry, "att:v1", [{ content: deep }, {
    content: `{"payload":"${btoa(deep)}","payloadType":"x"}`,
  }]);
  putBundle(registry, digest, `{"payload":"${btoa(deep)}","payloadType":"application/vnd.in-toto+json"}`);
  refused(await signatures.verify(queryFor("app:v1")), /^no matching signatures: /);
  refused(
    await signatures.verify(queryFor("att:v1", { want: { attestations: "t" } })),
    /^no matching attestations: /,
  );
  refused(await signatures.verify(queryFor("app:v1", { layout: "bundle" })), /no matching signatures found$/);
  registry.intercept(({ path }) => path.includes("/manifests/") ? new Response(deep) : undefined);
  refused(await signatures.verify(queryFor("new:v1")), /the content is no JSON object$/);
});

hostile("a payload of 20 MB", async ({ registry, signatures, keys, queryFor }) => {
  const digest = registry.image("app:v1");
  const layer = signatureLayer(payloadFor(digest), { keys });
  putSignatures(registry, "app:v1", digest, [{ ...layer, content: "x".repeat(20_000_000) }]);
  refused(await signatures.verify(queryFor("app:v1")), /the answer is longer than 1000000 bytes$/);
});

hostile("10,000 signatures in one list", async ({ registry, signatures, keys, queryFor }) => {
  const digest = registry.image("app:v1");
  const wrong = signatureLayer(payloadFor(digest), { keys: newKeys() });
  const layers = Array.from({ length: 10_000 }, (_, index) => ({ ...wrong, content: String(index) }));
  putSignatures(registry, "app:v1", digest, [...layers, signatureLayer(payloadFor(digest), { keys })]);
  refused(await signatures.verify(queryFor("app:v1")), /^no matching signatures: /);
  assert.ok(registry.received.length < 60, `${registry.received.length} requests`);
});

hostile("10,000 referrers", async ({ registry, signatures, queryFor }) => {
  const digest = registry.image("app:v1");
  const artifactType = "application/vnd.cncf.notary.signature";
  const manifests = Array.from({ length: 10_000 }, (_, index) => ({
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    digest: `sha256:${index.toString(16).padStart(64, "0")}`,
    size: 1,
    artifactType,
  }));
  registry.intercept(({ path }) =>
    path.includes("/referrers/")
      ? Response.json({ schemaVersion: 2, manifests }, { headers: { "content-type": indexType } })
      : undefined
  );
  refused(
    await signatures.verify(queryFor(`app@${digest}`, { layout: "bundle" })),
    /too many referrers found, max limit is 50$/,
  );
});

hostile("1,000 Notary signatures of another signer", async ({ registry, signatures, queryFor }) => {
  const digest = registry.image("app:v1");
  const [root, other] = ["root", "stranger"].map((name) =>
    issue({ name, keys: newKeys("rsa"), authority: true })
  );
  const signer = issue({
    name: "leaf",
    keys: newKeys("rsa"),
    issuer: other!,
    usages: [usage.codeSigning],
  });
  for (let index = 0; index < 1_000; index++) {
    registry.manifest("", {
      artifactType: "application/vnd.cncf.notary.signature",
      subject: digest,
      layers: [{ mediaType: "application/jose+json", content: `{"index":${index}}` }],
    });
  }
  signNotary(registry, digest, { signer, issuers: [other!] });
  const by = { kind: "certificates" as const, certificate: root!.pem, chain: "" };
  const before = registry.received.length;
  refused(
    await signatures.verify(queryFor(`app@${digest}`, { layout: "notary", by })),
    /The configured limit of 10 signatures to verify per artifact exceeded$/,
  );
  // The image, the list, and for each signature its manifest and its envelope.
  assert.equal(registry.received.length - before, 22);
});

hostile("endless pages of referrers", async ({ registry, signatures, queryFor }) => {
  const digest = registry.image("app:v1");
  registry.intercept(({ path }) =>
    path.includes("/referrers/")
      ? Response.json({ manifests: [] }, {
        headers: { "content-type": indexType, link: `</v2/app/referrers/${digest}?page=next>; rel="next"` },
      })
      : undefined
  );
  refused(
    await signatures.verify(queryFor(`app@${digest}`, { layout: "bundle" })),
    /no matching signatures found$/,
  );
  assert.ok(registry.received.length < 10, `${registry.received.length} requests`);
});

hostile(
  "a registry that never answers delays no other request",
  async ({ registry, signatures, keys, queryFor }) => {
    const other = new TestRegistry();
    try {
      signImage(other, "app:v1", { keys });
      const digest = registry.image("bundle:v1");
      putBundle(registry, digest, "{}");
      registry.intercept(({ path }) =>
        path.includes("/blobs/") || path.includes("/slow/") ? silence() : undefined
      );
      const deadline = new AbortController();
      const replies = Array.from(
        { length: 30 },
        (_, index) =>
          index % 2 === 0
            ? queryFor(`slow:v${index}`)
            : queryFor(`bundle@${digest}`, { layout: "bundle", useCache: false }),
      );
      const slow = replies.map((each) => signatures.verify(each, deadline.signal));
      const fast = await signatures.verify({ ...queryFor("app:v1"), image: `${other.host}/app:v1` });
      assert.ok(fast.ok, fast.ok ? "" : fast.message);
      deadline.abort();
      for (const answer of await Promise.all(slow)) {
        assert.ok(!answer.ok);
        assert.equal(answer.why, "no connection");
        assert.equal(answer.message, `the request's deadline passed during a call of ${registry.host}`);
      }
      const silent = registry.received.filter(({ path }) =>
        path.includes("/blobs/") || path.includes("/slow/")
      );
      assert.ok(silent.length <= 8, `${silent.length} requests at a time`);
    } finally {
      await other.close();
    }
  },
);

Deno.test("the adapter never throws, for any content of a registry", async () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  const der = fc.tuple(fc.constantFrom(0x30, 0x31, 0xa0, 0x04), fc.nat(127), bytes).map((
    [tag, length, rest],
  ) => new Uint8Array([tag, length, ...rest]));
  const certificate = issue({ name: "a", keys: newKeys(), email: "a@b.test" }).der;
  const changed = fc.tuple(fc.nat(certificate.length - 1), fc.nat(255)).map(([at, value]) =>
    certificate.with(at, value)
  );
  const authorities = new AuthorityCertificates();
  const trust = { leaf: undefined, intermediates: [], roots: [], authorities };
  await fc.assert(
    fc.asyncProperty(fc.oneof(bytes, der, changed), async (input) => {
      const text = new TextDecoder().decode(input);
      PublicKey.read(input);
      readEnvelope(input);
      readLogBundle(text);
      await readCertificate(input);
      await authorities.read(text);
      await readNotaryEnvelope(input, "application/cose");
      await readNotaryEnvelope(input, "application/jose+json");
      await timestampOf(input, input, trust);
      await readTrustedRoot(text);
    }),
    { numRuns: 300 },
  );
});
