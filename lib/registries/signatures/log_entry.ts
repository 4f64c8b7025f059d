import { hexOf } from "../../bytes/mod.ts";
import {
  asList,
  asString,
  dig,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  textField,
} from "../../json/mod.ts";
import { sha256 } from "../registry/sha256.ts";
import { base64Bytes, base64Text, pemBlocks } from "./pem.ts";
import { sameBytes } from "../../bytes/mod.ts";
import { PublicKey } from "./public_key.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import type { SignedMessage } from "./signed_message.ts";
import type { LogKey } from "./trust.ts";
import { parsePayload } from "./payload.ts";

/** An entry of a transparency log with the log's promise to include it. */
export interface LogEntry {
  /** Base64 of the entry's JSON. */
  readonly body: string;
  /** Seconds since 1970. */
  readonly integratedTime: number;
  readonly logId: string;
  readonly logIndex: number;
  readonly promise: Uint8Array;
}

/** The signature that a log entry must record. */
export interface LoggedSignature {
  /** The signed content: the payload, or for attestations the envelope. */
  readonly payload: Uint8Array;
  /** Base64; empty for attestations, which carry theirs in the envelope. */
  readonly signature: string;
  /** The message that the entry's key signed; it differs from the payload for attestations. */
  readonly message: SignedMessage;
  /** The signer's certificate or public key: PEM. A fault says why there is none; earlier checks come before it. */
  readonly signer: string | Fault;
  /** The certificate beside the signature. An entry that holds the same one is not parsed again. */
  readonly certificate: Certificate | undefined;
}

/** Reads the annotation `dev.sigstore.cosign/bundle`. */
export function readLogBundle(text: string): LogEntry | Fault {
  const bundle = parsePayload(text);
  const payload = field(bundle, "Payload");
  const promise = base64Bytes(textField(bundle, "SignedEntryTimestamp"));
  const body = asString(field(payload, "body")), logId = asString(field(payload, "logID"));
  const integratedTime = field(payload, "integratedTime"), logIndex = field(payload, "logIndex");
  if (
    promise === undefined || body === undefined || logId === undefined ||
    !Number.isSafeInteger(integratedTime) || !Number.isSafeInteger(logIndex)
  ) return new Fault("unmarshaling bundle: this is no bundle of a transparency log");
  return {
    body,
    logId,
    promise,
    integratedTime: integratedTime as number,
    logIndex: logIndex as number,
  };
}

/**
 * Why a log entry does not prove that the log has a signature; `undefined` when it does. It checks in cosign's order.
 */
export async function refusesLogEntry(
  entry: LogEntry,
  expected: LoggedSignature,
  logs: ReadonlyMap<string, LogKey>,
): Promise<string | undefined> {
  // A trusted root may also have newer logs, whose entries occur in bundles alone, so one ECDSA key suffices.
  const [first] = logs;
  if (first !== undefined && [...logs.values()].every(({ key }) => key.kind !== "ecdsa")) {
    return `rekor Public key for LogID ${first[0]} is not type ecdsa.PublicKey`;
  }
  const bytes = base64Bytes(entry.body);
  const record = recordOf(parsePayload(new TextDecoder().decode(bytes ?? new Uint8Array())));
  if (isFault(record)) return `failed to extract signature from bundle: ${record.message}`;
  const problem = await refusesRecord(record, expected);
  if (problem !== undefined) return problem;
  const log = logs.get(entry.logId);
  const at = new Date(entry.integratedTime * 1_000);
  if (log === undefined || at < log.from || at > log.until) {
    return "verifying bundle: rekor log public key not found for payload";
  }
  const promised = await log.key.refuses({
    message: promisedBytes(entry),
    signature: entry.promise,
    hash: "sha256",
  });
  if (promised !== undefined) return "unable to verify SET";
  return await refusesHash(record, expected.payload);
}

/** The body of a log entry: the hash of the content, and its signer. */
interface Recorded {
  readonly algorithm: string;
  readonly hash: string;
  /** Base64 of the signature; empty where the entry is about an envelope. */
  readonly signature: string;
  /** Signatures of the envelope; empty where the entry has only its hash. */
  readonly envelopeSignature: string;
  /** PEM. */
  readonly signer: string;
}

function recordOf(body: Json | undefined): Recorded | Fault {
  const spec = field(body, "spec");
  const kind = textField(body, "kind"), version = textField(body, "apiVersion");
  const text = (...path: string[]): string => asString(dig(spec, ...path)) ?? "";
  switch (`${kind} ${version}`) {
    case "hashedrekord 0.0.1":
      return {
        algorithm: text("data", "hash", "algorithm"),
        hash: text("data", "hash", "value"),
        signature: text("signature", "content"),
        envelopeSignature: "",
        signer: base64Text(text("signature", "publicKey", "content")),
      };
    case "dsse 0.0.1": {
      const [first, ...more] = asList(dig(spec, "signatures"));
      if (first === undefined || more.length > 0) return new Fault("the entry has not one signature");
      return {
        algorithm: text("envelopeHash", "algorithm"),
        hash: text("envelopeHash", "value"),
        signature: "",
        envelopeSignature: textField(first, "signature"),
        signer: base64Text(textField(first, "verifier")),
      };
    }
    case "intoto 0.0.1":
      return {
        algorithm: text("content", "hash", "algorithm"),
        hash: text("content", "hash", "value"),
        signature: "",
        envelopeSignature: "",
        signer: base64Text(text("publicKey")),
      };
    default:
      return isObject(body)
        ? new Fault(`entries of kind ${kind} ${version} are not supported`)
        : new Fault("the entry is no JSON object");
  }
}

/** Why an entry records another signature or signer, or why its signature does not verify. */
async function refusesRecord(record: Recorded, expected: LoggedSignature): Promise<string | undefined> {
  const key = await keyIn(record.signer, expected.certificate);
  if (isFault(key)) return `failed to extract key from bundle: ${key.message}`;
  const signature = record.signature === "" ? record.envelopeSignature : record.signature;
  if (signature !== "") {
    const bytes = base64Bytes(signature);
    if (bytes === undefined) return "failed to extract signature from bundle: illegal base64 data";
    const why = await expected.message.refuses(key, bytes, "sha256");
    if (why !== undefined) return `failed to extract signature from bundle: verifying signature: ${why}`;
  }
  if (record.signature !== "" && record.signature !== expected.signature) {
    return "signature in bundle does not match signature being verified";
  }
  if (isFault(expected.signer)) return expected.signer.message;
  return sameSigner(record.signer, expected.signer)
    ? undefined
    : `comparing public key PEMs, expected ${expected.signer}, got ${record.signer}`;
}

async function refusesHash(record: Recorded, payload: Uint8Array): Promise<string | undefined> {
  if (record.algorithm !== "sha256") return `unexpected algorithm: ${JSON.stringify(record.algorithm)}`;
  const hash = hexOf(await sha256(payload));
  return hash === record.hash
    ? undefined
    : `matching bundle to payload: bundle=${JSON.stringify(record.hash)}, payload=${JSON.stringify(hash)}`;
}

/** The bytes that the log signed: canonical JSON (RFC 8785), which needs the keys in this order. */
function promisedBytes({ body, integratedTime, logId, logIndex }: LogEntry): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ body, integratedTime, logID: logId, logIndex }));
}

/** Reads the key from the PEM of a public key or of a certificate. `read` is a certificate that was read before. */
async function keyIn(pem: string, read: Certificate | undefined): Promise<PublicKey | Fault> {
  const [der] = pemBlocks(pem, "CERTIFICATE");
  if (der === undefined) return PublicKey.fromPem(pem);
  if (read !== undefined && sameBytes(read.der, der)) return read.key;
  const certificate = await readCertificate(der);
  return isFault(certificate) ? certificate : certificate.key;
}

/** Whether two PEM texts hold the same first block; line breaks do not matter. */
function sameSigner(a: string, b: string): boolean {
  return ["CERTIFICATE", "PUBLIC KEY"].some((type) => {
    const [one] = pemBlocks(a, type), [other] = pemBlocks(b, type);
    return one !== undefined && other !== undefined && sameBytes(one, other);
  });
}
