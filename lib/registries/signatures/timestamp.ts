import { Fault, isFault } from "../../json/mod.ts";
import type { AuthorityCertificates } from "./authority_certificates.ts";
import type { Certificate } from "./certificate.ts";
import { sameBytes } from "../../bytes/mod.ts";
import { buildChain, sortAuthorities, usages } from "./chain.ts";
import { digestOf, readTimestampResponse, type TimestampToken } from "./timestamp_token.ts";

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

/** The trust that verifies a timestamp, and the authorities' certificates that were parsed before. */
export type TimestampAuthorities = TimestampTrust & { readonly authorities: AuthorityCertificates };

/** A timestamp that an authority of the trust signed. */
export interface VerifiedTimestamp {
  readonly at: Date;
  /** By how many milliseconds the time may be wrong, before and after. */
  readonly accuracy: number;
  /** From the authority's certificate up to the root. */
  readonly chain: readonly Certificate[];
}

/** The time at which a signed timestamp (RFC 3161) says that data existed; a fault when it does not verify. */
export async function timestampOf(
  response: Uint8Array,
  data: Uint8Array,
  trust: TimestampAuthorities,
): Promise<Date | Fault> {
  const token = await readTimestampResponse(response);
  if (isFault(token)) return token;
  const verified = await verifyTimestamp(token, data, trust);
  return isFault(verified) ? verified : verified.at;
}

/** Verifies a token over data: who signed it, up to a root of the trust, and what. */
export async function verifyTimestamp(
  token: TimestampToken,
  data: Uint8Array,
  trust: TimestampAuthorities,
): Promise<VerifiedTimestamp | Fault> {
  const { certificates, at, accuracy } = token;
  const signer = certificates.find(({ issuer, serial }) =>
    sameBytes(issuer, token.signerIssuer) && sameBytes(serial, token.signerSerial)
  );
  const { leaf = signer } = trust;
  if (leaf === undefined) return new Fault("the timestamp names no certificate, and the chain has none");
  if (certificates.length > 0 && (signer === undefined || !sameBytes(signer.der, leaf.der))) {
    return new Fault("certificate embedded in the TSR does not match the provided TSA certificate");
  }
  if (!leaf.usages.includes(usages.timeStamping)) {
    return new Fault("certificate must set EKU to TimeStamping");
  }
  const { signerHash } = token;
  if (signerHash !== undefined && !sameBytes(await digestOf(leaf.der, signerHash.hash), signerHash.digest)) {
    return new Fault("signing certificate hash does not match CertHash in signed attribute");
  }
  const { roots, authorities } = trust;
  const chain = await buildChain(leaf, {
    roots,
    intermediates: [...trust.intermediates, ...certificates.filter(({ isCA }) => isCA)],
    at,
    authorities,
    usage: usages.timeStamping,
  });
  if (!chain.ok) return new Fault(`failed to verify TSA certificate: ${chain.why}`);
  const why = await token.refuses(data, leaf.key);
  if (why !== undefined) return new Fault(`error verifying timestamp response: ${why}`);
  return { at, accuracy, chain: chain.chain };
}
