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
 * Makes `crypto.verify` of `node:crypto` use SHA-256 for EC and RSA keys when the caller names no digest, as Node does.
 * Deno throws instead, and `@sigstore/verify` takes the exception for a signature that does not verify. Call it before
 * that library is imported. It changes nothing for callers that name a digest, as all of Postern's code does.
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
