import type { Certificate } from "./certificate.ts";
import type { Hash } from "./public_key.ts";
import type { LogKey } from "./trust.ts";

const SCT_LIST = "1.3.6.1.4.1.11129.2.4.2";
const hashes: readonly string[] = ["sha256", "sha384", "sha512"];
/** A certificate carries one or two. */
const MAX_TIMESTAMPS = 10;

/**
 * Why a certificate does not prove that a certificate transparency log recorded it (RFC 6962 §3.2); `undefined` when it
 * does. `issuer` is the certificate above it in the chain.
 */
export async function refusesCertificateTimestamp(
  certificate: Certificate,
  issuer: Certificate,
  logs: ReadonlyMap<string, LogKey>,
): Promise<string | undefined> {
  if (certificate.extension(SCT_LIST) === undefined) {
    return "certificate does not include required embedded SCT and no detached SCT was set";
  }
  if (logs.size === 0) return "none of the CTFE keys have been found";
  const { X509SCTExtension } = await import("@sigstore/core");
  // This removes the extension from a copy, because the log signed the certificate without it.
  const copy = certificate.parsed.clone();
  const at = copy.extensions.findIndex((extension) => extension.subs[0]!.toOID() === SCT_LIST);
  const [extension] = copy.extensions.splice(at, 1);
  let timestamps;
  try {
    timestamps = new X509SCTExtension(extension!).signedCertificateTimestamps;
  } catch (cause) {
    return `the list of certificate timestamps is broken: ${cause instanceof Error ? cause.message : cause}`;
  }
  if (timestamps.length === 0 || timestamps.length > MAX_TIMESTAMPS) return "no SCTs found";
  const body = new Uint8Array(copy.tbsCertificate.toDER());
  const issuerId = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(issuer.key.spki)));
  for (const timestamp of timestamps) {
    const log = logs.get(new Uint8Array(timestamp.logID).toHex());
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
