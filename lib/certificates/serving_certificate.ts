import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { Fault } from "../json/mod.ts";

/** The certificate and key of a TLS listener, and the CA certificates that its callers need. */
export interface ServingCertificate {
  /** PEM: the certificate, and those between it and its authority. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  /** The authorities as base64 of PEM, for `clientConfig.caBundle`; `undefined` when the authority is unknown. */
  readonly caBundle: string | undefined;
  /** The DNS names and IP addresses of the certificate. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The age of a certificate. In the last third of its life it is due for renewal. */
export type CertificateAge = "not yet valid" | "fresh" | "due" | "expired";

/**
 * The age of a certificate at a time.
 *
 * ```ts
 * import { certificateAge } from "./serving_certificate.ts";
 * import assert from "node:assert/strict";
 * const life = { notBefore: 0, notAfter: 90 };
 * assert.deepEqual([-1, 0, 60, 91].map((now) => certificateAge(life, now)), [
 *   "not yet valid", "fresh", "due", "expired",
 * ]);
 * ```
 */
export function certificateAge(
  life: Pick<ServingCertificate, "notBefore" | "notAfter">,
  now: number,
): CertificateAge {
  if (now < life.notBefore) return "not yet valid";
  if (now > life.notAfter) return "expired";
  return now - life.notBefore < (life.notAfter - life.notBefore) * 2 / 3 ? "fresh" : "due";
}

/** PEM texts of a certificate, its key and, if known, its authorities. */
export interface CertificateTexts {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

/**
 * Parses a serving certificate and checks that the key belongs to it. A fault says which of the texts is wrong and
 * why, and never shows the key. {@link certificateAge} checks whether the certificate is still valid.
 */
export function readServingCertificate({ cert, key, ca }: CertificateTexts): ServingCertificate | Fault {
  const chain = certificatesIn(cert);
  const leaf = chain === undefined ? undefined : parsed(chain[0]!);
  if (chain === undefined || leaf === undefined) return new Fault("the certificate is no PEM certificate");
  const privateKey = readPrivateKey(key);
  if (privateKey instanceof Fault) return privateKey;
  if (!samePublicKey(privateKey, leaf.publicKey)) return new Fault("the key is not that of the certificate");
  const authorities = ca === undefined ? authorityIn(chain, leaf) : certificatesIn(ca);
  if (ca !== undefined && authorities === undefined) {
    return new Fault("the authority is no PEM certificate");
  }
  return {
    cert,
    key,
    caBundle: authorities === undefined ? undefined : bundleOf(authorities),
    names: namesOf(leaf),
    notBefore: Date.parse(leaf.validFrom),
    notAfter: Date.parse(leaf.validTo),
  };
}

/** The certificates of a PEM text; `undefined` when there is none. */
export function certificatesIn(pem: string): string[] | undefined {
  // No `-` between the lines: a search for the end from each of many beginnings would be quadratic.
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  return found === null || found.some((each) => parsed(each) === undefined) ? undefined : [...found];
}

/** Certificates one after the other, as in `ca.crt`. */
export function pemBundle(certificates: readonly string[]): string {
  return certificates.map((each) => `${each.trim()}\n`).join("");
}

/** Certificates in the form of `clientConfig.caBundle`. */
export function bundleOf(certificates: readonly string[]): string {
  return btoa(pemBundle(certificates));
}

/** Whether the authority signed the certificate, both as PEM. */
export function isSignedBy(cert: string, authority: string): boolean {
  const leaf = parsed(cert), issuer = parsed(authority);
  return leaf !== undefined && issuer !== undefined && leaf.verify(issuer.publicKey);
}

/** Whether a text is a private key that belongs to a certificate. */
export function isKeyOf(key: string, cert: string): boolean {
  const privateKey = readPrivateKey(key), certificate = parsed(cert);
  return !(privateKey instanceof Fault) && certificate !== undefined &&
    samePublicKey(privateKey, certificate.publicKey);
}

/** The validity of a certificate, in milliseconds since 1970. */
export function lifeOf(cert: string): Pick<ServingCertificate, "notBefore" | "notAfter"> | undefined {
  const certificate = parsed(cert);
  if (certificate === undefined) return undefined;
  return { notBefore: Date.parse(certificate.validFrom), notAfter: Date.parse(certificate.validTo) };
}

function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function readPrivateKey(key: string): KeyObject | Fault {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type:.*ENCRYPTED/m.test(key)) {
    return new Fault("the key is encrypted; give it without a passphrase");
  }
  try {
    return createPrivateKey(key);
  } catch {
    return new Fault("the key is no PEM private key");
  }
}

function samePublicKey(privateKey: KeyObject, publicKey: KeyObject): boolean {
  const text = (key: KeyObject) => key.export({ type: "spki", format: "pem" });
  return text(createPublicKey(privateKey)) === text(publicKey);
}

/** The authority in a chain: its last certificate, if that is self-signed. */
function authorityIn(chain: readonly string[], leaf: X509Certificate): string[] | undefined {
  const last = chain.length === 1 ? leaf : parsed(chain.at(-1)!);
  return last !== undefined && last.subject === last.issuer ? [chain.at(-1)!] : undefined;
}

function namesOf(certificate: X509Certificate): string[] {
  return (certificate.subjectAltName ?? "").split(/,\s*/).flatMap((each) => {
    const name = /^(?:DNS|IP Address):(.+)$/.exec(each.trim())?.[1];
    return name === undefined ? [] : [name];
  });
}
