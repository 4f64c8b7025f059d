import crypto, { type KeyObject } from "node:crypto";

type Verify = (
  algorithm: string | null | undefined,
  data: NodeJS.ArrayBufferView,
  key: KeyObject,
  signature: NodeJS.ArrayBufferView,
) => boolean;

/** Set once {@link nameDefaultDigest} has replaced the platform's function. */
type NamingVerify = Verify & { namesDigest?: true };

/**
 * Makes `crypto.verify` of `node:crypto` take SHA-256 for an EC or RSA key when no digest is named, as Node does. Deno throws
 * there, and `@sigstore/verify` takes the exception for a signature that does not hold. To be called before that library
 * is imported; whoever names a digest, as all own code does, sees no difference.
 */
export function nameDefaultDigest(): void {
  const { verify } = crypto as unknown as { verify: NamingVerify };
  if (verify.namesDigest === true) return;
  const named: NamingVerify = (algorithm, data, key, signature) => {
    const type = key.asymmetricKeyType;
    return verify(
      algorithm ?? (type === "ec" || type === "rsa" ? "sha256" : algorithm),
      data,
      key,
      signature,
    );
  };
  named.namesDigest = true;
  (crypto as unknown as { verify: Verify }).verify = named;
}
