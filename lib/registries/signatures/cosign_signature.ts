import { asString, Fault, field, isFault } from "../../json/mod.ts";
import type { AuthorityCertificates } from "./authority_certificates.ts";
import { type Certificate, certificatePem, mostCarried, readCertificates } from "./certificate.ts";
import { refusesCertificateTimestamp } from "./certificate_timestamp.ts";
import { buildChain, usages } from "./chain.ts";
import { noChain } from "./cosign_signer.ts";
import type { CosignTrust } from "./cosign_trust.ts";
import type { IdentityPatterns } from "./identity.ts";
import { type LogEntry, readLogBundle, refusesLogEntry } from "./log_entry.ts";
import { sameBytes } from "../../bytes/mod.ts";
import { base64Bytes } from "./pem.ts";
import type { Hash, PublicKey } from "./public_key.ts";
import type { SignedMessage } from "./signed_message.ts";
import { timestampOf } from "./timestamp.ts";
import { parsePayload } from "./payload.ts";

/** One signature as Cosign stores it: a layer and its annotations. */
export interface CosignSignature {
  /** The layer's digest. */
  readonly digest: string;
  /** The blob: the payload that was signed, or for attestations the envelope. */
  readonly payload: Uint8Array;
  /** Base64; empty for attestations. */
  readonly signature: string;
  /** PEM; empty for none. */
  readonly certificate: string;
  /** PEM of the certificates above the signer's; never trusted. Empty for none. */
  readonly chain: string;
  /** JSON of a log entry; empty for none. */
  readonly bundle: string;
  /** JSON of a timestamp; empty for none. */
  readonly timestamp: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The checks that differ between image signatures and attestations. */
export interface SignatureContent {
  /** The signature in the log entry is over it too. */
  readonly message: SignedMessage;
  /** Why the signature does not verify. */
  refusesSignature(key: PublicKey, hash: Hash): Promise<string | undefined>;
  /** Why the signed content is about another artifact. */
  refusesClaim(): string | undefined;
}

/** The clock, the transparency log and the caches that a check reads. */
export interface CheckPorts {
  /** Milliseconds since 1970. */
  now(): number;
  readonly patterns: IdentityPatterns;
  readonly authorities: AuthorityCertificates;
  /** Finds the log entry of a signature that carries none; a text says in Kyverno's words why there is none. */
  findEntry(url: string, search: EntrySearch): Promise<LogEntry | string>;
}

/** The signature whose entry is searched in a log. */
export interface EntrySearch {
  readonly payload: Uint8Array;
  readonly signature: string;
  /** PEM. */
  readonly signer: string;
}

/** The result of checking one signature: the signer's certificate, or why the signature does not verify. */
export type SignatureCheck =
  | {
    readonly ok: true;
    readonly certificate: Certificate | undefined;
    /** When the verdict expires; `undefined` when a log or a timestamp proved the time of signing, or for keys. */
    readonly until: Date | undefined;
  }
  | { readonly ok: false; readonly why: string };

/**
 * Checks one signature against the keys, roots and logs of a policy's entry, in cosign's order: timestamp, log,
 * certificate, signature, claim, time.
 */
export async function checkCosignSignature(
  signature: CosignSignature,
  { content, trust, ports }: {
    readonly content: SignatureContent;
    readonly trust: CosignTrust;
    readonly ports: CheckPorts;
  },
): Promise<SignatureCheck> {
  const read = signature.certificate === ""
    ? []
    : await readCertificates(signature.certificate, { most: mostCarried });
  if (isFault(read)) return refused(read.message);
  const certificate = read[0];
  const stamped = await timestampTime(signature, trust, ports);
  if (typeof stamped === "string") return refused(stamped);
  const logged = await logTime(signature, { certificate, content, trust, ports });
  if (typeof logged === "string") return refused(logged);
  const signer = trust.key === undefined
    ? await certificateSigner(signature, certificate, { trust, ports })
    : { key: trust.key, hash: trust.hash, chain: [] };
  if (typeof signer === "string") return refused(signer);
  const why = await content.refusesSignature(signer.key, signer.hash) ?? content.refusesClaim();
  if (why !== undefined) return refused(why);
  if (certificate === undefined) return { ok: true, certificate, until: undefined };
  const times = { logged, stamped, now: new Date(ports.now()), ignoresLog: trust.logs === undefined };
  const late = refusesTime(certificate, signer.chain, times);
  if (late !== undefined) return refused(late);
  const proved = logged !== undefined || stamped !== undefined;
  return { ok: true, certificate, until: proved ? undefined : certificate.notAfter };
}

function refused(why: string): SignatureCheck {
  return { ok: false, why };
}

/** When a timestamp authority saw the signature; `undefined` without a timestamp or a trusted authority. */
async function timestampTime(
  { timestamp, signature, payload }: CosignSignature,
  { timestamps }: CosignTrust,
  { authorities }: CheckPorts,
): Promise<Date | undefined | string> {
  if (timestamps === undefined || timestamp === "") return undefined;
  const response = base64Bytes(asString(field(parsePayload(timestamp), "SignedRFC3161Timestamp")) ?? "");
  const signed = signature === "" ? payload : base64Bytes(signature);
  if (response === undefined || signed === undefined) {
    return "unable to verify RFC3161 timestamp bundle: it cannot be read";
  }
  const time = await timestampOf(response, signed, { ...timestamps, authorities });
  return isFault(time) ? `unable to verify RFC3161 timestamp bundle: ${time.message}` : time;
}

interface Logging {
  readonly certificate: Certificate | undefined;
  readonly content: SignatureContent;
  readonly trust: CosignTrust;
  readonly ports: CheckPorts;
}

/** When the log recorded the signature; `undefined` when the policy ignores the log. */
async function logTime(
  { payload, signature, bundle }: CosignSignature,
  { certificate, content, trust: { key, logs, rekorUrl }, ports }: Logging,
): Promise<Date | undefined | string> {
  if (logs === undefined) return undefined;
  const signer = signerOf(key, certificate);
  // The search comes before the message is read, which may take megabytes.
  const logged = () => ({ payload, signature, message: content.message, signer, certificate });
  if (bundle !== "") {
    const entry = readLogBundle(bundle);
    if (isFault(entry)) return `error verifying bundle: ${entry.message}`;
    const why = await refusesLogEntry(entry, logged(), logs);
    return why === undefined ? new Date(entry.integratedTime * 1_000) : `error verifying bundle: ${why}`;
  }
  if (isFault(signer)) return signer.message;
  const found = await ports.findEntry(rekorUrl, { payload, signature, signer });
  if (typeof found === "string") return found;
  const why = await refusesLogEntry(found, logged(), logs);
  return why === undefined ? new Date(found.integratedTime * 1_000) : why;
}

/** The signer that the log's entry must name, as PEM. */
function signerOf(key: PublicKey | undefined, certificate: Certificate | undefined): string | Fault {
  if (key === undefined) {
    return certificate === undefined ? new Fault("empty key") : certificatePem(certificate);
  }
  return certificate === undefined || sameBytes(key.spki, certificate.key.spki)
    ? key.pem
    : new Fault("both public key and certificate were provided but did not match");
}

interface CertifiedSigner {
  readonly key: PublicKey;
  readonly hash: Hash;
  readonly chain: readonly Certificate[];
}

/** The key of the signer's certificate, which must lead to a root that the policy trusts. */
async function certificateSigner(
  { chain: signatureChain }: CosignSignature,
  certificate: Certificate | undefined,
  { trust: { anchorsAt, certificateLogs }, ports: { authorities } }: Pick<Logging, "trust" | "ports">,
): Promise<CertifiedSigner | string> {
  if (certificate === undefined) return "no certificate found on signature";
  const carried = signatureChain === "" ? [] : await authorities.read(signatureChain, { most: mostCarried });
  if (isFault(carried)) return carried.message;
  const { roots, intermediates } = anchorsAt(certificate.notBefore);
  // The signature's chain may supply intermediates. Its last certificate is left out, because it claims to be a root.
  const built = await buildChain(certificate, {
    roots,
    intermediates: [...intermediates, ...carried.slice(0, -1).slice(0, 10)],
    at: certificate.notBefore,
    authorities,
    usage: usages.codeSigning,
  });
  if (!built.ok) return `cert verification failed: ${built.why}. ${noChain}`;
  if (certificateLogs !== undefined) {
    const why = await refusesCertificateTimestamp(
      certificate,
      built.chain[1] ?? certificate,
      certificateLogs,
    );
    if (why !== undefined) return why;
  }
  return { key: certificate.key, hash: "sha256", chain: built.chain };
}

interface Times {
  readonly logged: Date | undefined;
  readonly stamped: Date | undefined;
  readonly now: Date;
  readonly ignoresLog: boolean;
}

/** Why the certificate was not valid at the time of signing, or is not now when nothing proves that time. */
function refusesTime(
  certificate: Certificate,
  chain: readonly Certificate[],
  { logged, stamped, now, ignoresLog }: Times,
): string | undefined {
  for (const [time, source] of [[logged, "bundle"], [stamped, "timestamp"]] as const) {
    if (time === undefined) continue;
    const why = outside(certificate, time) ??
      chain.slice(1).map((each) => outside(each, time)).find((each) => each);
    if (why !== undefined) return `checking expiry on certificate with ${source}: ${why}`;
  }
  if (logged !== undefined || stamped !== undefined) return undefined;
  const why = outside(certificate, now);
  if (why === undefined) return undefined;
  return ignoresLog
    ? "expected a signed timestamp to verify an expired certificate"
    : `checking expiry on certificate with bundle: ${why}`;
}

function outside({ notBefore, notAfter }: Certificate, at: Date): string | undefined {
  if (notAfter < at) {
    return `certificate expired before observed time: ${written(notAfter)} is before ${written(at)}`;
  }
  if (notBefore > at) {
    return `certificate was issued after observed time: ${written(notBefore)} is after ${written(at)}`;
  }
  return undefined;
}

/** RFC 3339 in UTC, in whole seconds. */
function written(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}
