import { Fault, isFault } from "../../json/mod.ts";
import type { LogTrust, Signer } from "../../ports.ts";
import type { AuthorityCertificates } from "./authority_certificates.ts";
import { readSigner, refusesLength, type RootSource, type SignerTrust } from "./cosign_signer.ts";
import { namedKey } from "./public_key.ts";
import { type TimestampTrust, timestampTrust } from "./timestamp.ts";
import { type LogKey, singleLog } from "./trust.ts";

/**
 * The keys, roots and logs that verify a signature in Cosign's layout. They come from a policy's entry; the trusted
 * root fills what the entry leaves out.
 */
export interface CosignTrust extends SignerTrust {
  /** Transparency logs by ID; absent when the log is ignored. */
  readonly logs: ReadonlyMap<string, LogKey> | undefined;
  readonly rekorUrl: string;
  /** Certificate transparency logs by ID; absent when they are ignored. */
  readonly certificateLogs: ReadonlyMap<string, LogKey> | undefined;
  readonly timestamps: TimestampTrust | undefined;
}

/** Certificates in the chain of a timestamp authority, with the leaf and the root. */
const maxTsaChain = 12;

/**
 * Reads the entry of a policy, in the order in which Kyverno reads it: the message names the first text that cannot
 * be read, even when no check would use it. Keys by reference (`k8s://…`) must have been replaced by their text.
 */
export async function readCosignTrust(
  { by, log, chainTimestamp = "demanded" }: TrustTexts,
  root: RootSource,
  authorities: AuthorityCertificates,
): Promise<CosignTrust | Fault> {
  const certificateLogs = await readCertificateLogs(log, by, root);
  const usedLogs = chainTimestamp === "demanded" || isFault(certificateLogs) ? new Map() : certificateLogs;
  const signer = await readSigner(by, { root, authorities, certificateLogs: usedLogs });
  if (isFault(signer)) return signer;
  const logs = await readLogs(log, root);
  if (isFault(logs)) return logs;
  if (isFault(certificateLogs)) return certificateLogs;
  const timestamps = log.tsaChain === "" ? undefined : await readTimestamps(log.tsaChain, authorities);
  if (isFault(timestamps)) return timestamps;
  return { ...signer, logs, certificateLogs, timestamps, rekorUrl: log.rekorUrl };
}

/** The texts of a policy's entry from which {@link readCosignTrust} reads keys, certificates and logs. */
export interface TrustTexts {
  readonly by: Signer;
  readonly log: LogTrust;
  /**
   * Which certificate timestamp a certificate needs that the policy names with its chain. `demanded`: one, but no log
   * can verify it, as in Kyverno's `verifyImages`. `as the policy says`: as the policy's certificate logs demand.
   */
  readonly chainTimestamp?: "demanded" | "as the policy says";
}

async function readLogs(log: LogTrust, root: RootSource): Promise<CosignTrust["logs"] | Fault> {
  if (log.ignoreTlog) return undefined;
  if (log.rekorKey !== "") {
    const key = namedKey("rekor public keys", log.rekorKey);
    return isFault(key)
      ? new Fault(`failed to load Rekor public keys: ${key.message}`)
      : await singleLog(key);
  }
  const trusted = await root();
  return isFault(trusted) ? new Fault(`failed to load Rekor public keys: ${trusted.message}`) : trusted.logs;
}

/** Reads the certificate logs. A signer with a key needs none, so it does not need the trusted root either. */
async function readCertificateLogs(
  log: LogTrust,
  by: Signer,
  root: RootSource,
): Promise<CosignTrust["certificateLogs"] | Fault> {
  if (log.ignoreSct) return undefined;
  if (log.ctlogKey !== "") {
    const key = namedKey("transparency log public keys", log.ctlogKey);
    return isFault(key)
      ? new Fault(`failed to load CTLogs public keys: ${key.message}`)
      : await singleLog(key);
  }
  if (by.kind === "key") return undefined;
  const trusted = await root();
  return isFault(trusted)
    ? new Fault(`failed to load CTLogs public keys: ${trusted.message}`)
    : trusted.certificateLogs;
}

async function readTimestamps(
  text: string,
  authorities: AuthorityCertificates,
): Promise<TimestampTrust | Fault> {
  const what = "TSA certificate chain contains too many certificates";
  const tooLong = refusesLength(text, what, maxTsaChain);
  if (tooLong !== undefined) return tooLong;
  const chain = await authorities.read(text);
  if (isFault(chain)) return new Fault(`error splitting tsa certificates: ${chain.message}`);
  return timestampTrust(chain);
}
