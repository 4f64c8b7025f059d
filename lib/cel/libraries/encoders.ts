import { failure } from "../fault.ts";
import { bytesType, stringType } from "../types/mod.ts";
import { type Library, overload, type Result } from "./library.ts";

const padded = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

function decode(text: string): Result {
  const plain = text.replace(/[\r\n]/g, "");
  if (!padded.test(plain)) return failure("illegal base64 data");
  return Uint8Array.from(atob(plain), (unit) => unit.charCodeAt(0));
}

/** Bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
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
        overload({ id: "base64_decode_string", takes: [stringType], gives: bytesType, call: decode }),
      ],
    },
  ],
};
