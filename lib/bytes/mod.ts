/**
 * Digests and gzip in plain JavaScript, without promises: browsers and edge runtimes have both only as promises, and an
 * expression does not wait. Bytes of files as text, and in hexadecimal. Adapters verify signatures; this
 * folder does not.
 *
 * @module
 */
export { type DigestAlgorithm, hexDigest } from "./digest.ts";
export { gunzip, gzip } from "./gzip.ts";
export { hexOf } from "./hexadecimal.ts";
export { sameBytes } from "./same_bytes.ts";
export { utf8Decoder } from "./utf8_text.ts";
