import type { ASN1Obj, RFC3161Timestamp } from "@sigstore/core";
import { createPublicKey } from "node:crypto";
import { Fault, isFault } from "../../json/mod.ts";
import type { AuthorityCertificates } from "./authority_certificates.ts";
import { encodedParts } from "./asn1.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { sameBytes } from "./bytes.ts";
import { buildChain, sortAuthorities, usages } from "./chain.ts";

/** The certificates of the timestamp authority that the policy trusts. */
export interface TimestampTrust {
  /** The authority's certificate; when absent, the timestamp must contain it. */
  readonly leaf: Certificate | undefined;
  readonly intermediates: readonly Certificate[];
  readonly roots: readonly Certificate[];
}

/** Sorts the certificates of a chain: the leaf is no CA, and one of its authorities must be a root. */
export function timestampTrust(chain: readonly Certificate[]): TimestampTrust | Fault {
  const leaves = chain.filter(({ isCA }) => !isCA);
  const { roots, intermediates } = sortAuthorities(chain.filter(({ isCA }) => isCA));
  if (leaves.length > 1) return new Fault("certificate chain must contain at most one TSA certificate");
  if (roots.length === 0) return new Fault("certificate chain must contain at least one root certificate");
  return { leaf: leaves[0], roots, intermediates };
}

/** A timestamp takes a few kilobytes. */
const MAX_BYTES = 64_000;

/** The time at which a signed timestamp (RFC 3161) says that data existed; a fault when it does not verify. */
export async function timestampOf(
  response: Uint8Array,
  data: Uint8Array,
  trust: TimestampTrust & { readonly authorities: AuthorityCertificates },
): Promise<Date | Fault> {
  if (response.length > MAX_BYTES) return new Fault(`the timestamp is longer than ${MAX_BYTES} bytes`);
  const { RFC3161Timestamp } = await import("@sigstore/core");
  try {
    return await verified(RFC3161Timestamp.parse(Buffer.from(response)), data, trust);
  } catch (cause) {
    return new Fault(`error verifying timestamp response: ${cause instanceof Error ? cause.message : cause}`);
  }
}

async function verified(
  timestamp: RFC3161Timestamp,
  data: Uint8Array,
  trust: TimestampTrust & { readonly authorities: AuthorityCertificates },
): Promise<Date | Fault> {
  if (timestamp.status !== 0n && timestamp.status !== 1n) return new Fault("the timestamp was not granted");
  const embedded = await embeddedCertificates(timestamp);
  if (isFault(embedded)) return embedded;
  const isSigner = ({ issuer, serial }: Certificate): boolean =>
    sameBytes(issuer, new Uint8Array(timestamp.signerIssuer)) &&
    sameBytes(serial, new Uint8Array(timestamp.signerSerialNumber));
  const signer = embedded.find(isSigner);
  const { leaf = signer } = trust;
  if (leaf === undefined) return new Fault("the timestamp names no certificate, and the chain has none");
  if (embedded.length > 0 && (signer === undefined || !sameBytes(signer.der, leaf.der))) {
    return new Fault("certificate embedded in the TSR does not match the provided TSA certificate");
  }
  if (!leaf.usages.includes(usages.timeStamping)) {
    return new Fault("certificate must set EKU to TimeStamping");
  }
  const at = timestamp.signingTime;
  const intermediates = [...trust.intermediates, ...embedded.filter(({ isCA }) => isCA)];
  const { roots, authorities } = trust;
  const chain = await buildChain(leaf, {
    roots,
    intermediates,
    at,
    authorities,
    usage: usages.timeStamping,
  });
  if (!chain.ok) return new Fault(`failed to verify TSA certificate: ${chain.why}`);
  timestamp.verify(
    Buffer.from(data),
    createPublicKey({ key: Buffer.from(leaf.key.spki), format: "der", type: "spki" }),
  );
  return at;
}

/** The certificates in the timestamp's CMS structure (RFC 5652 §5.1). */
async function embeddedCertificates(timestamp: RFC3161Timestamp): Promise<readonly Certificate[] | Fault> {
  const content: ASN1Obj | undefined = timestamp.root.subs[1]?.subs[1]?.subs[0];
  const list = content?.subs.find((each) => each.tag.isContextSpecific(0));
  if (list === undefined) return [];
  if (list.subs.length > 11) return new Fault("the timestamp has too many certificates");
  const certificates: Certificate[] = [];
  for (const der of encodedParts(list)) {
    const certificate = await readCertificate(der);
    if (isFault(certificate)) return certificate;
    certificates.push(certificate);
  }
  return certificates;
}
