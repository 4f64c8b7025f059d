import { gunzip } from "../../bytes/mod.ts";
import { type Fault, isFault, isObject, type JsonObject } from "../../json/mod.ts";
import { annotationsOf, decodeBase64, nameOf } from "../../kube/mod.ts";
import { parseDocuments } from "../../yaml/mod.ts";

/** The signed manifest and its signatures, read from the annotations of an object. */
export interface SignedManifest {
  /** The signed bytes; `undefined` when there is no readable message. */
  readonly message: Uint8Array | undefined;
  /** The problem to report where the message contains no manifest of the object. */
  readonly problem: string;
  /** The signatures in base64, each with its certificate and bundle. */
  readonly signatures: readonly {
    readonly signature: string;
    readonly certificate: string;
    readonly bundle: string;
  }[];
}

/**
 * The most bytes of an unpacked message: a few packed bytes can become any number, and no object of a cluster is
 * larger.
 */
const maxBytes = 1_000_000;
const maxSignatures = 20;

/**
 * Reads the annotations of a domain: `DOMAIN/message`, `DOMAIN/signature`, further signatures with `_1`, `_2` behind.
 */
export function signedManifestOf(object: JsonObject, domain: string): SignedManifest {
  const annotations = annotationsOf(object);
  const text = (name: string): string => annotations[`${domain}/${name}`] ?? "";
  const signatures = [];
  for (let index = 0; index < maxSignatures; index++) {
    const suffix = index === 0 ? "" : `_${index}`;
    const signature = text(`signature${suffix}`);
    if (signature === "") break;
    signatures.push({
      signature,
      certificate: text(`certificate${suffix}`),
      bundle: text(`bundle${suffix}`),
    });
  }
  const packed: Uint8Array | Fault = decodeBase64(text("message"));
  return isFault(packed)
    ? {
      message: undefined,
      problem: `failed to decode base64 message in the annotation: ${packed.message}`,
      signatures,
    }
    : { message: gunzipped(packed), problem: "message not found", signatures };
}

function gunzipped(bytes: Uint8Array): Uint8Array | undefined {
  const message = gunzip(bytes, maxBytes);
  return isFault(message) ? undefined : message;
}

/**
 * The document of a signed message that belongs to an object: the one of its kind and name. Kyverno parity:
 * otherwise a document about another object of the kind; it differs at least in the name. Pinned by "as a
 * manifest of another object of its kind".
 */
export function manifestFor(object: JsonObject, message: Uint8Array): JsonObject | undefined {
  let alike: JsonObject | undefined;
  for (const file of filesIn(message)) {
    const text = new TextDecoder().decode(file);
    for (const { value } of parseDocuments(text, "message").documents) {
      if (!isObject(value) || value["kind"] !== object["kind"]) continue;
      if (nameOf(value) === nameOf(object)) return value;
      alike ??= value;
    }
  }
  return alike;
}

const block = 512;

/** The files of a tar archive, which may be gzipped. A message that is not an archive is one file. */
function filesIn(packed: Uint8Array): Uint8Array[] {
  const message = packed[0] === 0x1f && packed[1] === 0x8b ? gunzipped(packed) ?? packed : packed;
  if (message.length < block || ascii(message, 257, 5) !== "ustar") return [message];
  const files: Uint8Array[] = [];
  for (let at = 0; at + block <= message.length;) {
    const size = parseInt(ascii(message, at + 124, 12), 8);
    if (ascii(message, at, 1) === "" || !Number.isInteger(size) || size < 0) break;
    const type = ascii(message, at + 156, 1);
    if (type === "0" || type === "") files.push(message.subarray(at + block, at + block + size));
    at += block + Math.ceil(size / block) * block;
  }
  return files;
}

function ascii(bytes: Uint8Array, start: number, length: number): string {
  return new TextDecoder().decode(bytes.subarray(start, start + length)).replace(/\0[^]*$/, "").trim();
}
