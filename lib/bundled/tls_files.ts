import { Fault } from "../json/mod.ts";
import type { Settings } from "./settings.ts";

/** The paths of a certificate and of its key. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/**
 * The files with which a bundle serves TLS; `undefined` when neither is set. One alone is a fault: a user who sets it
 * expects TLS, and reviews contain Secrets.
 */
export function tlsFiles(settings: Settings): TlsFiles | undefined | Fault {
  const cert = settings("POSTERN_CERT_FILE"), key = settings("POSTERN_KEY_FILE");
  if (cert === undefined && key === undefined) return undefined;
  return cert === undefined || key === undefined
    ? new Fault("POSTERN_CERT_FILE and POSTERN_KEY_FILE belong together: one of them is not set")
    : { cert, key };
}
