import { gunzip, gzip } from "../../bytes/mod.ts";
import { isFault } from "../../json/mod.ts";
import { readingEffort } from "../effort.ts";
import { failure, noSuchOverload } from "../fault.ts";
import { bytesType, dynType, stringType } from "../types/mod.ts";
import type { Value } from "../values/mod.ts";
import { type Library, overload, type Result } from "./library.ts";

/** The nanoseconds of making a compressor and its tables, and of making what decompresses. */
const workOfCompressor = 60_000, workOfDecompressor = 20_000;

/** The most bytes that are decompressed: a few compressed bytes can expand to any number. */
const maxBytes = 10_000_000;

function compress(value: Value): Result {
  if (typeof value !== "string") return noSuchOverload("gzip.compress");
  return gzip(new TextEncoder().encode(value));
}

function decompress(bytes: Uint8Array): Result {
  const unpacked = gunzip(bytes, maxBytes);
  return isFault(unpacked) ? failure(`gzip: ${unpacked.message}`) : new TextDecoder().decode(unpacked);
}

/** `gzip.compress(text)` and `gzip.decompress(bytes)`. Other compressors may give other bytes for the same text. */
export const gzipLibrary: Library = {
  name: "kyverno.gzip",
  functions: [
    {
      name: "gzip.compress",
      overloads: [
        overload({
          id: "compress_any_bytes",
          takes: [dynType],
          gives: bytesType,
          call: compress,
          effort: readingEffort(50, 0, workOfCompressor),
        }),
      ],
    },
    {
      name: "gzip.decompress",
      overloads: [
        overload({
          id: "decompress_bytes_string",
          takes: [bytesType],
          gives: stringType,
          call: decompress,
          effort: () => workOfDecompressor,
        }),
      ],
    },
  ],
};
