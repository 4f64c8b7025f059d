import type { ASN1Obj, X509Certificate } from "@sigstore/core";
import { hexOf } from "../../bytes/mod.ts";
import { Fault, isFault } from "../../json/mod.ts";
import { encodedParts } from "./asn1.ts";
import { base64Text, pemBlocks, toPem } from "./pem.ts";
import { type Hash, PublicKey } from "./public_key.ts";

/**
 * The fields of an X.509 certificate that verification reads. Names are DER, so that they can be compared byte by
 * byte.
 */
export interface Certificate {
  readonly der: Uint8Array;
  readonly serial: Uint8Array;
  readonly subject: Uint8Array;
  readonly issuer: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly key: PublicKey;
  /** The signed part (TBSCertificate) as DER. */
  readonly body: Uint8Array;
  readonly signature: Uint8Array;
  readonly algorithm: CertificateAlgorithm | undefined;
  readonly isCA: boolean;
  /** How many intermediate certificates may be below this one; `undefined` for any number. */
  readonly pathLength: number | undefined;
  /** OIDs of the extended key usage; empty for any. */
  readonly usages: readonly string[];
  /** Subject alternative names in Go's order: DNS, email, IP, URI, and Fulcio's other name. */
  readonly names: readonly string[];
  /**
   * OIDs of the critical extensions that Postern does not check. It does not trust a certificate with such extensions.
   */
  readonly unknownCritical: readonly string[];
  /** Whether the extended key usage is critical. */
  readonly hasCriticalUsages: boolean;
  /** Whether the key usage is critical. */
  readonly hasCriticalKeyUsage: boolean;
  /** The contents of the extensions by OID. */
  readonly extensions: ReadonlyMap<string, Uint8Array>;
}

/** The algorithm of a certificate's signature. */
export interface CertificateAlgorithm {
  readonly kind: "ecdsa" | "rsa" | "ed25519";
  readonly hash: Hash;
}

const algorithms: Readonly<Record<string, CertificateAlgorithm>> = {
  "1.2.840.10045.4.3.2": { kind: "ecdsa", hash: "sha256" },
  "1.2.840.10045.4.3.3": { kind: "ecdsa", hash: "sha384" },
  "1.2.840.10045.4.3.4": { kind: "ecdsa", hash: "sha512" },
  "1.2.840.113549.1.1.11": { kind: "rsa", hash: "sha256" },
  "1.2.840.113549.1.1.12": { kind: "rsa", hash: "sha384" },
  "1.2.840.113549.1.1.13": { kind: "rsa", hash: "sha512" },
  "1.3.101.112": { kind: "ed25519", hash: "sha512" },
};

const oids = {
  keyUsage: "2.5.29.15",
  names: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  extendedKeyUsage: "2.5.29.37",
  fulcioUsername: "1.3.6.1.4.1.57264.1.7",
};
/** Extensions that Postern checks, or that do not matter for its checks. Name constraints are not among them. */
const understood: readonly string[] = [
  oids.keyUsage,
  oids.names,
  oids.basicConstraints,
  oids.extendedKeyUsage,
];

/** A certificate is some kilobytes at most. */
const maxBytes = 64_000;

/** Reads a certificate from its DER. */
export async function readCertificate(der: Uint8Array): Promise<Certificate | Fault> {
  if (der.length > maxBytes) return new Fault(`the certificate is longer than ${maxBytes} bytes`);
  const { X509Certificate } = await import("@sigstore/core");
  try {
    return fieldsOf(X509Certificate.parse(Buffer.from(der)), der);
  } catch (cause) {
    return new Fault(
      `x509: malformed certificate: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** How the certificates of a text are read. */
export interface CertificatesOptions {
  /** Reads one of them. */
  readonly read?: (der: Uint8Array) => Promise<Certificate | Fault>;
  /** More are refused before any is parsed. Unbounded when absent, as a policy may trust many. */
  readonly most?: number;
}

/** The most certificates that a signature may carry, as many as a chain may have. */
export const mostCarried = 11;

/** Reads every certificate of a PEM text or of its base64; a fault when there is none, or one is broken. */
export async function readCertificates(
  text: string,
  { read = readCertificate, most = Infinity }: CertificatesOptions = {},
): Promise<readonly Certificate[] | Fault> {
  const plain = text.includes("-----BEGIN") ? text : base64Text(text);
  const blocks = pemBlocks(plain, "CERTIFICATE");
  if (blocks.length === 0) return new Fault("error during PEM decoding");
  if (blocks.length > most) {
    return new Fault(`certificate chain too long (${blocks.length}), maximum allowed is ${most}`);
  }
  const certificates: Certificate[] = [];
  for (const block of blocks) {
    const certificate = await read(block);
    if (isFault(certificate)) return certificate;
    certificates.push(certificate);
  }
  return certificates;
}

/** Whether a certificate carries the signature of another one's key. */
export async function isSignedBy(
  { algorithm, body, signature }: Certificate,
  { key }: Pick<Certificate, "key">,
): Promise<boolean> {
  if (algorithm === undefined || algorithm.kind !== key.kind) return false;
  return await key.refuses({ message: body, signature, hash: algorithm.hash }) === undefined;
}

/** A certificate as PEM. */
export function certificatePem({ der }: Certificate): string {
  return toPem("CERTIFICATE", der);
}

function fieldsOf(parsed: X509Certificate, der: Uint8Array): Certificate {
  const [body] = encodedParts(parsed.root);
  // The key is the seventh part of the body (RFC 5280 §4.1).
  const spki = encodedParts(parsed.tbsCertificate)[6];
  const key = spki === undefined ? new Fault("the certificate has no public key") : PublicKey.read(spki);
  if (isFault(key)) throw new Error(key.message);
  const extensions = extensionsOf(parsed);
  const constraints = parsed.extBasicConstraints;
  const pathLength = constraints?.pathLenConstraint;
  return {
    der,
    key,
    serial: bytesOf(parsed.serialNumber),
    subject: bytesOf(parsed.subject),
    issuer: bytesOf(parsed.issuer),
    notBefore: parsed.notBefore,
    notAfter: parsed.notAfter,
    body: body!,
    signature: bytesOf(parsed.signatureValue),
    algorithm: algorithms[parsed.root.subs[1]!.subs[0]!.toOID()],
    isCA: constraints?.isCA === true && (parsed.extKeyUsage?.keyCertSign ?? true),
    pathLength: pathLength === undefined ? undefined : Number(pathLength),
    usages: usagesOf(extensions.get(oids.extendedKeyUsage)?.content),
    names: namesOf(parsed),
    unknownCritical: [...extensions].filter(([oid, { critical }]) => critical && !understood.includes(oid))
      .map(([oid]) => oid),
    hasCriticalUsages: extensions.get(oids.extendedKeyUsage)?.critical === true,
    hasCriticalKeyUsage: extensions.get(oids.keyUsage)?.critical === true,
    extensions: new Map([...extensions].map(([oid, { content }]) => [oid, bytesOf(content.value)])),
  };
}

interface Extension {
  readonly critical: boolean;
  /** The OCTET STRING. */
  readonly content: ASN1Obj;
}

function extensionsOf(parsed: X509Certificate): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  for (const { subs } of parsed.extensions) {
    const oid = subs[0]!.toOID();
    // RFC 5280 §4.2 forbids this: it would not be clear which of the two counts.
    if (extensions.has(oid)) throw new Error(`the extension ${oid} is there twice`);
    extensions.set(oid, { critical: subs.length === 3 && subs[1]!.toBoolean(), content: subs.at(-1)! });
  }
  return extensions;
}

function usagesOf(content: ASN1Obj | undefined): readonly string[] {
  return content?.subs[0]?.subs.map((usage) => usage.toOID()) ?? [];
}

/**
 * Kyverno parity: the names in the order of Go's certificate, which messages show. Pinned by
 * tests/contract/signatures.ts.
 */
function namesOf(parsed: X509Certificate): readonly string[] {
  const all: readonly ASN1Obj[] = parsed.extSubjectAltName?.valueObj.subs[0]?.subs ?? [];
  const texts = (tag: number): string[] =>
    all.filter((name) => name.tag.isContextSpecific(tag)).map((name) => new TextDecoder().decode(name.value));
  const addresses = all.filter((name) => name.tag.isContextSpecific(7)).map(({ value }) =>
    value.length === 4 ? [...value].join(".") : hexOf(value)
  );
  return [...texts(2), ...texts(1), ...addresses, ...texts(6), ...all.flatMap(otherName)];
}

/** The user name that Fulcio writes for signers with neither email address nor URI. */
function otherName(name: ASN1Obj): string[] {
  if (!name.tag.isContextSpecific(0) || name.subs[0]?.tag.isOID() !== true) return [];
  if (name.subs[0].toOID() !== oids.fulcioUsername) return [];
  const text = name.subs[1]?.subs[0]?.value;
  return text === undefined ? [] : [new TextDecoder().decode(text)];
}

function bytesOf(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer);
}
