import { isFault } from "../../json/mod.ts";
import { decodeBase64, encodeBase64 } from "../../kube/mod.ts";
import { readingEffort } from "../effort.ts";
import { failure } from "../fault.ts";
import { bytesType, stringType } from "../types/mod.ts";
import { type Library, overload, type Result } from "./library.ts";

const unpadded = /^(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,3}$/;

/** Decodes base64 with or without padding. */
function decode(text: string): Result {
  const plain = text.replace(/[\r\n]/g, "");
  const bytes = decodeBase64(
    unpadded.test(plain) ? plain.padEnd(Math.ceil(plain.length / 4) * 4, "=") : text,
  );
  return isFault(bytes) ? failure(bytes.message) : bytes;
}

/** `base64.encode` and `base64.decode`. */
export const encodersLibrary: Library = {
  name: "encoders",
  functions: [
    {
      name: "base64.encode",
      overloads: [
        overload({ id: "base64_encode_bytes", takes: [bytesType], gives: stringType, call: encodeBase64 }),
      ],
    },
    {
      name: "base64.decode",
      overloads: [
        overload({
          id: "base64_decode_string",
          takes: [stringType],
          gives: bytesType,
          call: decode,
          effort: readingEffort(25),
        }),
      ],
    },
  ],
};
