import { isFault } from "../../json/mod.ts";
import type { AuthorityCertificates } from "./authority_certificates.ts";
import { sameBytes } from "../../bytes/mod.ts";
import type { Certificate } from "./certificate.ts";
import type { NotaryEnvelope } from "./notary_envelope.ts";
import { signsDataAlone, statesKeyUsage } from "./notary_chain.ts";
import { subjectText } from "./subject_text.ts";
import { verifyTimestamp } from "./timestamp.ts";
import { readTimestampToken } from "./timestamp_token.ts";

/** The time and the certificates that decide whether a signature was made in time. */
export interface NotaryTime {
  readonly now: Date;
  /** The trusted roots of timestamp authorities; without any, timestamps are not read. */
  readonly timestampRoots: readonly Certificate[];
  readonly authorities: AuthorityCertificates;
}

/**
 * Why the signature is not valid now, or was not when an authority stamped it; in notation's words. Kyverno parity:
 * where a policy names timestamp authorities, each signature must have a timestamp, also one whose certificates have
 * not ended. Pinned by tests/registries/notary_timestamps_test.ts.
 */
export async function refusesTime(envelope: NotaryEnvelope, time: NotaryTime): Promise<string | undefined> {
  const { chain, expiry } = envelope;
  if (expiry !== undefined && time.now >= expiry) {
    return `digital signature has expired on ${JSON.stringify(written(expiry))}`;
  }
  return time.timestampRoots.length === 0
    ? await refusesNow(chain, time.now)
    : await refusesTimestamp(envelope, time);
}

async function refusesNow(chain: readonly Certificate[], now: Date): Promise<string | undefined> {
  for (const certificate of chain) {
    const { notBefore, notAfter } = certificate;
    if (now < notBefore) return await refused("verification time is before", certificate);
    if (now > notAfter) return await refused("verification time is after", certificate);
  }
  return undefined;
}

async function refused(words: string, certificate: Certificate): Promise<string> {
  const end = words.endsWith("after")
    ? `it was expired at ${JSON.stringify(written(certificate.notAfter))}`
    : `it will be valid from ${JSON.stringify(written(certificate.notBefore))}`;
  return `${words} certificate ${JSON.stringify(await subjectText(certificate))} validity period, ${end}`;
}

async function refusesTimestamp(
  { timestamp, signed, chain }: NotaryEnvelope,
  { timestampRoots, authorities }: NotaryTime,
): Promise<string | undefined> {
  if (timestamp === undefined) return "no timestamp countersignature was found in the signature envelope";
  const token = await readTimestampToken(timestamp);
  if (isFault(token)) return `failed to parse timestamp countersignature with error: ${token.message}`;
  // Without the hash of its certificate, a signature could be claimed by another certificate of the same key.
  if (token.signerHash === undefined) {
    return "failed to verify the timestamp countersignature with error: it names no signing certificate";
  }
  const trust = { leaf: undefined, intermediates: [], roots: timestampRoots, authorities };
  const verified = await verifyTimestamp(token, signed.signature, trust);
  if (isFault(verified)) {
    return `failed to verify the timestamp countersignature with error: ${verified.message}`;
  }
  const why = await refusesAuthority(verified.chain, authorities);
  if (why !== undefined) return `failed to validate the timestamping certificate chain with error: ${why}`;
  const first = verified.at.getTime() - verified.accuracy, last = verified.at.getTime() + verified.accuracy;
  for (const certificate of chain) {
    if (first < certificate.notBefore.getTime()) return await refused("timestamp can be before", certificate);
    if (last > certificate.notAfter.getTime()) return await refused("timestamp can be after", certificate);
  }
  return undefined;
}

/**
 * Why the certificates of a timestamp authority are not what the Notary Project's specification demands: the last one
 * signed itself, all state their key usage, and the first is for timestamps alone, which is critical.
 */
async function refusesAuthority(
  chain: readonly Certificate[],
  authorities: AuthorityCertificates,
): Promise<string | undefined> {
  const leaf = chain[0]!, root = chain.at(-1)!;
  if (!sameBytes(root.subject, root.issuer) || !await authorities.isSignedBy(root, root)) {
    return "the certificate chain must end with a valid self-signed root certificate";
  }
  if (!chain.every(statesKeyUsage)) {
    return "key usage extension must be present";
  }
  if (leaf.isCA || !signsDataAlone(leaf)) {
    return "the authority's certificate is not for digital signatures alone";
  }
  if (leaf.usages.length !== 1 || !leaf.hasCriticalUsages) {
    return "the authority's certificate must have timestamping as its only extended key usage, and as a critical one";
  }
  return undefined;
}

/** A date as Go's RFC 1123 writes it, in UTC. */
function written(date: Date): string {
  return date.toUTCString().replace("GMT", "+0000");
}
