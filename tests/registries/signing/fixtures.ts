/** Images in a registry of the test, signed in every way with keys that are made anew. */
import { ImageSignatures } from "../../../lib/registries/mod.ts";
import { systemClock } from "../../../lib/adapters/mod.ts";
import type { ImageName, SignatureFixtures } from "../../contract/signatures.ts";
import { countingEntropy } from "../../adapters/fakes.ts";
import { issue, type Issued, type Keys, newKeys, signingTime, timestamp, usage } from "./certificates.ts";
import {
  attest,
  envelope,
  payloadFor,
  putBundle,
  putSignatures,
  signatureLayer,
  signImage,
  type SigningOptions,
  signNotary,
} from "./cosign.ts";
import { bytesOf } from "./der.ts";
import { TestRegistry } from "./registry.ts";

const provenanceType = "https://slsa.dev/provenance/v0.2";
const issuerOid = "1.3.6.1.4.1.57264.1.1";

/** The keys and certificates of a test. */
export class Signers {
  readonly one = newKeys();
  readonly two = newKeys();
  readonly p384 = newKeys("P-384");
  readonly rsa = newKeys("rsa");
  readonly ed25519 = newKeys("ed25519");
  readonly log = newKeys();
  readonly otherLog = newKeys();
  readonly certificateLog = newKeys();
  readonly otherCertificateLog = newKeys();
  readonly keylessRoot = issue({ name: "keyless root", keys: newKeys(), authority: true });
  readonly keylessIntermediate = issue({
    name: "keyless intermediate",
    keys: newKeys(),
    issuer: this.keylessRoot,
    authority: true,
    pathLength: 0,
    usages: [usage.codeSigning],
  });
  readonly codeRoot = issue({ name: "code root", keys: newKeys(), authority: true });
  readonly otherRoot = issue({ name: "other root", keys: newKeys(), authority: true });
  readonly tsaRoot = issue({ name: "tsa root", keys: newKeys(), authority: true });
  readonly tsa = issue({
    name: "tsa",
    keys: newKeys(),
    issuer: this.tsaRoot,
    usages: [usage.timeStamping],
  });
  readonly notaryRoot = issue({ name: "notary root", keys: newKeys(), authority: true });
  readonly otherNotaryRoot = issue({ name: "other notary root", keys: newKeys(), authority: true });
  readonly keylessChain = this.keylessIntermediate.pem + this.keylessRoot.pem;

  /** A short-lived certificate of dev@acme.test. */
  shortLived(log: Keys | undefined, keys = newKeys()): Issued {
    return issue({
      name: "",
      keys,
      issuer: this.keylessIntermediate,
      from: new Date("2026-03-01T12:00:00Z"),
      until: new Date("2026-03-01T12:10:00Z"),
      usages: [usage.codeSigning],
      email: "dev@acme.test",
      extensions: { [issuerOid]: bytesOf("https://accounts.acme.test") },
      ...(log !== undefined && { log }),
    });
  }

  /** How somebody without a key of his own signs. */
  keyless(log: Keys | undefined = this.certificateLog): SigningOptions & { readonly certificate: Issued } {
    const certificate = this.shortLived(log);
    return { keys: certificate.keys, certificate, chain: this.keylessChain };
  }

  notary(root: Issued, kind: "rsa" | "P-256" = "rsa"): Issued {
    return issue({ name: "notary leaf", keys: newKeys(kind), issuer: root, usages: [usage.codeSigning] });
  }

  /** Timestamps of the authority, with further certificates in them. */
  stamp(at = signingTime, carries: readonly Issued[] = []): (signature: Uint8Array) => Uint8Array {
    return (signature) => timestamp(signature, this.tsa, this.tsaRoot, { at, carries });
  }
}

const late = new Date("2026-03-01T15:00:00Z");

/** Serves signed images, and makes an adapter for them. */
export async function madeFixtures(): Promise<SignatureFixtures> {
  const registry = new TestRegistry();
  const signers = new Signers();
  signByKeys(registry, signers);
  signWithLogs(registry, signers);
  attestAll(registry, signers);
  bundleAll(registry, signers);
  notarize(registry, signers);
  const signatures = new ImageSignatures({ clock: systemClock(), entropy: countingEntropy() });
  const { one, two, p384, rsa, ed25519 } = signers;
  return await Promise.resolve({
    signatures,
    images: new Proxy({} as Record<ImageName, string>, {
      get: (_, name) => `${registry.host}/${pathOf(String(name) as ImageName)}`,
    }),
    keys: { one: one.pem, two: two.pem, p384: p384.pem, rsa: rsa.pem, ed25519: ed25519.pem },
    keylessRoot: signers.keylessRoot.pem,
    ctlogKey: signers.certificateLog.pem,
    rekorKey: signers.log.pem,
    tsaChain: signers.tsa.pem + signers.tsaRoot.pem,
    codeRoot: signers.codeRoot.pem,
    notaryRoot: signers.notaryRoot.pem,
    async close() {
      await signatures.close();
      await registry.close();
    },
  });
}

/** Where the image of a name is: `REPOSITORY:TAG`. */
function pathOf(name: ImageName): string {
  return `${name.replace(/[^a-z0-9]+/g, "-")}/app:v1`;
}

function signByKeys(registry: TestRegistry, { one, two, p384, rsa, ed25519 }: Signers): void {
  const by = (name: ImageName, options: SigningOptions) => signImage(registry, pathOf(name), options);
  by("signed", { keys: one });
  by("signed by another key", { keys: two });
  by("annotated", { keys: one, annotations: { env: "prod", team: "a" } });
  by("signed with p384", { keys: p384 });
  by("signed with rsa", { keys: rsa });
  by("signed with ed25519", { keys: ed25519 });
  by("signed with sha512", { keys: one, hash: "sha512" });
  registry.image(pathOf("unsigned"));
  const replayed = pathOf("payload of another digest");
  putSignatures(registry, replayed, registry.image(replayed), [
    signatureLayer(payloadFor(`sha256:${"0".repeat(64)}`), { keys: one }),
  ]);
  const changed = pathOf("payload changed");
  const digest = registry.image(changed);
  const layer = signatureLayer(payloadFor(digest), { keys: one });
  putSignatures(registry, changed, digest, [{ ...layer, content: `${layer.content} ` }]);
  const broken = pathOf("signature is no base64");
  const brokenDigest = registry.image(broken);
  const whole = signatureLayer(payloadFor(brokenDigest), { keys: one });
  const annotations = { ...whole.annotations, "dev.cosignproject.cosign/signature": "*not base64*" };
  putSignatures(registry, broken, brokenDigest, [{ ...whole, annotations }]);
}

function signWithLogs(registry: TestRegistry, signers: Signers): void {
  const { one, two, log, otherLog } = signers;
  const by = (name: ImageName, options: SigningOptions) => signImage(registry, pathOf(name), options);
  by("logged", { keys: one, log: { keys: log } });
  by("in another log", { keys: one, log: { keys: otherLog } });
  by("log entry forged", { keys: one, log: { keys: otherLog, id: log } });
  const foreign = pathOf("log entry of another key");
  const digest = registry.image(foreign);
  const payload = payloadFor(digest);
  const layer = signatureLayer(payload, { keys: one });
  const signature = Uint8Array.fromBase64(layer.annotations!["dev.cosignproject.cosign/signature"]!);
  // The entry has this signature's hash and bytes, under another key.
  const entry = signatureLayer(payload, {
    keys: one,
    log: { keys: log, recorded: { signature, signer: two.pem } },
  }).annotations!["dev.sigstore.cosign/bundle"]!;
  putSignatures(registry, foreign, digest, [
    { ...layer, annotations: { ...layer.annotations, "dev.sigstore.cosign/bundle": entry } },
  ]);
  by("keyless", { ...signers.keyless(), log: { keys: log } });
  by("keyless without certificate timestamp", { ...withoutTimestamp(signers), log: { keys: log } });
  by("keyless from another certificate log", {
    ...signers.keyless(signers.otherCertificateLog),
    log: { keys: log },
  });
  by("keyless, logged too late", { ...signers.keyless(), log: { keys: log, at: late } });
  by("keyless, timestamp alone", { ...signers.keyless(), timestamp: signers.stamp() });
  by("keyless, timestamp too late", { ...signers.keyless(), timestamp: signers.stamp(late) });
  const otherRoot = issue({
    name: "stranger",
    keys: newKeys(),
    issuer: signers.otherRoot,
    usages: [usage.codeSigning],
  });
  by("certificate of a stranger", {
    keys: otherRoot.keys,
    certificate: otherRoot,
    chain: signers.otherRoot.pem,
  });
}

function withoutTimestamp(signers: Signers): SigningOptions {
  const certificate = signers.shortLived(undefined);
  return { keys: certificate.keys, certificate, chain: signers.keylessChain };
}

function attestAll(registry: TestRegistry, { one, two }: Signers): void {
  const about = (name: ImageName, fields: Record<string, unknown> = {}, keys = one) => {
    const digest = registry.image(pathOf(name));
    attest(registry, pathOf(name), [{
      content: envelope(
        { digest, type: provenanceType, predicate: { builder: { id: "b" } }, ...fields },
        keys,
      ),
    }]);
  };
  about("attested");
  about("attested about another image", { digest: `sha256:${"0".repeat(64)}` });
  about("attested with a list as predicate", { predicate: [1, 2] });
  about("attested with another payload type", { payloadType: "application/json" });
  about("attested with a bad signature", {}, two);
}

function bundleAll(registry: TestRegistry, { one, two }: Signers): void {
  const about = (name: ImageName, keys: Keys, subject?: string) => {
    const digest = registry.image(pathOf(name));
    const type = "https://sigstore.dev/cosign/sign/v1";
    putBundle(registry, digest, envelope({ digest: subject ?? digest, type, predicate: {} }, keys));
  };
  about("bundle", one);
  about("bundle of another key", two);
  about("bundle about another image", one, `sha256:${"0".repeat(64)}`);
}

function notarize(registry: TestRegistry, signers: Signers): void {
  const { notaryRoot, otherNotaryRoot } = signers;
  const signer = signers.notary(notaryRoot);
  const issuers = [notaryRoot];
  const image = (name: ImageName): string => registry.image(pathOf(name));
  signNotary(registry, image("notary jws"), { signer, issuers });
  signNotary(registry, image("notary cose"), {
    signer: signers.notary(notaryRoot, "P-256"),
    issuers,
    envelope: "cose",
  });
  signNotary(registry, image("notary of another authority"), {
    signer: signers.notary(otherNotaryRoot, "P-256"),
    issuers: [otherNotaryRoot],
    envelope: "cose",
  });
  signNotary(registry, image("notary expired"), {
    signer,
    issuers,
    expiry: new Date("2026-01-02T03:04:05Z"),
  });
  signNotary(registry, image("notary about another image"), {
    signer,
    issuers,
    target: `sha256:${"0".repeat(64)}`,
  });
  image("notary unsigned");
}
