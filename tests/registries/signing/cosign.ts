/** Signing as cosign and notation do it, with keys that tests make. */
import { constants, sign } from "node:crypto";
import { encode, Tag } from "cbor2";
import { bytesOf, joined } from "./der.ts";
import { type Issued, type Keys, sha256, signed, signingTime } from "./certificates.ts";
import type { Layer, TestRegistry } from "./registry.ts";

/** How a signature is made. */
export interface SigningOptions {
  readonly keys: Keys;
  readonly hash?: string;
  readonly certificate?: Issued;
  /** PEM of the certificates above it. */
  readonly chain?: string;
  /** The log that records it, and what it records otherwise. */
  readonly log?: {
    readonly keys: Keys;
    readonly recorded?: LogRecord;
    readonly at?: Date;
    readonly id?: Keys;
  };
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** JSON of a timestamp. */
  readonly timestamp?: (signature: Uint8Array) => Uint8Array;
}

/** The fields of a log entry that differ from the signature that it is attached to. */
export interface LogRecord {
  readonly signature: Uint8Array;
  readonly signer: string;
}

/** The payload of a signature ("simple signing"). */
export function payloadFor(digest: string, annotations?: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    critical: {
      identity: { "docker-reference": "any" },
      image: { "docker-manifest-digest": digest },
      type: "cosign container image signature",
    },
    optional: annotations ?? null,
  });
}

/** A signature's layer. */
export function signatureLayer(payload: string, options: SigningOptions): Layer {
  const { keys, hash, log } = options;
  const signature = signed(keys, bytesOf(payload), hash);
  const entry = log === undefined
    ? {}
    : { "dev.sigstore.cosign/bundle": hashedRecord(payload, signature, options) };
  return {
    mediaType: "application/vnd.dev.cosign.simplesigning.v1+json",
    content: payload,
    annotations: {
      "dev.cosignproject.cosign/signature": signature.toBase64(),
      ...certificateAnnotations(options),
      ...timestampAnnotation(options, signature),
      ...entry,
    },
  };
}

function certificateAnnotations({ certificate, chain }: SigningOptions): Record<string, string> {
  return {
    ...(certificate !== undefined && { "dev.sigstore.cosign/certificate": certificate.pem }),
    ...(chain !== undefined && { "dev.sigstore.cosign/chain": chain }),
  };
}

function timestampAnnotation({ timestamp }: SigningOptions, over: Uint8Array): Record<string, string> {
  if (timestamp === undefined) return {};
  const text = JSON.stringify({ SignedRFC3161Timestamp: timestamp(over).toBase64() });
  return { "dev.sigstore.cosign/rfc3161timestamp": text };
}

/** Signs an image in the tag layout; the digest of the list of signatures. */
export function signImage(registry: TestRegistry, name: string, options: SigningOptions): string {
  const digest = registry.image(name);
  return putSignatures(registry, name, digest, [
    signatureLayer(payloadFor(digest, options.annotations), options),
  ]);
}

/** Puts signatures beside an image. */
export function putSignatures(
  registry: TestRegistry,
  name: string,
  digest: string,
  layers: readonly Layer[],
): string {
  const repository = name.slice(0, name.lastIndexOf(":"));
  return registry.manifest(`${repository}:${digest.replace(":", "-")}.sig`, { layers });
}

function hashedRecord(payload: string, signature: Uint8Array, options: SigningOptions): string {
  const { certificate, keys, log } = options;
  const record = log?.recorded ?? { signature, signer: certificate?.pem ?? keys.pem };
  return logBundle({
    apiVersion: "0.0.1",
    kind: "hashedrekord",
    spec: {
      data: { hash: { algorithm: "sha256", value: sha256(bytesOf(payload)).toHex() } },
      signature: {
        content: record.signature.toBase64(),
        publicKey: { content: bytesOf(record.signer).toBase64() },
      },
    },
  }, options.log!);
}

/** A log entry with the log's promise, as cosign attaches it. */
export function logBundle(
  body: unknown,
  { keys, at = signingTime, id = keys }: NonNullable<SigningOptions["log"]>,
): string {
  const payload = {
    body: bytesOf(JSON.stringify(body)).toBase64(),
    integratedTime: Math.floor(at.getTime() / 1_000),
    logID: sha256(id.spki).toHex(),
    logIndex: 7,
  };
  const promise = signed(keys, bytesOf(JSON.stringify(payload)));
  return JSON.stringify({ SignedEntryTimestamp: promise.toBase64(), Payload: payload });
}

/** The fields of an attestation to sign. */
export interface AttestationFields {
  readonly digest: string;
  readonly type: string;
  readonly predicate: unknown;
  readonly payloadType?: string;
}

/** A signed envelope around an in-toto statement. */
export function envelope(fields: AttestationFields, keys: Keys): string {
  const { digest, type, predicate, payloadType } = fields;
  const statement = JSON.stringify({
    _type: "https://in-toto.io/Statement/v0.1",
    predicateType: type,
    subject: [{ name: "any", digest: { sha256: digest.slice("sha256:".length) } }],
    predicate,
  });
  return envelopeOf(statement, keys, payloadType);
}

/** A signed envelope around any text. */
export function envelopeOf(text: string, keys: Keys, payloadType = "application/vnd.in-toto+json"): string {
  const payload = bytesOf(text);
  const head = bytesOf(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `);
  const signature = signed(keys, joined([head, payload]));
  return JSON.stringify({
    payload: payload.toBase64(),
    payloadType,
    signatures: [{ keyid: "", sig: signature.toBase64() }],
  });
}

/** Attests an image in the tag layout. */
export function attest(
  registry: TestRegistry,
  name: string,
  attestations: readonly { readonly content: string; readonly options?: Partial<SigningOptions> }[],
): void {
  const digest = registry.image(name);
  const repository = name.slice(0, name.lastIndexOf(":"));
  registry.manifest(`${repository}:${digest.replace(":", "-")}.att`, {
    layers: attestations.map(({ content, options = {} }) => ({
      mediaType: "application/vnd.dsse.envelope.v1+json",
      content,
      annotations: {
        "dev.cosignproject.cosign/signature": "",
        ...certificateAnnotations({ keys: options.keys!, ...options }),
      },
    })),
  });
}

/** A sigstore bundle around an envelope, signed with a key and in no log, as a referrer. */
export function putBundle(registry: TestRegistry, digest: string, envelope: string): string {
  const bundle = JSON.stringify({
    mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
    verificationMaterial: { publicKey: { hint: "" } },
    dsseEnvelope: JSON.parse(envelope),
  });
  const type = "application/vnd.dev.sigstore.bundle.v0.3+json";
  return registry.manifest("", {
    artifactType: type,
    subject: digest,
    layers: [{ mediaType: type, content: bundle }],
  });
}

/** The fields of a Notary signature. */
export interface NotaryFields {
  readonly signer: Issued;
  /** Above the signer, the root last. */
  readonly issuers: readonly Issued[];
  /** The digest that is signed, where it is not that of the image. */
  readonly target?: string;
  /** Changes the payload before it is signed. */
  readonly change?: (payload: string) => string;
  readonly expiry?: Date;
  readonly critical?: readonly string[];
  readonly envelope?: "jws" | "cose";
  /** `PS256` in JWS and `ES256` in COSE by default. */
  readonly algorithm?: NotaryAlgorithmName;
  /** Makes a timestamp over the signature. */
  readonly timestamp?: (signature: Uint8Array) => Uint8Array;
}

export type NotaryAlgorithmName = keyof typeof coseAlgorithms;

const coseAlgorithms = { PS256: -37, PS384: -38, PS512: -39, ES256: -7, ES384: -35, ES512: -36 };

function signedWith(algorithm: NotaryAlgorithmName, message: Uint8Array, { secret }: Keys): Uint8Array {
  const hash = `sha${algorithm.slice(2)}`;
  const how = algorithm.startsWith("PS")
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: Number(algorithm.slice(2)) / 8 }
    : { dsaEncoding: "ieee-p1363" as const };
  return new Uint8Array(sign(hash, message, { key: secret, ...how }));
}

/** Signs an image as notation does. */
export function signNotary(registry: TestRegistry, digest: string, fields: NotaryFields): string {
  const { target = digest, change = (payload) => payload } = fields;
  const payload = bytesOf(change(JSON.stringify({
    targetArtifact: {
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      digest: target,
      size: bytesOf(registry.text(digest)).length,
    },
  })));
  const cose = fields.envelope === "cose";
  return registry.manifest("", {
    artifactType: "application/vnd.cncf.notary.signature",
    subject: digest,
    layers: [{
      mediaType: cose ? "application/cose" : "application/jose+json",
      content: cose ? coseOf(payload, fields) : jwsOf(payload, fields),
    }],
  });
}

const scheme = "io.cncf.notary.signingScheme", expiryName = "io.cncf.notary.expiry";
const timeName = "io.cncf.notary.signingTime", timestampName = "io.cncf.notary.timestampSignature";

function jwsOf(payload: Uint8Array, fields: NotaryFields): string {
  const { signer, issuers, expiry, critical, timestamp, algorithm = "PS256" } = fields;
  const url = (bytes: Uint8Array): string => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  const head = url(bytesOf(JSON.stringify({
    alg: algorithm,
    cty: "application/vnd.cncf.notary.payload.v1+json",
    crit: critical ?? [scheme, ...(expiry === undefined ? [] : [expiryName])],
    [scheme]: "notary.x509",
    [timeName]: "2026-01-01T00:00:01Z",
    ...(expiry !== undefined && { [expiryName]: expiry.toISOString() }),
  })));
  const signature = signedWith(algorithm, bytesOf(`${head}.${url(payload)}`), signer.keys);
  return JSON.stringify({
    payload: url(payload),
    protected: head,
    header: {
      x5c: [signer, ...issuers].map(({ der }) => der.toBase64()),
      ...(timestamp !== undefined && { [timestampName]: timestamp(signature).toBase64() }),
    },
    signature: url(signature),
  });
}

function coseOf(
  payload: Uint8Array,
  { signer, issuers, timestamp, algorithm = "ES256" }: NotaryFields,
): Uint8Array {
  const head = new Uint8Array(encode(
    new Map<number | string, unknown>([
      [1, coseAlgorithms[algorithm]],
      [2, [scheme]],
      [3, "application/vnd.cncf.notary.payload.v1+json"],
      [scheme, "notary.x509"],
      [timeName, new Tag(1, 1_767_225_601)],
    ]),
  ));
  const message = encode(["Signature1", head, new Uint8Array(), payload]);
  const signature = signedWith(algorithm, message, signer.keys);
  const loose = new Map<number | string, unknown>([[33, [signer, ...issuers].map(({ der }) => der)]]);
  if (timestamp !== undefined) loose.set(timestampName, timestamp(signature));
  return joined([new Uint8Array([0xd2]), new Uint8Array(encode([head, loose, payload, signature]))]);
}
