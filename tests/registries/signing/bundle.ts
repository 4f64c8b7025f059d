/** Sigstore bundles with an entry of a transparency log, and a trusted root that knows the log. */
import { envelope } from "./cosign.ts";
import { bytesOf, joined } from "./der.ts";
import { type Keys, sha256, signed, signingTime } from "./certificates.ts";
import type { Signers } from "./fixtures.ts";
import type { TestRegistry } from "./registry.ts";

const logName = "log.acme.test";

/** A trusted root with the signers' authorities and logs. */
export function trustedRootOf(signers: Signers): string {
  const validFor = { start: "2026-01-01T00:00:00Z" };
  const log = (keys: Keys, baseUrl: string) => ({
    baseUrl,
    hashAlgorithm: "SHA2_256",
    publicKey: { rawBytes: keys.spki.toBase64(), keyDetails: "PKIX_ECDSA_P256_SHA_256", validFor },
    logId: { keyId: sha256(keys.spki).toBase64() },
  });
  const chain = (...certificates: readonly { readonly der: Uint8Array }[]) => ({
    certChain: { certificates: certificates.map(({ der }) => ({ rawBytes: der.toBase64() })) },
    validFor,
  });
  return JSON.stringify({
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: [log(signers.log, `https://${logName}`)],
    ctlogs: [log(signers.certificateLog, "https://ctlog.acme.test")],
    certificateAuthorities: [chain(signers.keylessIntermediate, signers.keylessRoot)],
    timestampAuthorities: [chain(signers.tsa, signers.tsaRoot)],
  });
}

/** Whose signature the log is said to have recorded. */
export interface EntryFields {
  readonly keys: Keys;
  /** PEM. */
  readonly recorded: string;
  readonly log: Keys;
}

/** Puts a bundle that a key signed, with an entry that is the log's only one. */
export function bundleWithEntry(registry: TestRegistry, digest: string, fields: EntryFields): void {
  const artifactType = "application/vnd.dev.sigstore.bundle.v0.3+json";
  registry.manifest("", {
    artifactType,
    subject: digest,
    layers: [{ mediaType: artifactType, content: loggedBundle(digest, fields) }],
  });
}

/** The JSON of such a bundle. */
export function loggedBundle(digest: string, { keys, recorded, log }: EntryFields): string {
  const type = "https://sigstore.dev/cosign/sign/v1";
  const dsseEnvelope = JSON.parse(envelope({ digest, type, predicate: {} }, keys));
  const body = bytesOf(JSON.stringify({
    apiVersion: "0.0.1",
    kind: "dsse",
    spec: {
      envelopeHash: { algorithm: "sha256", value: sha256(bytesOf(JSON.stringify(dsseEnvelope))).toHex() },
      payloadHash: {
        algorithm: "sha256",
        value: sha256(Uint8Array.fromBase64(dsseEnvelope.payload)).toHex(),
      },
      signatures: [{
        signature: dsseEnvelope.signatures[0].sig,
        verifier: bytesOf(recorded).toBase64(),
      }],
    },
  }));
  return JSON.stringify({
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { publicKey: { hint: "" }, tlogEntries: [entryOf(body, log)] },
    dsseEnvelope,
  });
}

/** An entry with the log's promise, and a proof that it is the only one (RFC 6962 §2.1.1). */
function entryOf(body: Uint8Array, log: Keys): unknown {
  const id = sha256(log.spki);
  const integratedTime = Math.floor(signingTime.getTime() / 1_000);
  const root = sha256(joined([new Uint8Array([0]), body]));
  const promised = { body: body.toBase64(), integratedTime, logID: id.toHex(), logIndex: 0 };
  const note = `${logName}\n1\n${root.toBase64()}\n`;
  const signature = joined([id.subarray(0, 4), signed(log, bytesOf(note))]).toBase64();
  return {
    logIndex: "0",
    logId: { keyId: id.toBase64() },
    kindVersion: { kind: "dsse", version: "0.0.1" },
    integratedTime: String(integratedTime),
    inclusionPromise: {
      signedEntryTimestamp: signed(log, bytesOf(JSON.stringify(promised))).toBase64(),
    },
    inclusionProof: {
      logIndex: "0",
      rootHash: root.toBase64(),
      treeSize: "1",
      hashes: [],
      checkpoint: { envelope: `${note}\n\u2014 ${logName} ${signature}\n` },
    },
    canonicalizedBody: body.toBase64(),
  };
}
