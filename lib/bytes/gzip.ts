import { gzip as compressed, Inflate, Z_BUF_ERROR } from "pako";
import { Fault } from "../json/mod.ts";

/** Compresses bytes into gzip format (RFC 1952). */
export function gzip(bytes: Uint8Array): Uint8Array {
  return compressed(bytes);
}

/** The compressed bytes that are read at once: they unpack to at most 1,032 times as many. */
const step = 4_096;

/** A window of 32 KB (15), in gzip format only (16): without a format the library would accept zlib's, too. */
const gzipOnly = 15 + 16;

/**
 * Unpacks gzip, all its members one after the other. Returns a fault for bytes that are not gzip, whose checksum
 * or length is wrong, that end too soon, or that unpack to more than `most` bytes. A few bytes can unpack to
 * any number of bytes, so the rest is not even unpacked.
 *
 * ```ts
 * import { gunzip, gzip } from "./gzip.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const packed = gzip(new Uint8Array(1000));
 * assert.deepEqual(gunzip(packed, 1000), new Uint8Array(1000));
 * assert(isFault(gunzip(packed, 999)));
 * ```
 */
export function gunzip(bytes: Uint8Array, most: number): Uint8Array | Fault {
  const inflate = new Inflate({ windowBits: gzipOnly });
  const parts: Uint8Array[] = [];
  let length = 0;
  inflate.onData = (part) => {
    length += part.length;
    if (length <= most) parts.push(part);
  };
  for (let start = 0; start < bytes.length && !inflate.ended; start += step) {
    inflate.push(bytes.subarray(start, start + step), start + step >= bytes.length);
    if (length > most) return new Fault(`it stands for more than ${most} bytes`);
  }
  const endsTooSoon = inflate.err === Z_BUF_ERROR || !inflate.ended;
  if (inflate.err !== 0 && !endsTooSoon) return new Fault(inflate.msg || `zlib error ${inflate.err}`);
  if (endsTooSoon) return new Fault("unexpected end of file");
  return joined(parts, length);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
