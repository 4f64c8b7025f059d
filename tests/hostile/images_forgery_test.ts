/** Whoever can write into a registry, but has none of the keys that a policy names, gets no image verified. */
import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { ImageSignatures } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import type { SignatureAnswer, SignatureQuery, Signer } from "../../lib/ports.ts";
import { bundleWithEntry, trustedRootOf } from "../registries/signing/bundle.ts";
import {
  type CertificateFields,
  issue,
  type Issued,
  newKeys,
  pemOf,
  signed,
  usage,
} from "../registries/signing/certificates.ts";
import {
  attest,
  envelope,
  type LogRecord,
  payloadFor,
  putSignatures,
  signatureLayer,
  signImage,
  type SigningOptions,
} from "../registries/signing/cosign.ts";
import { bytesOf } from "../registries/signing/der.ts";
import { Signers } from "../registries/signing/fixtures.ts";
import { noLog, queryByKey } from "../registries/signing/query.ts";
import { TestRegistry } from "../registries/signing/registry.ts";
import { countingEntropy } from "../adapters/fakes.ts";

interface Trial {
  readonly registry: TestRegistry;
  readonly signers: Signers;
  verify(name: string, change?: Partial<SignatureQuery>): Promise<SignatureAnswer>;
}

function forgery(title: string, run: (trial: Trial) => Promise<void>): void {
  Deno.test(`the client rejects forgeries: ${title}`, async () => {
    const registry = new TestRegistry();
    const signatures = new ImageSignatures({ clock: systemClock(), entropy: countingEntropy() });
    const signers = new Signers();
    try {
      await run({
        registry,
        signers,
        verify: (name, change = {}) =>
          signatures.verify(queryByKey(`${registry.host}/${name}`, signers.one.pem, change)),
      });
    } finally {
      await signatures.close();
      await registry.close();
    }
  });
}

function refused(answer: SignatureAnswer, why: RegExp): void {
  assert.ok(!answer.ok, "it was verified");
  assert.equal(answer.why, "not verified");
  assert.match(answer.message, why);
}

forgery("the signature of another image, put beside this one", async ({ registry, signers, verify }) => {
  const good = registry.image("app:good"), bad = registry.image("app:bad");
  const layer = signatureLayer(payloadFor(good), { keys: signers.one });
  putSignatures(registry, "app:good", good, [layer]);
  putSignatures(registry, "app:bad", bad, [layer]);
  assert.ok((await verify("app:good")).ok);
  refused(await verify("app:bad"), new RegExp(`invalid or missing digest in claim: ${good}$`));
});

forgery("the attestation of another image, put beside this one", async ({ registry, signers, verify }) => {
  const good = registry.image("app:good");
  const content = envelope({ digest: good, type: "t", predicate: {} }, signers.one);
  attest(registry, "app:good", [{ content }]);
  attest(registry, "app:bad", [{ content }]);
  const want = { attestations: "t" };
  assert.ok((await verify("app:good", { want })).ok);
  refused(await verify("app:bad", { want }), /no matching subject digest found$/);
});

forgery("annotations that only the registry adds", async ({ registry, signers, verify }) => {
  const digest = registry.image("app:v1");
  const layer = signatureLayer(payloadFor(digest), { keys: signers.one });
  putSignatures(registry, "app:v1", digest, [{
    ...layer,
    annotations: { ...layer.annotations, env: "prod" },
  }]);
  refused(await verify("app:v1", { annotations: { env: "prod" } }), /no signature matched/);
  const inherited = Object.fromEntries([["__proto__", "x"], ["constructor", "x"]]);
  refused(await verify("app:v1", { annotations: inherited }), /no signature matched/);
});

/**
 * Certificates of an attacker, who has the authority's public certificates and one short-lived certificate of his own.
 */
const chains: readonly {
  readonly title: string;
  readonly certificate: (signers: Signers) => { readonly leaf: Issued; readonly chain: readonly Issued[] };
}[] = [
  {
    title: "an own root in the signature's chain",
    certificate: () => {
      const root = issue({ name: "keyless root", keys: newKeys(), authority: true });
      return { leaf: victim({ issuer: root }), chain: [root, root] };
    },
  },
  {
    title: "an own intermediate with the name of the trusted one",
    certificate: ({ keylessRoot }) => {
      const otherRoot = issue({ name: "keyless root", keys: newKeys(), authority: true });
      const fake = issue({
        name: "keyless intermediate",
        keys: newKeys(),
        issuer: otherRoot,
        authority: true,
      });
      return { leaf: victim({ issuer: fake }), chain: [fake, keylessRoot] };
    },
  },
  {
    title: "an own key in the trusted intermediate",
    certificate: ({ keylessIntermediate, keylessRoot }) => {
      const keys = newKeys(), { der } = keylessIntermediate;
      const at = der.toHex().indexOf(keylessIntermediate.keys.spki.toHex()) / 2;
      const changed = new Uint8Array(der);
      changed.set(keys.spki, at);
      const fake = { ...keylessIntermediate, keys, der: changed, pem: pemOf("CERTIFICATE", changed) };
      return { leaf: victim({ issuer: fake }), chain: [fake, keylessRoot] };
    },
  },
  {
    title: "a certificate that signed itself under the root's name",
    certificate: () => ({ leaf: victim({ name: "keyless root" }), chain: [] }),
  },
  {
    title: "issued with a short-lived certificate, which is no authority",
    certificate: (signers) => {
      const shortLived = signers.shortLived(undefined);
      return {
        leaf: victim({ issuer: shortLived }),
        chain: [shortLived, signers.keylessIntermediate, signers.keylessRoot],
      };
    },
  },
  {
    title: "issued with a certificate of the root, which is no authority",
    certificate: ({ keylessRoot }) => {
      const otherIssuer = issue({
        name: "own",
        keys: newKeys(),
        issuer: keylessRoot,
        usages: [usage.codeSigning],
      });
      return { leaf: victim({ issuer: otherIssuer }), chain: [otherIssuer, keylessRoot] };
    },
  },
  {
    title: "one authority more than the intermediate may make",
    certificate: (signers) => {
      const more = issue({
        name: "further",
        keys: newKeys(),
        issuer: signers.keylessIntermediate,
        authority: true,
      });
      const chain = [more, signers.keylessIntermediate, signers.keylessRoot];
      return { leaf: victim({ issuer: more }), chain };
    },
  },
  {
    title: "a certificate for servers",
    certificate: (signers) => {
      const leaf = victim({ issuer: signers.keylessIntermediate, usages: ["1.3.6.1.5.5.7.3.1"] });
      return { leaf, chain: [signers.keylessIntermediate, signers.keylessRoot] };
    },
  },
  {
    title: "a critical extension that nobody here understands",
    certificate: (signers) => {
      const extensions = { "1.2.3.4": bytesOf("x") };
      const leaf = victim({ issuer: signers.keylessIntermediate, extensions, critical: ["1.2.3.4"] });
      return { leaf, chain: [signers.keylessIntermediate, signers.keylessRoot] };
    },
  },
];

function victim(fields: Partial<CertificateFields>): Issued {
  return issue({ name: "", keys: newKeys(), email: "dev@acme.test", usages: [usage.codeSigning], ...fields });
}

function keylessOf(roots: string): Signer {
  return { kind: "keyless", roots, identities: [], compare: "wildcards", extensions: {} };
}

for (const { title, certificate } of chains) {
  forgery(`certificates: ${title}`, async ({ registry, signers, verify }) => {
    const by = keylessOf(signers.keylessRoot.pem);
    // The cache of the authority's certificates makes no other certificate trusted.
    const good = victim({ issuer: signers.keylessIntermediate });
    signImage(registry, "good:v1", { keys: good.keys, certificate: good, chain: signers.keylessChain });
    assert.ok((await verify("good:v1", { by })).ok);
    const { leaf, chain } = certificate(signers);
    signImage(registry, "app:v1", {
      keys: leaf.keys,
      certificate: leaf,
      chain: chain.map(({ pem }) => pem).join(""),
    });
    refused(await verify("app:v1", { by }), /^no matching signatures: cert verification failed: x509: /);
  });
}

forgery(
  "certificates: the same with the authority's own certificate verifies",
  async ({ registry, signers, verify }) => {
    const leaf = victim({ issuer: signers.keylessIntermediate });
    signImage(registry, "app:v1", { keys: leaf.keys, certificate: leaf, chain: signers.keylessChain });
    const answer = await verify("app:v1", { by: keylessOf(signers.keylessRoot.pem) });
    assert.ok(answer.ok, answer.ok ? "" : answer.message);
  },
);

// Five thousand certificates take seconds to parse, in which nobody else gets an answer.
for (const field of ["certificate", "chain"] as const) {
  forgery(`5,000 certificates beside a signature, as its ${field}`, async ({ registry, signers, verify }) => {
    const signer = signers.keyless();
    const many = signers.keylessChain.repeat(2_500);
    const certificate = field === "certificate" ? { ...signer.certificate!, pem: many } : signer.certificate!;
    signImage(registry, "app:v1", {
      ...signer,
      certificate,
      chain: field === "chain" ? many : signers.keylessChain,
    });
    const by = keylessOf(signers.keylessRoot.pem);
    refused(await verify("app:v1", { by }), /certificate chain too long \(5000\), maximum allowed is 11$/);
  });
}

forgery(
  "another certificate's signature under the victim's certificate",
  async ({ registry, signers, verify }) => {
    const signer = signers.keyless(), other = signers.keyless();
    signImage(registry, "app:v1", { ...signer, keys: other.keys });
    const by = keylessOf(signers.keylessRoot.pem);
    refused(await verify("app:v1", { by }), /invalid signature when validating ASN\.1 encoded signature$/);
  },
);

forgery("a timestamp over another signature", async ({ registry, signers, verify }) => {
  signImage(registry, "app:v1", {
    ...signers.keyless(),
    timestamp: () => signers.stamp()(bytesOf("another signature")),
  });
  const log = { ...noLog, tsaChain: signers.tsa.pem + signers.tsaRoot.pem };
  const by = keylessOf(signers.keylessRoot.pem);
  refused(
    await verify("app:v1", { by, log }),
    /unable to verify RFC3161 timestamp bundle: .*message imprint/,
  );
});

forgery("a timestamp of an own authority", async ({ registry, signers, verify }) => {
  const otherSigners = new Signers();
  const by = keylessOf(signers.keylessRoot.pem);
  const log = { ...noLog, tsaChain: signers.tsaRoot.pem };
  // With or without the authority's root in it.
  for (const [index, carries] of [[], [otherSigners.tsaRoot]].entries()) {
    const timestamp = otherSigners.stamp(undefined, carries);
    signImage(registry, `app:v${index}`, { ...signers.keyless(), timestamp });
    refused(
      await verify(`app:v${index}`, { by, log }),
      /unable to verify RFC3161 timestamp bundle: .*signed by unknown authority/,
    );
  }
});

/** Log entries that the log did make, of something else than the signature that they are attached to. */
const logged: readonly {
  readonly title: string;
  readonly recorded?: (signature: Uint8Array, signers: Signers, payload: string) => LogRecord;
  /** Under whose name the log is. */
  readonly log?: (signers: Signers) => NonNullable<SigningOptions["log"]>;
  readonly why: RegExp;
}[] = [
  {
    title: "of another key",
    recorded: (signature, { two }) => ({ signature, signer: two.pem }),
    why: /failed to extract signature from bundle: verifying signature: invalid signature/,
  },
  {
    title: "of another signature of the key",
    recorded: (_, { one }) => ({ signature: signed(one, bytesOf("another payload")), signer: one.pem }),
    why: /failed to extract signature from bundle: verifying signature: invalid signature/,
  },
  {
    title: "of another signature of the key over the same payload",
    // A signature that holds, in its other form.
    recorded: (_, { one }, payload) => ({
      signature: new Uint8Array(
        sign("sha256", bytesOf(payload), { key: one.secret, dsaEncoding: "ieee-p1363" }),
      ),
      signer: one.pem,
    }),
    why: /signature in bundle does not match signature being verified/,
  },
  {
    title: "of a log that nobody trusts",
    log: ({ otherLog }) => ({ keys: otherLog }),
    why: /rekor log public key not found for payload/,
  },
  {
    title: "of a log under another one's name",
    log: ({ log, otherLog }) => ({ keys: otherLog, id: log }),
    why: /unable to verify SET/,
  },
];
for (const { title, recorded, log = ({ log }: Signers) => ({ keys: log }), why } of logged) {
  forgery(`a signature with a log entry ${title}`, async ({ registry, signers, verify }) => {
    const digest = registry.image("app:v1");
    const payload = payloadFor(digest);
    const layer = signatureLayer(payload, { keys: signers.one });
    const signature = Uint8Array.fromBase64(layer.annotations!["dev.cosignproject.cosign/signature"]!);
    const record = recorded?.(signature, signers, payload) ?? { signature, signer: signers.one.pem };
    const entry = signatureLayer(payload, {
      keys: signers.one,
      log: { ...log(signers), recorded: record },
    }).annotations!["dev.sigstore.cosign/bundle"]!;
    const annotations = { ...layer.annotations, "dev.sigstore.cosign/bundle": entry };
    putSignatures(registry, "app:v1", digest, [{ ...layer, annotations }]);
    const trust = { ...noLog, ignoreTlog: false, rekorKey: signers.log.pem };
    refused(await verify("app:v1", { log: trust }), why);
  });
}

/** Sigstore bundles with a log entry; the library compares the entry's hash and signature, but not its key. */
const entries: readonly {
  readonly title: string;
  readonly recorded: "own" | "other";
  readonly why?: RegExp;
}[] = [
  { title: "of the signer's key verifies", recorded: "own" },
  { title: "of another key", recorded: "other", why: /^the log entry is about another key$/ },
];
for (const { title, recorded, why } of entries) {
  forgery(`a bundle with a log entry ${title}`, async ({ registry, signers, verify }) => {
    const digest = registry.image("app:v1");
    const signer = recorded === "own" ? signers.one : signers.two;
    bundleWithEntry(registry, digest, { keys: signers.one, recorded: signer.pem, log: signers.log });
    const log = { ...noLog, ignoreTlog: false, trustedRoot: trustedRootOf(signers) };
    const answer = await verify("app:v1", { layout: "bundle", log });
    assert.equal(answer.ok, why === undefined, answer.tried[0]?.why);
    if (why !== undefined) assert.match(answer.tried[0]?.why ?? "", why);
  });
}

forgery("a bundle with an entry of a log that nobody trusts", async ({ registry, signers, verify }) => {
  const digest = registry.image("app:v1");
  bundleWithEntry(registry, digest, {
    keys: signers.one,
    recorded: signers.one.pem,
    log: signers.otherLog,
  });
  const log = { ...noLog, ignoreTlog: false, trustedRoot: trustedRootOf(signers) };
  refused(await verify("app:v1", { layout: "bundle", log }), /no matching signatures found$/);
});

forgery("the annotations of an image do not lead to another repository's signatures", async (trial) => {
  const { registry, signers, verify } = trial;
  const digest = registry.image("app:v1");
  putSignatures(registry, "other:v1", digest, [signatureLayer(payloadFor(digest), { keys: signers.one })]);
  refused(await verify("app:v1"), /^no signatures found$/);
  assert.ok((await verify("app:v1", { repository: `${registry.host}/other` })).ok);
});
