import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

const algorithms = { md5, sha1, sha256 };

/** A digest that policies can name. MD5 and SHA-1 are there for compatibility only. */
export type DigestAlgorithm = keyof typeof algorithms;

/**
 * Returns the digest of a text's UTF-8 bytes in lower-case hexadecimal digits.
 *
 * ```ts
 * import { hexDigest } from "./digest.ts";
 * import assert from "node:assert/strict";
 * assert.equal(hexDigest("md5", "abc"), "900150983cd24fb0d6963f7d28e17f72");
 * ```
 */
export function hexDigest(algorithm: DigestAlgorithm, text: string): string {
  return bytesToHex(algorithms[algorithm](new TextEncoder().encode(text)));
}
