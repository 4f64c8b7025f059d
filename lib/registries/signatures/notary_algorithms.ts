import type { Hash, PublicKey } from "./public_key.ts";

/** An algorithm of a Notary signature. */
export interface NotaryAlgorithm {
  readonly name: string;
  readonly kind: "ecdsa" | "rsa";
  /** The bits of its keys. */
  readonly bits: number;
  readonly hash: Hash;
  /** Its number in a COSE envelope. */
  readonly cose: number;
}

/** Each size of RSA keys and each curve has one algorithm (signature specification of the Notary Project). */
const algorithms: readonly NotaryAlgorithm[] = [
  { name: "PS256", kind: "rsa", bits: 2048, hash: "sha256", cose: -37 },
  { name: "PS384", kind: "rsa", bits: 3072, hash: "sha384", cose: -38 },
  { name: "PS512", kind: "rsa", bits: 4096, hash: "sha512", cose: -39 },
  { name: "ES256", kind: "ecdsa", bits: 256, hash: "sha256", cose: -7 },
  { name: "ES384", kind: "ecdsa", bits: 384, hash: "sha384", cose: -35 },
  { name: "ES512", kind: "ecdsa", bits: 521, hash: "sha512", cose: -36 },
];

/** The algorithm with a name of JWS; `undefined` for one that may not sign. */
export function algorithmNamed(name: string): NotaryAlgorithm | undefined {
  return algorithms.find((each) => each.name === name);
}

/** The JWS name of an algorithm of COSE; empty for one that may not sign. */
export function nameInCose(id: number): string {
  return algorithms.find(({ cose }) => cose === id)?.name ?? "";
}

/** The algorithm with which a key signs; `undefined` for a key that may not sign. */
export function algorithmOf({ kind, bits }: PublicKey): NotaryAlgorithm | undefined {
  return algorithms.find((each) => each.kind === kind && each.bits === bits);
}

/** Why a key may not sign, in notation's words; `undefined` when it may. */
export function refusesKey(key: PublicKey): string | undefined {
  if (algorithmOf(key) !== undefined) return undefined;
  return key.kind === "ed25519"
    ? "unsupported public key type"
    : `${key.kind} key size ${key.bits} bits is not supported`;
}
