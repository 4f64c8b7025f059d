/**
 * Content that a registry sends under a digest must have that digest, and its size is bounded however it is
 * compressed.
 */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { ImageRegistry, ImageSignatures } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { digestOf, TestRegistry } from "../registries/signing/registry.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { trustedRootOf } from "../registries/signing/bundle.ts";
import { attest, envelope, signNotary } from "../registries/signing/cosign.ts";
import { Signers } from "../registries/signing/fixtures.ts";
import { queryFor, signingWays } from "../bench/signed_images.ts";
import type { SignatureQuery } from "../../lib/ports.ts";

const signers = new Signers();
const notarySigner = signers.notary(signers.notaryRoot);

/** The result of a verification: "" when it passed, otherwise every reason. */
type Reasons = string;

interface Trial {
  readonly registry: TestRegistry;
  verify(query: SignatureQuery): Promise<Reasons>;
  /** A question about an image that is signed in one of the benchmark's ways. */
  signed(way: string): SignatureQuery;
  readonly signatures: ImageSignatures;
  readonly images: ImageRegistry;
}

async function withRegistry(run: (trial: Trial) => Promise<void>): Promise<void> {
  const registry = new TestRegistry();
  const shared = { clock: systemClock(), entropy: countingEntropy(), firstDelay: 1 };
  const signatures = new ImageSignatures({
    ...shared,
    trustedRoot: () => Promise.resolve(trustedRootOf(signers)),
  });
  try {
    await run({
      registry,
      signatures,
      images: new ImageRegistry(shared),
      async verify(query) {
        const answer = await signatures.verify(query);
        return answer.ok ? "" : [answer.message, ...answer.tried.map(({ why }) => why)].join("\n");
      },
      signed(way) {
        const { put, entry } = signingWays(registry, signers).find(({ name }) => name === way)!;
        put(`${way}/app:v1`);
        return queryFor(`${registry.host}/${way}/app:v1`, entry);
      },
    });
  } finally {
    await signatures.close();
    await registry.close();
  }
}

function notary({ registry, signed }: Trial): SignatureQuery {
  const digest = registry.image("notary:v1");
  signNotary(registry, digest, { signer: notarySigner, issuers: [signers.notaryRoot] });
  return {
    ...signed("key"),
    image: `${registry.host}/notary@${digest}`,
    layout: "notary",
    by: { kind: "certificates", certificate: signers.notaryRoot.pem, chain: "" },
  };
}

const type = "application/vnd.acme.report+json";

/** Reads the JSON that refers to an image. */
async function referrer({ registry, signatures }: Trial): Promise<Reasons> {
  const subject = registry.image("referred:v1");
  registry.manifest("", { artifactType: type, subject, layers: [{ content: '{"a":1}' }] });
  const image = `${registry.host}/referred:v1`;
  const answer = await signatures.referrer({ image, artifactType: type, credentials: {} });
  return answer.ok ? "" : answer.message;
}

/** Reads the image's record through an index. */
async function imageRecord({ registry, images }: Trial, name: string): Promise<Reasons> {
  const digest = registry.image("record:v1");
  const index = JSON.stringify({
    manifests: [{ digest, platform: { os: "linux", architecture: "amd64" } }],
  });
  const named = name.replace("DIGEST", registry.blob(index)).replace("CHILD", digest);
  const answer = await images.image(`${registry.host}/record${named}`);
  return answer.ok ? "" : answer.message;
}

/** The paths that the adapter reads. All content is valid as long as nobody changes it. */
const readings: readonly {
  readonly what: string;
  /** The path whose content is another. */
  readonly path: RegExp;
  /** Which of the requests to such a path is answered with something else. */
  readonly nth?: number;
  readonly read: (trial: Trial) => Promise<Reasons>;
}[] = [
  {
    what: "the payload of a signature",
    path: /\/blobs\//,
    read: ({ verify, signed }) => verify(signed("key")),
  },
  { what: "an attestation", path: /\/blobs\//, read: ({ verify, signed }) => verify(signed("attestation")) },
  {
    what: "the manifest of a bundle",
    path: /\/manifests\/sha256:/,
    read: ({ verify, signed }) => verify(signed("bundle")),
  },
  { what: "a bundle", path: /\/blobs\//, read: ({ verify, signed }) => verify(signed("bundle")) },
  {
    what: "a manifest that Notary signed",
    path: /\/manifests\/sha256:/,
    read: (trial) => trial.verify(notary(trial)),
  },
  {
    what: "the manifest of a Notary signature",
    path: /\/manifests\/sha256:/,
    nth: 1,
    read: (trial) => trial.verify(notary(trial)),
  },
  { what: "a Notary signature", path: /\/blobs\//, read: (trial) => trial.verify(notary(trial)) },
  { what: "the manifest of a referrer", path: /\/manifests\/sha256:/, read: referrer },
  { what: "the content of a referrer", path: /\/blobs\//, read: referrer },
  {
    what: "an index by its digest",
    path: /\/manifests\/sha256:/,
    read: (trial) => imageRecord(trial, "@DIGEST"),
  },
  {
    what: "the image that an index names",
    path: /\/manifests\/sha256:/,
    nth: 1,
    read: (trial) => imageRecord(trial, "@DIGEST"),
  },
  {
    what: "an image by its digest",
    path: /\/manifests\/sha256:/,
    read: (trial) => imageRecord(trial, "@CHILD"),
  },
  { what: "the configuration of an image", path: /\/blobs\//, read: (trial) => imageRecord(trial, "@CHILD") },
];

for (const { what, path, nth = 0, read } of readings) {
  Deno.test(`the client detects a registry that sends something else for ${what}`, async () => {
    await withRegistry(async (trial) => {
      assert.equal(await read(trial), "", "all is well before");
    });
    await withRegistry(async (trial) => {
      const { registry } = trial;
      let count = 0;
      registry.intercept((received) => {
        if (!path.test(received.path) || count++ !== nth) return undefined;
        // As JSON it says the same, so that only the digest shows it; the headers say that all is well.
        const digest = received.path.slice(received.path.lastIndexOf("/") + 1);
        return new Response(`${registry.text(digest)} `, { headers: { "docker-content-digest": digest } });
      });
      assert.match(await read(trial), /content does not match its digest: got sha256:/);
    });
  });
}

Deno.test("a tag resolves to the digest of the received manifest, not to the digest in the header", () =>
  withRegistry(async ({ registry, signatures, signed, verify }) => {
    const query = signed("key");
    const signedDigest = (await signatures.digest(query.image, {})) as { readonly digest: string };
    const other = registry.text(registry.image("key/other:v1"));
    registry.intercept(({ path }) =>
      path.endsWith("/manifests/v1")
        ? new Response(other, { headers: { "docker-content-digest": signedDigest.digest } })
        : undefined
    );
    // A tag is kept for a minute; another name of the repository shows what is sent now.
    const image = query.image.replace("key/app", "key/again");
    assert.match(await verify({ ...query, image }), /^no signatures found/);
    assert.deepEqual(await signatures.digest(image, {}), { ok: true, digest: digestOf(other) });
  }));

const bomb = new Uint8Array(gzipSync(new Uint8Array(200_000_000)));
for (const { what, path, nth = 0, read } of readings) {
  Deno.test(`200 MB in a few bytes for ${what} are not decompressed`, () =>
    withRegistry(async (trial) => {
      let count = 0;
      trial.registry.intercept((received) =>
        path.test(received.path) && count++ === nth
          ? new Response(bomb, { headers: { "content-encoding": "gzip" } })
          : undefined
      );
      assert.match(await read(trial), /the answer is longer than \d+ bytes/);
    }));
}

Deno.test("200 MB in a few bytes for a list of referrers or a token are not decompressed", () =>
  withRegistry(async ({ registry, verify, signed }) => {
    const query = signed("bundle");
    const packed = () => new Response(bomb, { headers: { "content-encoding": "gzip" } });
    registry.intercept(({ path }) => path.includes("/referrers/") ? packed() : undefined);
    assert.match(await verify(query), /the answer is longer than \d+ bytes/);
    registry.intercept(({ path }) =>
      path.startsWith("/token") ? packed() : new Response("", {
        status: 401,
        headers: { "www-authenticate": `Bearer realm="http://${registry.host}/token",service="x"` },
      })
    );
    const other = { ...query, image: `${registry.host}/other:v1` };
    assert.match(await verify(other), /the answer is longer than \d+ bytes/);
  }));

/** Other people's words about the image, in each layout. */
const foreign:
  readonly (readonly [what: string, attempt: (trial: Trial) => Promise<Reasons>, why: RegExp])[] = [
    [
      "an attestation about another image",
      ({ registry, signed, verify }) => {
        const query = signed("attestation");
        const predicate = { builder: { id: "b" } }, type = "https://slsa.dev/provenance/v0.2";
        const content = envelope({ digest: registry.image("other:v1"), type, predicate }, signers.one);
        attest(registry, "attestation/app:v1", [{ content }]);
        return verify(query);
      },
      /no matching subject digest found/,
    ],
    [
      "a bundle about another image",
      ({ registry, signed, verify }) => {
        const query = signed("bundle"), other = registry.image("bundle/other:v1");
        registry.intercept(({ path }) =>
          path.endsWith(`/referrers/${other}`)
            ? fetch(`http://${registry.host}/v2/bundle/app/referrers/${registry.image("bundle/app:v1")}`)
            : undefined
        );
        return verify({ ...query, image: `${registry.host}/bundle/other:v1` });
      },
      /no matching subject digest found/,
    ],
    [
      "a Notary signature of another image",
      (trial) => {
        const { registry, verify } = trial;
        const query = notary(trial), other = registry.image("notary:v2");
        signNotary(registry, other, {
          signer: notarySigner,
          issuers: [signers.notaryRoot],
          target: registry.image("notary:v1"),
        });
        return verify({ ...query, image: `${registry.host}/notary@${other}` });
      },
      /content descriptor mismatch/,
    ],
  ];
for (const [what, attempt, why] of foreign) {
  Deno.test(`the client rejects forgeries: ${what}`, () =>
    withRegistry(async (trial) => assert.match(await attempt(trial), why)));
}
