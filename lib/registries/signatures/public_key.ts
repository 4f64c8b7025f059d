import { createPublicKey, type KeyObject, verify as verifyNow } from "node:crypto";
import { Fault, isFault } from "../../json/mod.ts";
import { plainBytes } from "./plain_bytes.ts";
import { pemBlocks, toPem } from "./pem.ts";

/** The hash algorithm of a signature. */
export type Hash = "sha224" | "sha256" | "sha384" | "sha512";

/** A message with its signature, and the algorithm's parameters. */
export interface Signed {
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  /** Ed25519 ignores it, because it has a fixed one. */
  readonly hash: Hash;
  /** For RSA: PKCS #1 version 1.5 when absent. */
  readonly padding?: "pss";
  /** For ECDSA: accepts only r and s one after the other; ASN.1 too when absent. */
  readonly form?: "plain";
}

type Kind = "ecdsa" | "rsa" | "ed25519";

const curves: Readonly<Record<string, "P-256" | "P-384" | "P-521">> = {
  prime256v1: "P-256",
  secp256r1: "P-256",
  "P-256": "P-256",
  secp384r1: "P-384",
  "P-384": "P-384",
  secp521r1: "P-521",
  "P-521": "P-521",
};
const coordinateBytes = { "P-256": 32, "P-384": 48, "P-521": 66 };
const webHashes = { sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };
/** Go refuses shorter RSA keys. */
const minRsaBits = 1_024;
const maxRsaBits = 16_384;

/** A public key of ECDSA (P-256, P-384, P-521), RSA or Ed25519. */
export class PublicKey {
  readonly kind: Kind;
  /** DER of the SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  readonly #key: KeyObject;
  readonly #curve: "P-256" | "P-384" | "P-521" | undefined;
  readonly #imported = new Map<string, Promise<CryptoKey>>();

  private constructor(kind: Kind, spki: Uint8Array, key: KeyObject) {
    this.kind = kind;
    this.spki = spki;
    this.#key = key;
    this.#curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ""];
  }

  /** Reads a SubjectPublicKeyInfo. */
  static read(spki: Uint8Array): PublicKey | Fault {
    const problem = notASequence(spki);
    if (problem !== undefined) return new Fault(problem);
    try {
      const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
      const kind = kindOf(key);
      return kind instanceof Fault ? kind : new PublicKey(kind, spki, key);
    } catch (cause) {
      return new Fault(`x509: failed to parse public key: ${cause instanceof Error ? cause.message : cause}`);
    }
  }

  /** Reads the first public key of a PEM text. */
  static fromPem(text: string): PublicKey | Fault {
    const block = pemBlocks(text, "PUBLIC KEY")[0];
    return block === undefined ? new Fault("PEM decoding failed") : PublicKey.read(block);
  }

  /** The bits of an RSA modulus, in whole bytes, or of an elliptic curve; 256 for Ed25519. */
  get bits(): number {
    if (this.kind === "rsa") return 8 * Math.ceil((this.#key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
    return this.#curve === undefined ? 256 : Number(this.#curve.slice(2));
  }

  /** The key in PEM, as Go writes it. */
  get pem(): string {
    return toPem("PUBLIC KEY", this.spki);
  }

  /**
   * Why a signature does not verify, in sigstore's words; `undefined` when it does. Kyverno parity: ECDSA signatures
   * may be ASN.1 or, where that cannot be read, r and s one after the other. Pinned by tests/contract/signatures.ts.
   */
  async refuses(signed: Signed): Promise<string | undefined> {
    if (this.kind === "ed25519") return await this.#holds(signed) ? undefined : "failed to verify signature";
    if (this.kind === "rsa") return await this.#holds(signed) ? undefined : "crypto/rsa: verification error";
    const { signature } = signed;
    const asn1 = signed.form === "plain" ? undefined : readPair(signature);
    if (asn1 === undefined) {
      const { length } = signature;
      if (length === 0 || length > 132 || length % 2 !== 0) return "ecdsa: Invalid IEEE_P1363 encoded bytes";
    }
    const plain = this.#fixed(
      asn1 ?? [signature.subarray(0, signature.length / 2), signature.subarray(signature.length / 2)],
    );
    const form = asn1 === undefined ? "IEEE_P1363" : "ASN.1";
    const holds = plain !== undefined && asn1?.exact !== false &&
      await this.#holds({ ...signed, signature: plain });
    return holds ? undefined : `invalid signature when validating ${form} encoded signature`;
  }

  /** Pads r and s to the curve's length, as WebCrypto needs them; `undefined` when one is too long. */
  #fixed([r, s]: readonly [Uint8Array, Uint8Array]): Uint8Array | undefined {
    const size = coordinateBytes[this.#curve ?? "P-256"];
    const fixed = new Uint8Array(2 * size);
    for (const [index, part] of [withoutZeros(r), withoutZeros(s)].entries()) {
      if (part.length > size) return undefined;
      fixed.set(part, (index + 1) * size - part.length);
    }
    return fixed;
  }

  /** Verifies with WebCrypto, which does not block the event loop; `node:crypto` verifies what WebCrypto cannot. */
  async #holds({ message, signature, hash, padding }: Signed): Promise<boolean> {
    try {
      const [algorithm, name] = this.#algorithm(hash, padding);
      if (algorithm === undefined) throw new Error("not for WebCrypto");
      let key = this.#imported.get(name);
      if (key === undefined) {
        key = crypto.subtle.importKey("spki", plainBytes(this.spki), algorithm, false, ["verify"]);
        this.#imported.set(name, key);
      }
      return await crypto.subtle.verify(algorithm, await key, plainBytes(signature), plainBytes(message));
    } catch {
      return this.#holdsNow({ message, signature, hash, ...(padding !== undefined && { padding }) });
    }
  }

  #holdsNow({ message, signature, hash, padding }: Signed): boolean {
    try {
      const key = padding === "pss"
        ? { key: this.#key, padding: 6, saltLength: -1 }
        : { key: this.#key, dsaEncoding: "ieee-p1363" as const };
      return verifyNow(this.kind === "ed25519" ? null : hash, message, key, signature);
    } catch {
      return false;
    }
  }

  #algorithm(
    hash: Hash,
    padding: "pss" | undefined,
  ): readonly [
    (EcKeyImportParams & EcdsaParams) | (RsaHashedImportParams & RsaPssParams) | Algorithm | undefined,
    string,
  ] {
    if (this.kind === "ed25519") return [{ name: "Ed25519" }, "Ed25519"];
    if (hash === "sha224") return [undefined, ""];
    const web = webHashes[hash];
    if (this.kind === "ecdsa") return [{ name: "ECDSA", namedCurve: this.#curve ?? "", hash: web }, "ECDSA"];
    const saltLength = Number(hash.slice(3)) / 8;
    return padding === "pss"
      ? [{ name: "RSA-PSS", hash: web, saltLength }, `RSA-PSS ${hash}`]
      : [{ name: "RSASSA-PKCS1-v1_5", hash: web, saltLength }, `RSA ${hash}`];
  }
}

/** Why the bytes are no ASN.1 sequence, in the words of Go's `encoding/asn1`; `undefined` when they begin one. */
function notASequence(der: Uint8Array): string | undefined {
  if (der.length === 0) return "asn1: syntax error: sequence truncated";
  const first = der[0]!;
  if (first === 0x30) return undefined;
  const tag = `{class:${first >> 6} tag:${first & 31} length:${der[1] ?? 0} isCompound:${
    (first & 32) !== 0
  }}`;
  const rest =
    "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> " +
    "stringType:0 timeType:0 set:false omitEmpty:false}";
  return `asn1: structure error: tags don't match (16 vs ${tag}) ${rest} publicKeyInfo @2`;
}

function kindOf(key: KeyObject): Kind | Fault {
  switch (key.asymmetricKeyType) {
    case "ec": {
      const curve = key.asymmetricKeyDetails?.namedCurve ?? "";
      return curves[curve] === undefined ? new Fault(`the curve ${curve} is not supported`) : "ecdsa";
    }
    case "rsa": {
      const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
      return bits < minRsaBits || bits > maxRsaBits
        ? new Fault(`crypto/rsa: ${bits}-bit keys are insecure`)
        : "rsa";
    }
    case "ed25519":
      return "ed25519";
    default:
      return new Fault(`keys of type ${key.asymmetricKeyType} are not supported`);
  }
}

type Pair = [Uint8Array, Uint8Array] & { exact: boolean };

/** Reads a SEQUENCE of two INTEGERs. `exact`: no bytes follow, and both are positive and without needless zeros. */
function readPair(bytes: Uint8Array): Pair | undefined {
  const outer = element(bytes, 0x30);
  const r = outer && element(outer.content, 0x02);
  const s = r && element(r.rest, 0x02);
  if (outer === undefined || r === undefined || s === undefined) return undefined;
  const strict = [r, s].every(({ content }) =>
    content.length > 0 && content[0]! < 0x80 && !(content[0] === 0 && (content[1] ?? 0) < 0x80)
  );
  const exact = outer.rest.length === 0 && s.rest.length === 0 && strict;
  const pair: [Uint8Array, Uint8Array] = [r.content, s.content];
  return Object.assign(pair, { exact });
}

function element(bytes: Uint8Array, tag: number): { content: Uint8Array; rest: Uint8Array } | undefined {
  const first = bytes[1] ?? 0xff;
  // The length of a signature never needs more than this one further byte.
  const [length, start] = first < 0x80 ? [first, 2] : first === 0x81 ? [bytes[2] ?? 0, 3] : [-1, 0];
  if (bytes[0] !== tag || length < 0 || start + length > bytes.length) return undefined;
  return { content: bytes.subarray(start, start + length), rest: bytes.subarray(start + length) };
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? bytes.subarray(bytes.length) : bytes.subarray(start);
}

/** Reads the public key in a PEM text; the fault names its use, such as `rekor public keys`. */
export function namedKey(name: string, text: string): PublicKey | Fault {
  const key = PublicKey.fromPem(text);
  return isFault(key) ? new Fault(`failed to get ${name}: ${key.message}`) : key;
}
