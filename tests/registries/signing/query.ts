/** Queries to the port of signatures. */
import type { LogTrust, SignatureQuery } from "../../../lib/ports.ts";

/** No log must have the signature, and no certificate log the certificate. */
export const noLog: LogTrust = {
  ignoreTlog: true,
  rekorUrl: "",
  rekorKey: "",
  ignoreSct: true,
  ctlogKey: "",
  tsaChain: "",
  trustedRoot: "",
  tufMirror: "",
};

/** A query whether an image is signed by a public key, with what differs. */
export function queryByKey(image: string, key: string, change: Partial<SignatureQuery> = {}): SignatureQuery {
  return {
    image,
    layout: "tag",
    want: "signature",
    by: { kind: "key", key, hash: "sha256" },
    log: noLog,
    annotations: {},
    annotationsIn: "payload",
    repository: "",
    tagPrefix: "",
    credentials: {},
    useCache: true,
    ...change,
  };
}
