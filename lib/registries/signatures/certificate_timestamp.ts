import type { X509Certificate } from "@sigstore/core";
import { hexOf } from "../../bytes/mod.ts";
import { sha256 } from "../registry/sha256.ts";
import { encodedParts, encodeParts } from "./asn1.ts";
import type { Certificate } from "./certificate.ts";
import type { Hash } from "./public_key.ts";
import type { LogKey } from "./trust.ts";

const timestampListOid = "1.3.6.1.4.1.11129.2.4.2";
/** The tag of a certificate's extensions (RFC 5280 §4.1). */
const extensionsTag = 3;
const sequenceTag = 0x30;
const hashes: readonly string[] = ["sha256", "sha384", "sha512"];
/** A certificate carries one or two. */
const maxTimestamps = 10;

/**
 * Why a certificate does not prove that a certificate transparency log recorded it (RFC 6962 §3.2); `undefined` when it
 * does. `issuer` is the certificate above it in the chain.
 */
export async function refusesCertificateTimestamp(
  certificate: Certificate,
  issuer: Certificate,
  logs: ReadonlyMap<string, LogKey>,
): Promise<string | undefined> {
  if (!certificate.extensions.has(timestampListOid)) {
    return "certificate does not include required embedded SCT and no detached SCT was set";
  }
  if (logs.size === 0) return "none of the CTFE keys have been found";
  const { X509Certificate } = await import("@sigstore/core");
  const parsed = X509Certificate.parse(Buffer.from(certificate.der));
  let timestamps;
  try {
    timestamps = parsed.extSCT!.signedCertificateTimestamps;
  } catch (cause) {
    return `the list of certificate timestamps is broken: ${cause instanceof Error ? cause.message : cause}`;
  }
  if (timestamps.length === 0 || timestamps.length > maxTimestamps) return "no SCTs found";
  const body = precertificateBody(parsed);
  const issuerId = await sha256(issuer.key.spki);
  for (const timestamp of timestamps) {
    const log = logs.get(hexOf(new Uint8Array(timestamp.logID)));
    const at = timestamp.datetime;
    if (log === undefined || at < log.from || at > log.until || !hashes.includes(timestamp.algorithm)) {
      continue;
    }
    const message = signedPart(timestamp, issuerId, body);
    const signature = new Uint8Array(timestamp.signature);
    const why = await log.key.refuses({ message, signature, hash: timestamp.algorithm as Hash });
    return why === undefined ? undefined : `error verifying embedded SCT: ${why}`;
  }
  return "ctfe public key not found for payload. Check your TUF root (see cosign initialize) or set a custom key " +
    "with env var SIGSTORE_CT_LOG_PUBLIC_KEY_FILE";
}

/** The body of the certificate that the log signed: it lacks the list of timestamps (RFC 6962 §3.2). */
function precertificateBody({ tbsCertificate, extensions }: X509Certificate): Uint8Array {
  const list = tbsCertificate.subs.findIndex(({ tag }) => tag.isContextSpecific(extensionsTag));
  const kept = encodedParts(tbsCertificate.subs[list]!.subs[0]!).filter((_, index) =>
    extensions[index]!.subs[0]!.toOID() !== timestampListOid
  );
  const parts = [...encodedParts(tbsCertificate)];
  parts[list] = encodeParts(0xa0 | extensionsTag, [encodeParts(sequenceTag, kept)]);
  return encodeParts(sequenceTag, parts);
}

interface SignedTimestamp {
  readonly version: number;
  readonly timestamp: Uint8Array;
  readonly extensions: Uint8Array;
}

/** The `digitally-signed` structure of RFC 6962 §3.2 for a precertificate. */
function signedPart(
  { version, timestamp, extensions }: SignedTimestamp,
  issuerId: Uint8Array,
  body: Uint8Array,
): Uint8Array {
  const { length } = body;
  return new Uint8Array([
    version,
    0, // certificate_timestamp
    ...timestamp,
    0,
    1, // precert_entry
    ...issuerId,
    length >> 16 & 0xff,
    length >> 8 & 0xff,
    length & 0xff,
    ...body,
    extensions.length >> 8,
    extensions.length & 0xff,
    ...extensions,
  ]);
}
