import type { Json } from "../../json/mod.ts";
import { context, Der, tags } from "./der.ts";

const signatures: Readonly<Record<string, number>> = {
  "1.2.840.113549.1.1.4": 2,
  "1.2.840.113549.1.1.5": 3,
  "1.3.14.3.2.29": 3,
  "1.2.840.113549.1.1.11": 4,
  "1.2.840.113549.1.1.12": 5,
  "1.2.840.113549.1.1.13": 6,
  "1.2.840.10040.4.3": 7,
  "2.16.840.1.101.3.4.3.2": 8,
  "1.2.840.10045.4.1": 9,
  "1.2.840.10045.4.3.2": 10,
  "1.2.840.10045.4.3.3": 11,
  "1.2.840.10045.4.3.4": 12,
  "1.3.101.112": 16,
};

/** Go's numbers of RSA-PSS algorithms and their salt lengths, by the identifier of the hash. */
const pss: Readonly<Record<string, { readonly algorithm: number; readonly salt: number }>> = {
  "2.16.840.1.101.3.4.2.1": { algorithm: 13, salt: 32 },
  "2.16.840.1.101.3.4.2.2": { algorithm: 14, salt: 48 },
  "2.16.840.1.101.3.4.2.3": { algorithm: 15, salt: 64 },
};

/** The number of an AlgorithmIdentifier in Go's `x509.SignatureAlgorithm`; 0 for algorithms that Go does not list. */
export function signatureAlgorithm(der: Der): number {
  const id = der.objectIdentifier().join(".");
  if (id !== "1.2.840.113549.1.1.10") return Object.hasOwn(signatures, id) ? signatures[id]! : 0;
  const parameters = der.read(tags.sequence);
  const hash =
    parameters.readIf(context(0, "constructed"))?.read(tags.sequence).objectIdentifier().join(".") ?? "";
  parameters.readIf(context(1, "constructed"));
  const salt = parameters.readIf(context(2, "constructed"))?.integer() ?? 20n;
  const variant = Object.hasOwn(pss, hash) ? pss[hash] : undefined;
  return variant !== undefined && BigInt(variant.salt) === salt ? variant.algorithm : 0;
}

/** An RSA key in Kyverno's JSON form; `undefined` for any other key. */
export function rsaKey(info: Der): Json | undefined {
  const algorithm = info.read(tags.sequence).objectIdentifier().join(".");
  if (algorithm !== "1.2.840.113549.1.1.1") return undefined;
  const key = new Der(info.bitString().bytes).read(tags.sequence);
  const modulus = key.integer(), exponent = key.integer();
  if (key.problem !== undefined) info.fail("failed to parse subject public key info");
  return { N: modulus.toString(), E: Number(exponent) };
}
