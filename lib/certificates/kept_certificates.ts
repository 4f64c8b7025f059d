import { Fault, isFault } from "../json/mod.ts";
import type { Authority, IssuedCertificate } from "./issue_certificate.ts";
import {
  certificatesIn,
  isKeyOf,
  isSignedBy,
  readServingCertificate,
  type ServingCertificate,
} from "./serving_certificate.ts";

/** The certificates in a keeper. */
export interface KeptCertificates {
  readonly authority: Authority;
  /** All authorities to trust, the present one first. */
  readonly trusted: readonly string[];
  /** The serving certificate; `undefined` when it is missing or not signed by the authority. */
  readonly serving: ServingCertificate | undefined;
}

/** The certificates that replace those in a keeper. */
export interface NewCertificates {
  readonly authority: Authority;
  readonly trusted: readonly string[];
  readonly serving: IssuedCertificate;
}

/** Keeps an authority and a serving certificate between starts. */
export interface CertificateKeeper {
  /** Reads the certificates; `undefined` when there is no authority yet. */
  read(): Promise<KeptCertificates | Fault | undefined>;
  /** Replaces the certificates; a fault says why that failed. */
  write(next: NewCertificates): Promise<Fault | undefined>;
}

/** The texts of a keeper, by the names of Kubernetes and cert-manager. */
export interface CertificateFiles {
  readonly "ca.crt": string | undefined;
  readonly "ca.key": string | undefined;
  readonly "tls.crt": string | undefined;
  readonly "tls.key": string | undefined;
}

/**
 * Reads the texts of a keeper; messages contain `location` and `remedy`. An unreadable authority is a fault; an
 * unusable serving certificate counts as missing.
 */
export function readKept(
  files: CertificateFiles,
  { location, remedy }: { readonly location: string; readonly remedy: string },
): KeptCertificates | Fault | undefined {
  const ca = files["ca.crt"], caKey = files["ca.key"];
  // The key is written first, so a key alone is left by a crash.
  if (ca === undefined) return undefined;
  const trusted = certificatesIn(ca);
  if (trusted === undefined) return new Fault(`${location}/ca.crt: no PEM certificate; ${remedy}`);
  if (caKey === undefined || !isKeyOf(caKey, trusted[0]!)) {
    return new Fault(`${location}/ca.key: not the key of ca.crt; ${remedy}`);
  }
  const authority = { cert: trusted[0]!, key: caKey };
  return { authority, trusted, serving: servingOf(files, authority) };
}

function servingOf(files: CertificateFiles, authority: Authority): ServingCertificate | undefined {
  const cert = files["tls.crt"], key = files["tls.key"];
  if (cert === undefined || key === undefined || !isSignedBy(cert, authority.cert)) return undefined;
  const read = readServingCertificate({ cert, key });
  return isFault(read) ? undefined : read;
}
