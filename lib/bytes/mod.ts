/**
 * Digests and gzip at once and in plain JavaScript: browsers and edge runtimes have both only as promises, and an
 * expression does not wait. It does not verify signatures; adapters do.
 *
 * @module
 */
export { type DigestAlgorithm, hexDigest } from "./digest.ts";
export { gunzip, gzip } from "./gzip.ts";
