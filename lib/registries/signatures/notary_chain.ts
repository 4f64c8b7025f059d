import type { AuthorityCertificates } from "./authority_certificates.ts";
import { sameBytes } from "../../bytes/mod.ts";
import type { Certificate } from "./certificate.ts";
import { refusesKey } from "./notary_algorithms.ts";
import { subjectText } from "./subject_text.ts";

const keyUsageOid = "2.5.29.15", basicConstraintsOid = "2.5.29.19";
/** The bit `digitalSignature` of a key usage, which is the first one. */
const digitalSignatureBit = 0x80;

/** The bits of a key usage that a signer's may not have. */
const otherUses: readonly (readonly [bit: number, use: string])[] = [
  [0x20, "KeyEncipherment"],
  [0x10, "DataEncipherment"],
  [0x08, "KeyAgreement"],
  [0x04, "CertSign"],
  [0x02, "CRLSign"],
  [0x01, "EncipherOnly"],
];

/** Extended usages that a certificate for signing code may not have (specification of the Notary Project). */
const excluded: Readonly<Record<string, string>> = {
  "1.3.6.1.5.5.7.3.1": "ServerAuth",
  "1.3.6.1.5.5.7.3.2": "ClientAuth",
  "1.3.6.1.5.5.7.3.4": "EmailProtection",
  "1.3.6.1.5.5.7.3.8": "Timestamping",
  "1.3.6.1.5.5.7.3.9": "OCSPSigning",
};

/**
 * Why the certificates of a signature, the signer's first, form no chain up to a self-signed one in which each may do
 * its part; in notation's words. `undefined` when they do.
 */
export async function refusesSigningChain(
  chain: readonly Certificate[],
  authorities: AuthorityCertificates,
): Promise<string | undefined> {
  for (const [index, certificate] of chain.entries()) {
    const why = await refusesIssuer(chain, index, authorities) ??
      (index === 0
        ? await refusesSigner(certificate)
        : await refusesAuthority(certificate, { below: index - 1 }));
    if (why !== undefined) return `certificate-chain is invalid, ${why}`;
  }
  return undefined;
}

async function refusesIssuer(
  chain: readonly Certificate[],
  index: number,
  authorities: AuthorityCertificates,
): Promise<string | undefined> {
  const certificate = chain[index]!, issuer = chain[index + 1];
  const name = JSON.stringify(await subjectText(certificate));
  const isSelfSigned = sameBytes(certificate.issuer, certificate.subject) &&
    await authorities.isSignedBy(certificate, certificate);
  if (certificate.unknownCritical.length > 0) {
    return `certificate with subject ${name}: unhandled critical extension`;
  }
  if (issuer === undefined) {
    return isSelfSigned
      ? undefined
      : `root certificate with subject ${name} is invalid or not self-signed. ` +
        "Certificate chain must end with a valid self-signed root certificate";
  }
  if (isSelfSigned) {
    const part = index === 0 ? "leaf" : "intermediate";
    return `${part} certificate with subject ${name} is self-signed. ` +
      `Certificate chain must not contain self-signed ${part} certificate`;
  }
  return sameBytes(certificate.issuer, issuer.subject) && await authorities.isSignedBy(certificate, issuer)
    ? undefined
    : `certificate with subject ${name} is not issued by ${JSON.stringify(await subjectText(issuer))}`;
}

async function refusesSigner(certificate: Certificate): Promise<string | undefined> {
  const name = JSON.stringify(await subjectText(certificate));
  if (claimsAuthority(certificate)) {
    return `certificate with subject ${name}: if the basic constraints extension is present, ` +
      "the ca field must be set to false";
  }
  const absent = await refusesKeyUsage(certificate);
  if (absent !== undefined) return absent;
  if (!hasDigitalSignature(certificate)) {
    return `the certificate with subject ${name} is invalid. ` +
      'The key usage must have the bit positions for "Digital Signature" set';
  }
  if (!signsDataAlone(certificate)) {
    const found = otherUses.filter(([bit]) => (usageBits(certificate) & bit) !== 0).map(([, use]) =>
      `"${use}"`
    );
    return `the certificate with subject ${name} is invalid. The key usage must be "Digital Signature" only, ` +
      `but found ${found.join(", ")}`;
  }
  const wrong = certificate.usages.find((id) => Object.hasOwn(excluded, id));
  if (wrong !== undefined) {
    return `certificate with subject ${name}: extended key usage must not contain ${excluded[wrong]} eku`;
  }
  const unusable = refusesKey(certificate.key);
  return unusable && `certificate with subject ${name}: ${unusable}`;
}

async function refusesAuthority(
  certificate: Certificate,
  { below }: { readonly below: number },
): Promise<string | undefined> {
  const absent = await refusesKeyUsage(certificate);
  if (absent !== undefined) return absent;
  const name = JSON.stringify(await subjectText(certificate));
  const { isCA, pathLength = Infinity } = certificate;
  if (!isCA) {
    return `certificate with subject ${name}: ca field in basic constraints must be present, critical, ` +
      "and set to true, and the key usage must have the bit positions for key cert sign set";
  }
  return pathLength >= below
    ? undefined
    : `certificate with subject ${name}: expected path length of ${below} but certificate has path length ` +
      `${pathLength} instead`;
}

async function refusesKeyUsage(certificate: Certificate): Promise<string | undefined> {
  const { extensions, hasCriticalKeyUsage } = certificate;
  if (extensions.has(keyUsageOid) && hasCriticalKeyUsage) return undefined;
  const how = extensions.has(keyUsageOid) ? "marked critical" : "present";
  const name = JSON.stringify(await subjectText(certificate));
  return `certificate with subject ${name}: key usage extension must be ${how}`;
}

/** Whether the basic constraints, `SEQUENCE { BOOLEAN TRUE … }` in DER, make it an authority, whatever its usage. */
function claimsAuthority({ extensions }: Certificate): boolean {
  const constraints = extensions.get(basicConstraintsOid);
  return constraints?.[2] === 0x01 && constraints[4] !== 0;
}

/** Whether a certificate states its key usage. */
export function statesKeyUsage({ extensions }: Certificate): boolean {
  return extensions.has(keyUsageOid);
}

/** Whether the key usage is to sign data and not certificates, nor to encrypt. */
export function signsDataAlone(certificate: Certificate): boolean {
  return hasDigitalSignature(certificate) && otherUses.every(([bit]) => (usageBits(certificate) & bit) === 0);
}

function hasDigitalSignature(certificate: Certificate): boolean {
  return (usageBits(certificate) & digitalSignatureBit) !== 0;
}

/** The first eight bits of the key usage, a BIT STRING in DER: behind tag, length and the number of unused bits. */
function usageBits({ extensions }: Certificate): number {
  return extensions.get(keyUsageOid)?.[3] ?? 0;
}
