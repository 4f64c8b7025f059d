import type { ASN1Obj } from "@sigstore/core";
import { Fault, isFault } from "../../json/mod.ts";
import { encodedParts, encodeParts } from "./asn1.ts";
import { sameBytes } from "../../bytes/mod.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import type { Hash, PublicKey, Signed } from "./public_key.ts";

/** A signed timestamp (RFC 3161): its time and its signer. Nothing in it is verified yet. */
export interface TimestampToken {
  readonly at: Date;
  /** By how many milliseconds the time may be wrong, before and after. */
  readonly accuracy: number;
  /** The certificates in the token. */
  readonly certificates: readonly Certificate[];
  readonly signerIssuer: Uint8Array;
  readonly signerSerial: Uint8Array;
  /** The hash of the signer's certificate, which the token signs (RFC 5035); absent when the token has none. */
  readonly signerHash: { readonly hash: Hash; readonly digest: Uint8Array } | undefined;
  /** Why the token does not prove that `data` existed, checked with the key of its signer; `undefined` when it does. */
  refuses(data: Uint8Array, key: PublicKey): Promise<string | undefined>;
}

const oids = {
  signedData: "1.2.840.113549.1.7.2",
  timestampInfo: "1.2.840.113549.1.9.16.1.4",
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingCertificate: "1.2.840.113549.1.9.16.2.47",
  /** ETSI EN 319 421: timestamps of this policy are as accurate as a second, also when they do not say so. */
  baselinePolicy: "0.4.0.2023.1.1",
};
const hashes: Readonly<Record<string, Hash>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};
/** The hash of each signature algorithm; plain RSA takes that of the digest. */
const algorithms: Readonly<Record<string, { readonly kind: "ecdsa" | "rsa"; readonly hash?: Hash }>> = {
  "1.2.840.10045.4.3.2": { kind: "ecdsa", hash: "sha256" },
  "1.2.840.10045.4.3.3": { kind: "ecdsa", hash: "sha384" },
  "1.2.840.10045.4.3.4": { kind: "ecdsa", hash: "sha512" },
  "1.2.840.113549.1.1.1": { kind: "rsa" },
  "1.2.840.113549.1.1.11": { kind: "rsa", hash: "sha256" },
  "1.2.840.113549.1.1.12": { kind: "rsa", hash: "sha384" },
  "1.2.840.113549.1.1.13": { kind: "rsa", hash: "sha512" },
};
/** A timestamp takes a few kilobytes. */
const maxBytes = 64_000;
const maxCertificates = 11;
const setTag = 0x31;

/** Reads a TimeStampResp: the status of an authority's answer, and the token. */
export async function readTimestampResponse(bytes: Uint8Array): Promise<TimestampToken | Fault> {
  return await reading(bytes, async (response) => {
    const status = response.subs[0]?.subs[0]?.toInteger();
    if (status !== 0n && status !== 1n) return new Fault("the timestamp was not granted");
    const token = response.subs[1];
    return token === undefined ? new Fault("timeStampToken is missing") : await readToken(token);
  });
}

/** Reads a TimeStampToken, which is what a response holds beside its status. */
export async function readTimestampToken(bytes: Uint8Array): Promise<TimestampToken | Fault> {
  return await reading(bytes, readToken);
}

async function reading(
  bytes: Uint8Array,
  read: (parsed: ASN1Obj) => Promise<TimestampToken | Fault>,
): Promise<TimestampToken | Fault> {
  if (bytes.length > maxBytes) return new Fault(`the timestamp is longer than ${maxBytes} bytes`);
  const { ASN1Obj } = await import("@sigstore/core");
  try {
    return await read(ASN1Obj.parseBuffer(Buffer.from(bytes)));
  } catch (cause) {
    return new Fault(`error verifying timestamp response: ${cause instanceof Error ? cause.message : cause}`);
  }
}

/** Reads a token (RFC 5652 §5): content type and SignedData. It throws where a part is missing. */
async function readToken(token: ASN1Obj): Promise<TimestampToken | Fault> {
  if (token.subs[0]!.toOID() !== oids.signedData) return new Fault("the token is no signed data");
  const signedData = token.subs[1]!.subs[0]!;
  const [, , content] = signedData.subs;
  if (content!.subs[0]!.toOID() !== oids.timestampInfo) return new Fault("the signed data is no timestamp");
  const certificates = await certificatesIn(signedData);
  if (isFault(certificates)) return certificates;
  const octets = content!.subs[1]!.subs[0]!;
  const info = octets.subs[0]!;
  const signer = signedData.subs.at(-1)!.subs[0]!;
  const [issuer, serial] = signer.subs[1]!.subs;
  const attributes = signer.subs.find((each) => each.tag.isContextSpecific(0));
  if (attributes === undefined) return new Fault("missing signed attributes");
  return {
    at: info.subs[4]!.toDate(),
    accuracy: accuracyOf(info),
    certificates,
    signerIssuer: new Uint8Array(issuer!.value),
    signerSerial: new Uint8Array(serial!.value),
    signerHash: signerHashIn(attributes),
    async refuses(data, key) {
      try {
        return await refuses({ info, octets, signer, attributes }, data, key);
      } catch (cause) {
        return cause instanceof Error ? cause.message : String(cause);
      }
    },
  };
}

async function certificatesIn(signedData: ASN1Obj): Promise<readonly Certificate[] | Fault> {
  const list = signedData.subs.find((each) => each.tag.isContextSpecific(0));
  if (list === undefined) return [];
  if (list.subs.length > maxCertificates) return new Fault("the timestamp has too many certificates");
  const certificates: Certificate[] = [];
  for (const der of encodedParts(list)) {
    const certificate = await readCertificate(der);
    if (isFault(certificate)) return certificate;
    certificates.push(certificate);
  }
  return certificates;
}

/** The accuracy of a TSTInfo: seconds, milliseconds `[0]` and microseconds `[1]`, each optional. */
function accuracyOf(info: ASN1Obj): number {
  const accuracy = info.subs.slice(5).find(({ tag }) => tag.isUniversal() && tag.number === 0x10);
  let milliseconds = 0;
  for (const { tag, value } of accuracy?.subs ?? []) {
    const number = value.reduce((sum, byte) => sum * 256 + byte, 0);
    milliseconds += number * (tag.isUniversal() ? 1_000 : tag.number === 0 ? 1 : 0.001);
  }
  return milliseconds === 0 && info.subs[1]!.toOID() === oids.baselinePolicy ? 1_000 : milliseconds;
}

/** The values of a signed attribute; a second attribute of the same type would make it unclear which one counts. */
function attributeIn(attributes: ASN1Obj, oid: string): ASN1Obj | undefined {
  const found = attributes.subs.filter(({ subs }) => subs[0]!.toOID() === oid);
  return found.length === 1 ? found[0]!.subs[1]!.subs[0] : undefined;
}

/** The first ESSCertIDv2 of the attribute SigningCertificateV2; its hash is SHA-256 unless it names another one. */
function signerHashIn(attributes: ASN1Obj): TimestampToken["signerHash"] {
  const first = attributeIn(attributes, oids.signingCertificate)?.subs[0]?.subs[0];
  if (first === undefined) return undefined;
  const [head, second] = first.subs;
  const isNamed = head!.tag.isUniversal() && head!.tag.number === 0x10;
  const hash = isNamed ? hashes[head!.subs[0]!.toOID()] : "sha256";
  const digest = isNamed ? second : head;
  return hash === undefined || digest === undefined
    ? undefined
    : { hash, digest: new Uint8Array(digest.value) };
}

interface Parts {
  /** The TSTInfo, and the OCTET STRING around it. */
  readonly info: ASN1Obj;
  readonly octets: ASN1Obj;
  readonly signer: ASN1Obj;
  readonly attributes: ASN1Obj;
}

/** It throws where a part is missing. */
async function refuses(parts: Parts, data: Uint8Array, key: PublicKey): Promise<string | undefined> {
  const { info, octets, signer, attributes } = parts;
  const [imprintAlgorithm, imprint] = info.subs[2]!.subs;
  const imprintHash = hashes[imprintAlgorithm!.subs[0]!.toOID()];
  if (imprintHash === undefined) return "the hash algorithm of the timestamp is not supported";
  if (!sameBytes(await digestOf(data, imprintHash), imprint!.value)) {
    return "message imprint does not match artifact";
  }
  const type = attributeIn(attributes, oids.contentType);
  if (type === undefined || type.toOID() !== oids.timestampInfo) return "mismatch content type";
  const hash = hashes[signer.subs[2]!.subs[0]!.toOID()];
  if (hash === undefined) return "unsupported digest algorithm";
  const digest = attributeIn(attributes, oids.messageDigest);
  if (digest === undefined || !sameBytes(await digestOf(new Uint8Array(octets.value), hash), digest.value)) {
    return "mismatch message digest";
  }
  const algorithm = algorithms[signer.subs[4]!.subs[0]!.toOID()];
  if (algorithm?.kind !== key.kind) return "unknown signature algorithm";
  const signed: Signed = {
    // The signature is over the attributes as a SET, not as the part [0] of the signer (RFC 5652 §5.4).
    message: encodeParts(setTag, encodedParts(attributes)),
    signature: new Uint8Array(signer.subs[5]!.value),
    hash: algorithm.hash ?? hash,
  };
  return await key.refuses(signed) === undefined ? undefined : "signature verification failed";
}

/** The digest of bytes. */
export async function digestOf(bytes: Uint8Array, hash: Hash): Promise<Uint8Array> {
  const name = `SHA-${hash.slice(3)}`;
  return new Uint8Array(await crypto.subtle.digest(name, new Uint8Array(bytes)));
}
