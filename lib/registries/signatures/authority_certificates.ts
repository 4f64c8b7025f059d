import { BoundedCache, type Fault } from "../../json/mod.ts";
import { encodeBase64 } from "../../kube/mod.ts";
import {
  type Certificate,
  type CertificatesOptions,
  isSignedBy,
  readCertificate,
  readCertificates,
} from "./certificate.ts";

/**
 * The most characters of the keys of each cache, in base64: some 250 certificates. Parsed they take some times as much.
 */
const mostCharacters = 200_000;

/**
 * Certificates that many signatures share: the roots that policies name, and those above the signers' certificates.
 * Each is parsed once, and its signature verified once. Nothing here says that a certificate is trusted:
 * {@link buildChain} checks that each time, as it does the times of validity.
 */
export class AuthorityCertificates {
  // All bytes of a certificate decide what it says.
  readonly #parsed = new BoundedCache<Promise<Certificate | Fault>>(mostCharacters, weightOf);
  // All bytes of a certificate, its signature among them, and the key decide whether the signature verifies.
  readonly #signed = new BoundedCache<Promise<boolean>>(mostCharacters, weightOf);

  /** Reads every certificate of a text as {@link readCertificates} does. */
  async read(
    text: string,
    { most }: Pick<CertificatesOptions, "most"> = {},
  ): Promise<readonly Certificate[] | Fault> {
    const read = (der: Uint8Array) => this.#parsed.getOrMake(encodeBase64(der), () => readCertificate(der));
    return await readCertificates(text, { read, ...(most !== undefined && { most }) });
  }

  /** Whether a certificate carries the signature of another one's key. Signers' certificates are seldom seen twice. */
  async isSignedBy(certificate: Certificate, issuer: Pick<Certificate, "key">): Promise<boolean> {
    const verify = () => isSignedBy(certificate, issuer);
    if (!certificate.isCA) return await verify();
    const name = `${encodeBase64(certificate.der)} ${encodeBase64(issuer.key.spki)}`;
    return await this.#signed.getOrMake(name, verify);
  }
}

function weightOf(_value: unknown, key: string): number {
  return key.length;
}
