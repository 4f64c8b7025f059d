import { asList, asString, dig, Fault, field, isFault, isObject, textField } from "../../json/mod.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { base64Bytes, decodesBase64 } from "./pem.ts";
import { algorithmNamed, algorithmOf, nameInCose } from "./notary_algorithms.ts";
import type { Signed } from "./public_key.ts";
import { parsePayload } from "./payload.ts";

/** A Notary Project signature from an envelope of either format (JWS, COSE). Nothing in it is verified yet. */
export interface NotaryEnvelope {
  /** Leaf first. */
  readonly chain: readonly Certificate[];
  readonly signed: Signed;
  /** JSON that names the signed artifact. */
  readonly payload: Uint8Array;
  readonly scheme: string;
  readonly expiry: Date | undefined;
  /** The token of a timestamp authority (RFC 3161) over the signature; absent when there is none. */
  readonly timestamp: Uint8Array | undefined;
}

const scheme = "io.cncf.notary.signingScheme", expiry = "io.cncf.notary.expiry";
/** The field of the unsigned header that holds the timestamp, in both formats. */
const timestampField = "io.cncf.notary.timestampSignature";
/**
 * The critical header fields that this verifier implements. The specification demands that a verifier refuses any
 * other critical field.
 */
const understood: readonly string[] = [scheme, expiry, "io.cncf.notary.authenticSigningTime"];
const maxChain = 11;

/** Reads the envelope in a layer of the given media type. */
export async function readNotaryEnvelope(
  bytes: Uint8Array,
  mediaType: string,
): Promise<NotaryEnvelope | Fault> {
  switch (mediaType) {
    case "application/jose+json":
      return await readJws(bytes);
    case "application/cose":
      return await readCose(bytes);
    default:
      return new Fault(
        `signature envelope format with media type ${JSON.stringify(mediaType)} is not supported`,
      );
  }
}

/** The fields that the reader of either envelope format (JWS, COSE) returns. */
interface Parts {
  readonly algorithm: string;
  readonly critical: readonly unknown[];
  readonly scheme: string;
  readonly expiry: Date | undefined;
  readonly timestamp: Uint8Array | undefined;
  readonly chain: readonly (Uint8Array | undefined)[];
  readonly payload: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

async function readJws(bytes: Uint8Array): Promise<NotaryEnvelope | Fault> {
  const value = parsePayload(new TextDecoder().decode(bytes));
  const text = (name: string): string => textField(value, name);
  const payload = base64UrlBytes(text("payload")), signature = base64UrlBytes(text("signature"));
  const protectedBytes = base64UrlBytes(text("protected"));
  const head = parsePayload(new TextDecoder().decode(protectedBytes ?? new Uint8Array()));
  if (payload === undefined || signature === undefined || !isObject(head)) {
    return new Fault("the JWS envelope cannot be read");
  }
  const expires = asString(head[expiry]);
  return await envelopeOf({
    algorithm: asString(head["alg"]) ?? "",
    critical: asList(head["crit"]),
    scheme: asString(head[scheme]) ?? "",
    expiry: expires === undefined ? undefined : new Date(expires),
    chain: asList(field(field(value, "header"), "x5c")).map((each) => base64Bytes(asString(each) ?? "")),
    timestamp: base64Bytes(asString(dig(value ?? null, "header", timestampField)) ?? ""),
    payload,
    signature,
    message: new TextEncoder().encode(`${text("protected")}.${text("payload")}`),
  });
}

async function readCose(bytes: Uint8Array): Promise<NotaryEnvelope | Fault> {
  const { decode, encode, Tag } = await import("cbor2");
  try {
    const tagged: unknown = decode(bytes);
    const contents = tagged instanceof Tag && Number(tagged.tag) === 18 ? tagged.contents : tagged;
    const [head, loose, payload, signature] = Array.isArray(contents) ? contents as unknown[] : [];
    if (!isBytes(head) || !isBytes(payload) || !isBytes(signature)) {
      return new Fault("the COSE envelope cannot be read");
    }
    const fields: unknown = decode(head);
    const expires = inMap(fields, expiry), chain = inMap(loose, 33), stamp = inMap(loose, timestampField);
    return await envelopeOf({
      algorithm: nameInCose(Number(inMap(fields, 1))),
      critical: asUnknowns(inMap(fields, 2)),
      scheme: String(inMap(fields, scheme) ?? ""),
      expiry: expires === undefined ? undefined : expires instanceof Date ? expires : new Date(NaN),
      chain: (isBytes(chain) ? [chain] : asUnknowns(chain)).map((each) => isBytes(each) ? each : undefined),
      timestamp: isBytes(stamp) ? new Uint8Array(stamp) : undefined,
      payload: new Uint8Array(payload),
      signature: new Uint8Array(signature),
      // RFC 9052 §4.4.
      message: new Uint8Array(
        encode(["Signature1", new Uint8Array(head), new Uint8Array(), new Uint8Array(payload)]),
      ),
    });
  } catch (cause) {
    return new Fault(`the COSE envelope cannot be read: ${cause instanceof Error ? cause.message : cause}`);
  }
}

async function envelopeOf(parts: Parts): Promise<NotaryEnvelope | Fault> {
  const algorithm = algorithmNamed(parts.algorithm);
  if (algorithm === undefined) return new Fault("the signature algorithm is not supported");
  const unknown = parts.critical.find((each) => typeof each !== "string" || !understood.includes(each));
  if (unknown !== undefined) return new Fault(`the critical attribute ${String(unknown)} is not supported`);
  if (parts.expiry !== undefined && Number.isNaN(parts.expiry.getTime())) {
    return new Fault("the expiry of the signature cannot be read");
  }
  if (parts.chain.length === 0 || parts.chain.length > maxChain) {
    return new Fault(`the signature has ${parts.chain.length} certificates`);
  }
  const chain: Certificate[] = [];
  for (const der of parts.chain) {
    const certificate = der === undefined
      ? new Fault("a certificate is no base64")
      : await readCertificate(der);
    if (isFault(certificate)) return certificate;
    chain.push(certificate);
  }
  const ofKey = algorithmOf(chain[0]!.key);
  // The check of the chain refuses a key that has no algorithm.
  if (ofKey !== undefined && ofKey !== algorithm) {
    return new Fault(
      `the signature has the algorithm ${algorithm.name}, and the key of the signing certificate is for ${ofKey.name}`,
    );
  }
  const { message, signature, payload, scheme, expiry } = parts;
  const timestamp = parts.timestamp?.length === 0 ? undefined : parts.timestamp;
  const how = algorithm.kind === "rsa" ? { padding: "pss" as const } : { form: "plain" as const };
  return {
    chain,
    payload,
    scheme,
    expiry,
    timestamp,
    signed: { message, signature, hash: algorithm.hash, ...how },
  };
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

function asUnknowns(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A field of a CBOR map, which is a `Map` when any of its keys is a number. */
function inMap(map: unknown, key: string | number): unknown {
  if (map instanceof Map) return map.get(key);
  if (typeof map !== "object" || map === null || !Object.hasOwn(map, key)) return undefined;
  return (map as Record<string | number, unknown>)[key];
}

function base64UrlBytes(text: string): Uint8Array | undefined {
  try {
    if (decodesBase64) return Uint8Array.fromBase64(text, { alphabet: "base64url" });
  } catch {
    return undefined;
  }
  if (!/^[\w-]*$/.test(text)) return undefined;
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  return base64Bytes(standard.padEnd(Math.ceil(text.length / 4) * 4, "="));
}
