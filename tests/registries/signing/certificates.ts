/** Keys, certificates, certificate timestamps and signed timestamps that tests make. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import * as asn1 from "./der.ts";

/** A key pair. */
export interface Keys {
  readonly secret: KeyObject;
  /** PEM. */
  readonly pem: string;
  readonly spki: Uint8Array;
}

/** `rsa` has 2048 bits. */
export type KeyKind = "P-256" | "P-384" | "P-521" | "rsa" | "rsa 1024" | "rsa 3072" | "rsa 4096" | "ed25519";

export function newKeys(kind: KeyKind = "P-256"): Keys {
  const pair = kind.startsWith("rsa")
    ? generateKeyPairSync("rsa", { modulusLength: Number(kind.slice(4) || 2048) })
    : kind === "ed25519"
    ? generateKeyPairSync("ed25519")
    : generateKeyPairSync("ec", { namedCurve: kind });
  return {
    secret: pair.privateKey,
    pem: String(pair.publicKey.export({ type: "spki", format: "pem" })),
    spki: new Uint8Array(pair.publicKey.export({ type: "spki", format: "der" })),
  };
}

/** A signature of a P-256 key, or of an Ed25519 or RSA key, over SHA-256 unless another hash is named. */
export function signed(keys: Keys, message: Uint8Array, hash = "sha256"): Uint8Array {
  const ed25519 = keys.secret.asymmetricKeyType === "ed25519";
  return new Uint8Array(sign(ed25519 ? null : hash, message, keys.secret));
}

/** The fields of a certificate to issue. */
export interface CertificateFields {
  readonly name: string;
  readonly keys: Keys;
  readonly issuer?: Issued;
  readonly from?: Date;
  readonly until?: Date;
  readonly authority?: boolean;
  /** How many authorities may follow. */
  readonly pathLength?: number;
  /** OIDs of extended key usages. */
  readonly usages?: readonly string[];
  /** The content of the key usage, by default what an authority or a signer needs; `none` leaves it out. */
  readonly keyUsage?: readonly number[] | "none" | "not critical";
  readonly email?: string;
  readonly uri?: string;
  /** Further extensions by OID: their content. */
  readonly extensions?: Readonly<Record<string, Uint8Array>>;
  /** OIDs of those that are critical; the extended key usage (`2.5.29.37`) may be among them. */
  readonly critical?: readonly string[];
  /** The log that enters it into its list. */
  readonly log?: Keys;
}

/** A certificate and the key that it is for. */
export interface Issued {
  readonly name: string;
  readonly keys: Keys;
  readonly der: Uint8Array;
  readonly pem: string;
  readonly serial: number;
}

export const usage = { codeSigning: "1.3.6.1.5.5.7.3.3", timeStamping: "1.3.6.1.5.5.7.3.8" };
export const signingTime = new Date("2026-03-01T12:02:00Z");
const ecdsaSha256 = asn1.sequence(asn1.oid("1.2.840.10045.4.3.2"));
const rsaSha256 = asn1.sequence(asn1.oid("1.2.840.113549.1.1.11"), new Uint8Array([5, 0]));
const usagesOid = "2.5.29.37";
let serials = 1;

/** Issues a certificate; without an issuer it is signed with its own key. */
export function issue(fields: CertificateFields): Issued {
  const { name, keys, issuer, log } = fields;
  const serial = serials++;
  const signer = issuer?.keys ?? keys;
  const algorithm = signer.secret.asymmetricKeyType === "rsa" ? rsaSha256 : ecdsaSha256;
  const extensions = extensionsOf(fields);
  const body = (list: readonly Uint8Array[]): Uint8Array =>
    asn1.sequence(
      asn1.context(0, asn1.integer(2)),
      asn1.integer(serial),
      algorithm,
      nameOf(issuer?.name ?? name),
      asn1.sequence(
        asn1.validity(fields.from ?? new Date("2026-01-01T00:00:00Z")),
        asn1.validity(fields.until ?? new Date("2056-01-01T00:00:00Z")),
      ),
      nameOf(name),
      keys.spki,
      asn1.context(3, asn1.sequence(...list)),
    );
  const all = log === undefined ? extensions : [
    ...extensions,
    extension("1.3.6.1.4.1.11129.2.4.2", asn1.octets(timestampList(body(extensions), signer, log))),
  ];
  const signedBody = body(all);
  const bytes = asn1.sequence(signedBody, algorithm, asn1.bits(signed(signer, signedBody)));
  return { name, keys, serial, der: bytes, pem: pemOf("CERTIFICATE", bytes) };
}

export function pemOf(type: string, bytes: Uint8Array): string {
  return `-----BEGIN ${type}-----\n${
    bytes.toBase64().match(/.{1,64}/g)!.join("\n")
  }\n-----END ${type}-----\n`;
}

export function nameOf(name: string): Uint8Array {
  return asn1.sequence(asn1.set(asn1.sequence(asn1.oid("2.5.4.3"), asn1.utf8(name))));
}

function extensionsOf(fields: CertificateFields): Uint8Array[] {
  const { authority = false, pathLength, usages = [], email, uri, extensions = {}, critical = [] } = fields;
  const names = [
    ...(email === undefined ? [] : [asn1.der(0x81, asn1.bytesOf(email))]),
    ...(uri === undefined ? [] : [asn1.der(0x86, asn1.bytesOf(uri))]),
  ];
  const length = pathLength === undefined ? [] : [asn1.integer(pathLength)];
  return [
    ...keyUsageOf(fields),
    ...(authority ? [extension("2.5.29.19", asn1.sequence(asn1.boolean(true), ...length), "critical")] : []),
    ...(usages.length === 0 ? [] : [
      extension(
        usagesOid,
        asn1.sequence(...usages.map(asn1.oid)),
        critical.includes(usagesOid) ? "critical" : undefined,
      ),
    ]),
    ...(names.length === 0 ? [] : [extension("2.5.29.17", asn1.sequence(...names), "critical")]),
    ...Object.entries(extensions).map(([id, content]) =>
      extension(id, content, critical.includes(id) ? "critical" : undefined)
    ),
  ];
}

function keyUsageOf({ keyUsage = [], authority = false }: CertificateFields): Uint8Array[] {
  if (keyUsage === "none") return [];
  // keyCertSign for authorities, digitalSignature for others.
  const usual = authority ? [2, 0x04] : [7, 0x80];
  const bits = keyUsage === "not critical" || keyUsage.length === 0 ? usual : keyUsage;
  const critical = keyUsage === "not critical" ? undefined : "critical";
  return [extension("2.5.29.15", asn1.der(0x03, new Uint8Array(bits)), critical)];
}

function extension(id: string, content: Uint8Array, critical?: "critical"): Uint8Array {
  const flag = critical === undefined ? [] : [asn1.boolean(true)];
  return asn1.sequence(asn1.oid(id), ...flag, asn1.octets(content));
}

/** The list with one timestamp of a certificate transparency log (RFC 6962 §3.2). */
function timestampList(body: Uint8Array, issuer: Keys, log: Keys): Uint8Array {
  const at = new Uint8Array(8);
  new DataView(at.buffer).setBigUint64(0, BigInt(signingTime.getTime()));
  const length = new Uint8Array([body.length >> 16, body.length >> 8 & 0xff, body.length & 0xff]);
  const message = asn1.joined([
    new Uint8Array([0, 0]),
    at,
    new Uint8Array([0, 1]),
    sha256(issuer.spki),
    length,
    body,
    new Uint8Array([0, 0]),
  ]);
  const signature = signed(log, message);
  const one = asn1.joined([
    new Uint8Array([0]),
    sha256(log.spki),
    at,
    new Uint8Array([0, 0, 4, 3]),
    sized(signature),
  ]);
  return sized(sized(one));
}

function sized(bytes: Uint8Array): Uint8Array {
  return asn1.joined([new Uint8Array([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(bytes).digest());
}

/** How a timestamp differs from the usual one. */
export interface TimestampOptions {
  readonly at?: Date;
  /** Certificates in it, besides the authority's. */
  readonly carries?: readonly Issued[];
  /** By how many seconds it may be wrong. */
  readonly accuracy?: number;
  readonly policy?: string;
  /** The certificate whose hash is signed; `undefined` for none. */
  readonly certificate?: Issued;
}

/** A response with a signed timestamp over bytes (RFC 3161), with the authority's certificate in it. */
export function timestamp(
  data: Uint8Array,
  authority: Issued,
  issuer: Issued,
  options: TimestampOptions = {},
): Uint8Array {
  return asn1.sequence(
    asn1.sequence(asn1.integer(0)),
    timestampToken(data, authority, { ...options, issuer }),
  );
}

/** The signed timestamp alone, without the response around it. */
export function timestampToken(
  data: Uint8Array,
  authority: Issued,
  options: TimestampOptions & { readonly issuer: Issued },
): Uint8Array {
  const { at = signingTime, carries = [], accuracy, policy = "1.2.3.4.1", certificate, issuer } = options;
  const hash = asn1.sequence(asn1.oid("2.16.840.1.101.3.4.2.1"));
  const info = asn1.sequence(
    asn1.integer(1),
    asn1.oid(policy),
    asn1.sequence(hash, asn1.octets(sha256(data))),
    asn1.integer(42),
    asn1.time(at),
    ...(accuracy === undefined ? [] : [asn1.sequence(asn1.integer(accuracy))]),
  );
  const attribute = (id: string, value: Uint8Array) => asn1.sequence(asn1.oid(id), asn1.set(value));
  const attributes = [
    attribute("1.2.840.113549.1.9.3", asn1.oid("1.2.840.113549.1.9.16.1.4")),
    attribute("1.2.840.113549.1.9.4", asn1.octets(sha256(info))),
  ];
  if (certificate !== undefined) {
    const named = asn1.sequence(asn1.octets(sha256(certificate.der)));
    attributes.push(attribute("1.2.840.113549.1.9.16.2.47", asn1.sequence(asn1.sequence(named))));
  }
  const signature = signed(authority.keys, asn1.set(...attributes));
  const isRsa = authority.keys.secret.asymmetricKeyType === "rsa";
  const signer = asn1.sequence(
    asn1.integer(1),
    asn1.sequence(nameOf(issuer.name), asn1.integer(authority.serial)),
    hash,
    asn1.context(0, ...attributes),
    isRsa ? asn1.sequence(asn1.oid("1.2.840.113549.1.1.1"), new Uint8Array([5, 0])) : ecdsaSha256,
    asn1.octets(signature),
  );
  const data7 = asn1.sequence(
    asn1.integer(3),
    asn1.set(hash),
    asn1.sequence(asn1.oid("1.2.840.113549.1.9.16.1.4"), asn1.context(0, asn1.octets(info))),
    asn1.context(0, authority.der, ...carries.map(({ der }) => der)),
    asn1.set(signer),
  );
  return asn1.sequence(asn1.oid("1.2.840.113549.1.7.2"), asn1.context(0, data7));
}
